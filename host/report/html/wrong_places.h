// Where in C the wrong elements lie, as pictures.
#pragma once

#include <string>

#include "report/html/view.h"

namespace judge::html {

// One for each plugin, of its first row whose wrong elements do not fill C; empty where there is none.
std::string wrong_places(const View& view);

}  // namespace judge::html
