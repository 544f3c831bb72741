// The results as text for people.
#pragma once

#include <string>
#include <vector>

#include "record.h"
#include "selection.h"

namespace judge {

// One block a shape, one line a plugin, the classes of precision one after the other, then a line for each row that is not ok saying why. `colour` adds ANSI colours.
std::string format_table(const Json& environment, const std::vector<Row>& rows, bool colour);

// --list: the plugins and what they say of themselves; as text, and for a README.
std::string format_list(const std::vector<Candidate>& candidates, const std::vector<PluginInfo>& infos);
std::string format_list_as_markdown(const std::vector<Candidate>& candidates, const std::vector<PluginInfo>& infos);

}  // namespace judge
