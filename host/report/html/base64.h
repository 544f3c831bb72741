// Bytes as text that a page may hold.
#pragma once

#include <string>
#include <string_view>

namespace judge::html {

std::string base64(std::string_view bytes);

}  // namespace judge::html
