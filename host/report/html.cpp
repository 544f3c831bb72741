#include "report/html.h"

#include <memory>

#include "base/whole_file.h"
#include "report/html/page.h"
#include "values/json.h"

namespace judge {

std::string format_html(const Json& environment, const std::vector<Row>& rows, const std::optional<SavedRun>& earlier) {
    html::SourceFiles sources;
    return html::page(environment, rows, earlier ? &*earlier : nullptr, sources);
}

std::function<void(const std::vector<Row>&)> html_writer(const std::filesystem::path& file, const Json& environment,
                                                         const std::optional<SavedRun>& earlier) {
    return [=, sources = std::make_shared<html::SourceFiles>()](const std::vector<Row>& rows) {
        replace_file(file, html::page(environment, rows, earlier ? &*earlier : nullptr, *sources), "--html");
    };
}

}  // namespace judge
