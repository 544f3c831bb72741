// Text that others wrote, made fit to be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace judge {

// One line of valid UTF-8 that does nothing to a terminal: without escape sequences; each run of white space, line ends
// included, a blank, and none at either end; "?" for any other control character and for what reverses the order of the
// letters around it; U+FFFD for each byte that is no UTF-8. Of a text of more than `most` characters the beginning, and
// three dots.
std::string cleaned(std::string_view text, size_t most);

}  // namespace judge
