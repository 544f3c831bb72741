// The headers that take the compiler longest and that many files include, compiled once. Every file includes what it
// uses all the same: no source names this one, the Makefile does.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// The library's literals, which nothing here uses, would have each file instantiate a JSON parser, in a third of a
// second: as functions with bodies they do, as templates they do not. (Where they are not written as in version 3.11.2,
// this changes nothing.)
#define _json(...)          \
    _json(__VA_ARGS__);     \
    template <class = void> \
    nlohmann::json unused_json(__VA_ARGS__)
#define _json_pointer(...)      \
    _json_pointer(__VA_ARGS__); \
    template <class = void>     \
    nlohmann::json::json_pointer unused_json_pointer(__VA_ARGS__)
#include <nlohmann/json.hpp>
#undef _json
#undef _json_pointer

#include "base/regex.h"
