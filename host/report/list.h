// --list: the plugins and what they say of themselves.
#pragma once

#include <string>
#include <vector>

#include "library/discovery.h"
#include "values/plugin_info.h"

namespace judge {

// infos[i] is that of candidates[i]. As text, and for a README.
std::string format_list(const std::vector<Candidate>& candidates, const std::vector<PluginInfo>& infos);
std::string format_list_as_markdown(const std::vector<Candidate>& candidates, const std::vector<PluginInfo>& infos);

}  // namespace judge
