// What the user can mend: a file that is not there, a directory of too many libraries.
#pragma once

#include <stdexcept>

namespace judge {

// Any other exception that gets out of the parent is a failure of the judge's own.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace judge
