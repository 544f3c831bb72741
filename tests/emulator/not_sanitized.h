// For what a test reckons itself, where no kernel runs, with pointers alone: AddressSanitizer calls a function for each
// load, a sixth of the time of 86's and 88's tests. (What is called from there, as a vector's [], is not inlined.)
#pragma once

#define NOT_SANITIZED __attribute__((no_sanitize("address")))
