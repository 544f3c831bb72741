#include "base/regex.h"

#ifdef REGEX_COMPILER
REGEX_COMPILER()
#endif
