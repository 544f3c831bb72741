// The headers that take the compiler longest, compiled once for the tests: see host/base/precompiled.h.
#include <regex>

#include "host/base/precompiled.h"
#include "tests/catch.h"
