// Callers from other languages.
#include "tests/catch.h"
#include "tests/process.h"

TEST_CASE("a Python program loads a CPU plugin and an emulated one through ctypes and multiplies") {
    const auto result = test::run("python3 tests/clients/ctypes_client.py " + test::kBuild +
                                  "/plugins/cpu/00_serial.so " + test::kBuild + "/plugins/emulator/10_naive.so");
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("00_serial: ") != std::string::npos);
    CHECK(result.out.find("10_naive: ") != std::string::npos);
}
