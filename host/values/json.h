// The JSON of the whole program.
#pragma once

#include <nlohmann/json.hpp>

#include "values/json_fwd.h"
