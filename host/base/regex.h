// What std::regex makes of a pattern, compiled once: each folder that uses it would take the compiler 1.5 s more. This
// stands in the precompiled header alone; what is compiled without that compiles what it uses of <regex> itself.
#pragma once

#include <regex>

// By the names inside of one library: others do without.
#if defined(__GLIBCXX__) && defined(__GNUC__) && !defined(__clang__)
#define REGEX_COMPILER(prefix)                                               \
    prefix template class std::basic_regex<char>;                            \
    prefix template class std::__detail::_Compiler<std::regex_traits<char>>; \
    prefix template class std::__detail::_Scanner<char>;
REGEX_COMPILER(extern)
#endif
