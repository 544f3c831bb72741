// The CSS of the page: light, dark and paper.
#pragma once

namespace judge::html {

extern const char* const kStyle;

}  // namespace judge::html
