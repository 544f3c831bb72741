#include "watch/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/clean_text.h"
#include "base/command.h"

namespace judge {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

}  // namespace

std::optional<Run> run_compare(const std::vector<std::string>& arguments, const fs::path& folder,
                               const std::function<bool()>& cancelled) {
    const fs::path json = folder / "rows.json", said = folder / "said";
    std::vector<std::string> words = {"/proc/self/exe", "--json", json.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Command compare(words, said);
    while (!compare.has_ended()) {
        if (cancelled()) return std::nullopt;
        usleep(3000);
    }
    const Json document = Json::parse(text_of(json), nullptr, false);
    if (document.is_object() && document.contains("rows")) {
        Run run{document.at("environment"), document.at("rows").get<std::vector<Row>>()};
        if (!run.rows.empty()) return run;
    }
    throw std::runtime_error(fmt::format("no verdict: {}", cleaned(text_of(said), 1000)));
}

}  // namespace judge
