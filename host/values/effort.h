// How much time a row may take.
#pragma once

namespace judge {

// quick is an estimate, and is judged with less: small probes of the precision; one repetition, not two; a fifth of the
// calls in the search for leaks, and 20 ms of sleep; and at the first right shape only, whether the plugin waits for
// its work. Every element is compared up to a hundredth of Reference::comparison_budget(), 20 ms: up to 3400^3 on an
// H100. Above, rows and checksums.
enum class Effort { quick, normal, thorough };

}  // namespace judge
