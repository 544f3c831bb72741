// The same for the tests: see there.
#include <regex>

#include "host/base/precompiled.h"
#include "tests/catch.h"
