#include "host/library/fatbin.h"

#include <cstdint>
#include <random>

#include "host/library/elf_file.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/skip.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

using Scope = GpuArchitecture::Scope;
using Set = std::set<GpuArchitecture>;

template <class T>
std::string bytes_of(T value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// An image as nvcc 13 lays it out: a header of 64 bytes and a payload of 40.
std::string image(uint16_t kind, uint32_t capability, uint64_t flags) {
    std::string bytes = bytes_of(kind) + bytes_of<uint16_t>(0x101) + bytes_of<uint32_t>(64) + bytes_of<uint64_t>(40) +
                        std::string(12, '\0') + bytes_of(capability) + std::string(8, '\0') + bytes_of(flags);
    bytes.resize(64 + 40);
    return bytes;
}

std::string container(const std::string& images) {
    return bytes_of(0xba55ed50u) + bytes_of<uint16_t>(1) + bytes_of<uint16_t>(16) + bytes_of<uint64_t>(images.size()) +
           images;
}

std::string machine_code(uint32_t capability) {
    return image(2, capability, 0x11);
}
std::string ptx(uint32_t capability) {
    return image(1, capability, 0x8011);
}

}  // namespace

TEST_CASE("machine code and PTX are told apart, in all images of all containers") {
    const GpuImages images = read_fatbin(container("") + container(machine_code(75) + ptx(90)) + std::string(8, '\0') +
                                         container(machine_code(80) + machine_code(75)));
    CHECK(images.machine_code == Set{{75, Scope::any_later}, {80, Scope::any_later}});
    CHECK(images.ptx == Set{{90, Scope::any_later}});
}

TEST_CASE("the letters of sm_90a and compute_100f are read from the flags") {
    // The flags that nvcc 13.0 writes for these.
    const GpuImages images = read_fatbin(container(image(2, 90, 0x100011) + image(2, 103, 0x1100011) +
                                                   image(2, 100, 0x1200011) + image(1, 100, 0x208011)));
    CHECK(images.machine_code == Set{{90, Scope::exact}, {103, Scope::exact}, {100, Scope::family}});
    CHECK(images.ptx == Set{{100, Scope::family}});
}

TEST_CASE("a section cut anywhere, or full of nonsense, is read without harm") {
    const std::string whole = container(machine_code(75) + ptx(90)) + container(machine_code(80));
    for (size_t length = 0; length < whole.size(); ++length) CHECK_NOTHROW(read_fatbin(whole.substr(0, length)));
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = whole;
        for (int change = 0; change < 4; ++change) bytes[random() % bytes.size()] = char(random());
        CHECK_NOTHROW(read_fatbin(bytes));
    }
    CHECK(read_fatbin(std::string(1000, '\xff')).empty());
    CHECK(read_fatbin("").empty());
}

TEST_CASE("machine code runs on later GPUs of its generation, PTX on all later ones") {
    const auto runs = [](const std::string& images, int capability) {
        return missing_image(read_fatbin(container(images)), capability).empty();
    };
    CHECK(runs(machine_code(80), 80));
    CHECK(runs(machine_code(80), 86));
    CHECK(!runs(machine_code(80), 90));
    CHECK(!runs(machine_code(86), 80));
    CHECK(!runs(machine_code(75), 80));
    CHECK(runs(ptx(75), 120));
    CHECK(runs(ptx(90), 90));
    CHECK(!runs(ptx(90), 89));
    const std::string exact = image(2, 90, 0x100011) + image(1, 90, 0x108011);
    CHECK(runs(exact, 90));
    CHECK(!runs(exact, 100));
    const std::string family = image(2, 100, 0x1200011) + image(1, 100, 0x208011);
    CHECK(runs(family, 103));
    CHECK(!runs(family, 110));
    CHECK(runs(machine_code(80) + ptx(80), 90));
    CHECK(runs("", 90));
}

TEST_CASE("a missing image is said with what there is and with the flag that helps") {
    const auto said = [](const std::string& images) { return missing_image(read_fatbin(container(images)), 90); };
    CHECK(said(machine_code(80) + machine_code(75)) ==
          "no image for sm_90: built for sm_75, sm_80 only, no PTX (nvcc -gencode arch=compute_90,code=sm_90)");
    CHECK(contains(said(image(2, 100, 0x100011) + image(1, 103, 0x208011)), "sm_100a, compute_103f only (nvcc"));
}

TEST_CASE("what nvcc was told to compile for is found in the library") {
    const fs::path built = BUILD_DIRECTORY;
    const fs::path one = built / "bad_gpu_plugins/gpu_other_architecture.so", plain = built / "foreign/plain_cuda.so";
    if (!fs::exists(one) || !fs::exists(plain)) {
        say_skipped("what nvcc was told to compile for is found in the library", "no nvcc here");
        return;
    }
    const GpuImages images = read_elf(one).images;
    REQUIRE(images.machine_code.size() == 1);
    CHECK((images.machine_code.begin()->capability == 75 || images.machine_code.begin()->capability == 80));
    CHECK(images.ptx.empty());
    CHECK(!missing_image(images, 90).empty());
    CHECK(!read_elf(plain).images.ptx.empty());
    CHECK(missing_image(read_elf(plain).images, 120).empty());
}
