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

// For programs with AddressSanitizer. GCC 12's keeps threads that have ended in its list: once the system reuses a
// thread ID (after 32768 of them), the new thread is not found, and what only its thread_local memory points to is
// reported as a leak: glibc's list of its thread_local objects, 5 to 12 times 32 bytes after the whole rungs' tests on
// a busy machine.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:__cxa_thread_atexit_impl\n";
}
