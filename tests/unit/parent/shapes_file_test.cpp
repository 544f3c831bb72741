#include "host/parent/shapes_file.h"

#include "host/base/usage_error.h"
#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;
using namespace unit;

namespace {

std::vector<Products> load(const std::string& text) {
    const TemporaryDirectory directory;
    std::ofstream(directory / "shapes") << text;
    return load_products(directory / "shapes");
}

std::string complaint_of(const std::string& text) {
    try {
        load(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a file of products gives each once, those whose operands lie alike together") {
    const auto found = load(
        "# made by hand\n"
        "gemm:NT 8x7x6          # 4800 calls\n"
        "gemm:NN 5\n"
        "\n"
        "  gemm:NT\t1x2x3 1\n"
        "gemm:NT 8x7x6 96\n"
        "gemm:NT 8x7x6\n");
    CHECK(found == std::vector<Products>{{{false, true, 1}, {{8, 7, 6}, {1, 2, 3}}},
                                         {{false, false, 1}, {{5, 5, 5}}},
                                         {{false, true, 96}, {{8, 7, 6}}}});
}

TEST_CASE("what is wrong in a file of products is told with its line") {
    for (const char* wrong : {"gemm:NT", "8x7x6", "chain 8x7x6", "gemm:XX 8x7x6", "gemm:NT 8x7", "gemm:NT 8x7x6 0",
                              "gemm:NT 8x7x6 many", "gemm:NT 8x7x6 2x", "gemm:NT 8x7x6 2 3", "gemm:NT 8x7x6 1048577"}) {
        const std::string said = complaint_of("gemm:NN 4\n" + std::string(wrong) + "\n");
        INFO(wrong << ": " << said);
        CHECK(said.find("--shapes-from: ") == 0);
        CHECK(said.find("/shapes:2: ") != std::string::npos);
    }
    CHECK(complaint_of("# nothing\n").find("no products in it") != std::string::npos);
    CHECK_THROWS_AS(load_products("/no/such/file"), UsageError);
}

TEST_CASE("the row of a product says how its operands lie and how many there are") {
    CHECK(label_of("8x7x6", {true, false, 1}) == "8x7x6 TN");
    CHECK(label_of("8x7x6", {false, true, 96}) == "8x7x6 NT x96");
}
