// How much time a row may take.
#pragma once

namespace judge {

// quick is an estimate, and is judged with fewer calls: repeated once, not twice; a fifth of them in the search for
// leaks; and rows of zeros at the first right shape only, for the class of them all. Every element is compared up to a
// hundredth of Device::comparison_budget(), 20 ms: up to 3400^3 on an H100. Above, rows and checksums. Whether the plugin
// waits for its work is found out at the first shape.
enum class Effort { quick, normal, thorough };

}  // namespace judge
