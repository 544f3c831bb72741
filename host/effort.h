// How much time a row may take.
#pragma once

namespace judge {

enum class Effort { quick, normal, thorough };

}  // namespace judge
