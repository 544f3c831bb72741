// The speeds in the JSON that Bencher reads (bencher.dev, "Bencher Metric Format").
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// {"10_naive (cuda) 512x512x512": {"latency": {"value": ..., "lower_value": ..., "upper_value": ...}, ...}}: of each
// row that is right and timed the latency in nanoseconds, hot and cold, the throughput in operations per second, and
// the ratio to the baseline. The bounds are those of the 95 % interval, absent where there is none.
Json bencher_metrics(const std::vector<Row>& rows);

// Throws std::system_error, naming the file. The file is whole at any time.
void write_bencher(const std::filesystem::path& file, const std::vector<Row>& rows);

}  // namespace judge
