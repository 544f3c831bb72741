// A part of the page.
#pragma once

#include <string>

namespace judge::html {

struct Section {
    std::string id;        // of the element
    std::string name;      // in the contents, and above the section; HTML, as the next
    std::string body;      // empty where there is nothing to show
    std::string left_out;  // then: why
};

}  // namespace judge::html
