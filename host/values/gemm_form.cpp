#include "values/gemm_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace judge {

std::string to_string(const GemmForm& form) {
    return fmt::format("{}{}", form.transpose_a ? 'T' : 'N', form.transpose_b ? 'T' : 'N');
}

GemmForm parse_form(const std::string& name, int batch) {
    const std::vector<std::string> names = form_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw std::invalid_argument(fmt::format("'{}' is none of NN, NT, TN, TT", name));
    }
    return {name[0] == 'T', name[1] == 'T', batch};
}

std::vector<std::string> form_names() {
    return {"NN", "NT", "TN", "TT"};
}

}  // namespace judge
