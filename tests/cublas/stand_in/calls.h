// What a program of somebody else would do: calls of cuBLAS, each held against the definition. It prints a line a call,
//     NAME: status 0, right, by cuBLAS 0
// whose last number is how many calls reached cuBLAS.
#pragma once

extern "C" __attribute__((visibility("default"))) int make_calls(const char* what);
