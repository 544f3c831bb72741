#include "report/json.h"

#include "base/whole_file.h"
#include "values/json.h"

namespace judge {

void write_json(const std::filesystem::path& file, const Json& environment, const std::vector<Row>& rows) {
    const Json document = {{"environment", environment}, {"rows", rows}};
    replace_file(file, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", "--json");
}

}  // namespace judge
