// The JavaScript of the page. All of it can be read without.
#pragma once

namespace judge::html {

extern const char* const kScript;

}  // namespace judge::html
