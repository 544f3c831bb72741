#include "host/checks/between_check.h"

#include <cstdlib>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// Allocates, and then looks at A.
MultiplyChain asking_for(size_t (*bytes)(size_t M, size_t N, size_t K, size_t L)) {
    return [=](const float* A, const float*, const float*, float* E, int M, int N, int K, int L) {
        void* const between = std::malloc(bytes(M, N, K, L));
        E[0] = A[0];
        std::free(between);
    };
}

size_t all_of_it(size_t M, size_t, size_t K, size_t) {
    return 4 * M * K;
}
size_t bytes_in_32_bits(size_t M, size_t, size_t K, size_t) {
    return uint32_t(4 * M * K);
}
size_t elements_of_the_other_in_32_bits(size_t, size_t N, size_t, size_t L) {
    return 4 * size_t{uint32_t(N * L)};
}
size_t some_rows(size_t, size_t, size_t K, size_t) {
    return 4 * 64 * K;
}
size_t four_megabytes(size_t, size_t, size_t, size_t) {
    return 4'200'000;  // what 32 bits leave of one of the three sizes
}

// Of solve_chain_enqueue: takes a workspace of so many bytes, and else has its own.
ChainCall wanting(size_t (*bytes)(size_t M, size_t N, size_t K, size_t L)) {
    return [=](const solve_chain_t* call) {
        const size_t needed = bytes(call->M, call->N, call->K, call->L);
        void* const own = call->workspace_bytes >= needed ? nullptr : std::malloc(4 * size_t(call->M) * call->K);
        call->E[0] = call->A[0];
        std::free(own);
        return int{SOLVE_OK};
    };
}

}  // namespace

TEST_CASE("the memory between a chain's products that is counted in 32 bits is told, in either order") {
    const std::string left = check_product_between(asking_for(bytes_in_32_bits), nullptr);
    // 19.4 million, and what malloc adds, which may have such memory already.
    CHECK(contains(left, "solve_chain: at 69120x69632x62208x61696 it asks for 19"));
    CHECK(contains(left, "whose 69120 x 62208 elements have 17199267840: its size is computed in 32 bits"));
    const std::string right = check_product_between(asking_for(elements_of_the_other_in_32_bits), nullptr);
    CHECK(contains(right, "whose 69632 x 61696 elements"));
}

TEST_CASE("who asks for all of the product between, for some rows of it or for nothing is not blamed") {
    for (const auto bytes : {all_of_it, some_rows, four_megabytes}) {
        CHECK(check_product_between(asking_for(bytes), nullptr) == "");
    }
    CHECK(check_product_between([](auto...) {}, nullptr) == "");
    CHECK(check_product_between([](auto...) { std::abort(); }, nullptr) == "");
}

TEST_CASE("a workspace that only 32 bits hold to be enough is told") {
    const auto plain = asking_for(all_of_it);
    CHECK(check_product_between(plain, wanting(all_of_it)) == "");
    CHECK(
        contains(check_product_between(plain, wanting(bytes_in_32_bits)),
                 "solve_chain_enqueue: at 69376x69504x61952x61824 it takes a workspace of 24117248 bytes for enough"));
}
