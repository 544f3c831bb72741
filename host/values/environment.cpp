#include "values/environment.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "values/json.h"

namespace judge {

std::string text_of(const Json& environment, const char* key) {
    const auto found = environment.find(key);
    return found != environment.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string machine(const Json& environment) {
    const std::string gpu = text_of(environment, "device");
    if (gpu.empty()) {
        return text_of(environment, "processor") + ", " + counted(environment.at("cores").get<int64_t>(), "core");
    }
    return fmt::format("{}, driver {}, CUDA {}", gpu, text_of(environment, "driver"), text_of(environment, "cuda"));
}

bool is_read_by_blas(const std::string& variable) {
    for (const char* const prefix :
         {"OMP_", "GOMP_", "KMP_", "OPENBLAS_", "GOTO_", "BLIS_", "MKL_", "NVPL_", "ARMPL_"}) {
        if (variable.starts_with(prefix)) return true;
    }
    return false;
}

}  // namespace judge
