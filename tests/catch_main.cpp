// Catch2's main, for version 2 and version 3.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
int main(int argc, char** argv) {
    return Catch::Session().run(argc, argv);
}
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

// Of a program that is sanitized. Threads that plugins keep for ever end with the process. What glibc has allocated to
// destroy their thread_local objects is then not seen to be in use: 12 times 32 bytes, in one run of 98 tests.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:__cxa_thread_atexit_impl\n";
}
