// Hardware counters of the calls of a run, which Nsight Compute's command line reads.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "parent/campaign.h"
#include "values/record.h"

namespace judge {

// Where ncu is: in PATH, in the CUDA Toolkit that this was built with, or where its own packages put it, the newest.
// Empty where it is not. `folders` is what a test has in their place.
std::filesystem::path find_ncu();
std::filesystem::path find_ncu(const std::vector<std::filesystem::path>& folders);

class CounterReader {
  public:
    // Without ncu, or where `ncu` is empty, nothing is read. `complain` gets a line for what could not be read; what
    // holds for every plugin is told once, and nothing is tried from there on.
    CounterReader(std::filesystem::path ncu, std::function<void(const std::string&)> complain);

    // For each row from `first` on that is right on a GPU, profiles one call of the plugin in a worker of its own, for
    // up to the campaign's timeout, and sets the row's counters. These rows are the campaign's, one a shape; nothing
    // else of them is changed. `begins` is told of each.
    void read(const Campaign& campaign, std::vector<Row>& rows, size_t first,
              const std::function<void(const std::string& doing)>& begins);

  private:
    // Empty if the row has counters.
    std::string read_one(const Campaign& campaign, const Shape& shape, Row& row);
    std::string profile(const Job& job, double timeout_s, const std::set<std::string>& left_out) const;

    std::filesystem::path ncu_;
    std::function<void(const std::string&)> complain_;
};

}  // namespace judge
