// SHA-256, to name in a record which build of a plugin was judged.
#pragma once

#include <string>
#include <string_view>

namespace judge {

// 64 hexadecimal digits (FIPS 180-4).
std::string sha256(std::string_view bytes);

}  // namespace judge
