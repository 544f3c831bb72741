// The columns of what is measured only when it is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/columns.h"

namespace judge {

// Usual where a row has any of it.
std::vector<Column> host_to_host_columns();
std::vector<Column> counter_columns();

// "34.1 MB"; empty for none.
std::string size_of(const std::optional<double>& bytes);

bool has_copies(const Row& row);
bool has_counters(const Row& row);

}  // namespace judge
