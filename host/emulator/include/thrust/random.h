// The engines and distributions of the standard library, whose numbers are others than thrust's.
#pragma once

#include <random>

namespace thrust {

using std::minstd_rand;
using std::normal_distribution;
using std::uniform_int_distribution;
using std::uniform_real_distribution;
using default_random_engine = std::minstd_rand;

}  // namespace thrust
