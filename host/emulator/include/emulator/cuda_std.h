// cuda::std is the standard library, for the headers of cuda/std/.
#pragma once

namespace std {}
namespace cuda::std {
using namespace ::std;
}  // namespace cuda::std
