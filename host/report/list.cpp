#include "report/list.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/markdown_text.h"

namespace judge {

std::string format_list(const std::vector<Candidate>& candidates, const std::vector<PluginInfo>& infos) {
    size_t name_width = 6, summary_width = 7;
    for (size_t i = 0; i < candidates.size(); ++i) {
        name_width = std::max(name_width, candidates[i].name.size());
        summary_width = std::max(summary_width, infos[i].summary.size());
    }
    std::string text = fmt::format("{:<{}}  {:<8}  {:<13}  {:<5}  {:<{}}  {}\n", "plugin", name_width, "device",
                                   "arithmetic", "needs", "summary", summary_width, "source");
    for (size_t i = 0; i < candidates.size(); ++i) {
        const PluginInfo& info = infos[i];
        const std::string needs =
            info.minimum_compute_capability ? fmt::format("sm_{}", info.minimum_compute_capability) : "";
        text += fmt::format("{:<{}}  {:<8}  {:<13}  {:<5}  {:<{}}  {}", candidates[i].name, name_width,
                            to_string(candidates[i].target), info.arithmetic, needs, info.summary, summary_width,
                            info.source);
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
    }
    return text;
}

std::string format_list_as_markdown(const std::vector<Candidate>& candidates, const std::vector<PluginInfo>& infos) {
    std::string text = "| plugin | what it does | arithmetic | needs | source |\n|---|---|---|---|---|\n";
    for (size_t i = 0; i < candidates.size(); ++i) {
        const PluginInfo& info = infos[i];
        const int capability = info.minimum_compute_capability;
        text += fmt::format("| {} | {} | {} | {} | {} |\n", escaped(candidates[i].name), escaped(info.summary),
                            escaped(info.arithmetic), capability ? fmt::format("sm_{}", capability) : "",
                            escaped(info.source));
    }
    return text;
}

}  // namespace judge
