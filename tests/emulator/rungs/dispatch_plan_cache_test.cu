// The cache of rung 90's plans: each is found again by calls alike, of any thread, and as many as a program needs.
#include <atomic>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <type_traits>

#include "../../catch.h"
#include "dispatch_problem.h"

using namespace rung_90;
using namespace test;

namespace {

// As many calls of every form as a large program may have.
std::vector<ladder::PlanKey> drawn_keys(int count) {
    std::mt19937 random(7);
    std::vector<ladder::PlanKey> keys;
    for (int i = 0; i < count; ++i) {
        const auto size = [&] { return static_cast<int>(random() % 5000 + 1); };
        const auto form = [&] { return random() % 2 ? SOLVE_T : SOLVE_N; };
        ladder::PlanKey key{.M = size(), .N = size(), .K = size(), .batch = 1};
        key.transpose_a = form(), key.transpose_b = form();
        key.a.in_vectors = key.b.in_vectors = random() % 2;
        keys.push_back(key);
    }
    return keys;
}

}  // namespace

TEST_CASE("a cached plan is for calls alike, and made anew for others") {
    const auto cycles = [](const ladder::Gemm& gemm, const ladder::CostsOfGpu& costs, const DeviceFigures& device) {
        return plan_of(ladder::call_of(gemm), costs, device).whole.cycles;
    };
    const ladder::CostsOfGpu& costs = ladder::costs_for(90);
    const double one = cycles(sized(300, 200, 100), costs, kH100);
    CHECK(cycles(sized(300, 200, 100), costs, kH100) == one);
    CHECK(cycles(sized(300, 200, 101), costs, kH100) != one);
    CHECK(cycles(sized(300, 200, 100), costs, {.capability = 90, .sms = 66, .l2 = 50 << 20}) != one);
    static ladder::CostsOfGpu dearer = costs;
    for (ladder::Costs& each : dearer.of) each.start += 1000;
    CHECK(cycles(sized(300, 200, 100), dearer, kH100) != one);
    solve_gemm_t call = ladder::call_of(sized(2048, 2048, 2048));
    const WayId plain = plan_of(call, costs, kH100).whole.id;
    call.transpose_a = SOLVE_T;
    CHECK(plan_of(call, costs, kH100).whole.id != plain);
    call = ladder::call_of(sized(3000, 4, 512));
    const auto with_rows_of = [&](int64_t ldc) { return call.ldc = ldc, plan_of(call, costs, kH100).whole.cycles; };
    CHECK(with_rows_of(516) > with_rows_of(520));  // which need one more tile of columns, and do not
    CHECK(cycles(sized(300, 200, 100), costs, kH100) == one);
}

TEST_CASE("plans for the forms of a product are cached side by side") {
    for (ladder::PlanKey key : drawn_keys(100)) {
        std::set<unsigned> sets;
        for (const auto& [a, b] :
             {std::pair(SOLVE_N, SOLVE_N), {SOLVE_N, SOLVE_T}, {SOLVE_T, SOLVE_N}, {SOLVE_T, SOLVE_T}}) {
            key.transpose_a = a, key.transpose_b = b;
            for (const bool vector : {false, true}) {
                key.a.in_vectors = key.b.in_vectors = vector;
                sets.insert(ladder::set_of(key));
            }
        }
        CHECK(sets.size() == 8);
        CHECK(*sets.rbegin() < 128);
    }
}

TEST_CASE("threads may look plans up while the process ends") {
    CHECK(std::is_trivially_destructible_v<ladder::PlanCache<Plan>>);
}

TEST_CASE("the plans of 300 calls are made once, however often they come again, and by whatever thread") {
    const auto cache = std::make_unique<ladder::PlanCache<Plan>>();
    const std::vector<ladder::PlanKey> keys = drawn_keys(300);
    std::atomic<int> made = 0, wrong = 0;
    const auto ask_all = [&](size_t first) {
        for (size_t i = 0; i < keys.size(); ++i) {
            const ladder::PlanKey& key = keys[(first + i) % keys.size()];
            const Plan plan = cache->find_or(key, [&] { return ++made, Plan{.rows = key.M, .cols = key.N}; });
            wrong += plan.rows != key.M || plan.cols != key.N;
        }
    };
    ask_all(0);
    CHECK(made == 300);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 4; ++i) threads.emplace_back(ask_all, 70 * i);
    for (std::thread& thread : threads) thread.join();
    CHECK(made == 300);
    CHECK(wrong == 0);
}

TEST_CASE("a plan is what would be made anew, whatever was asked for before") {
    std::mt19937 random(11);
    const auto one_of = [&](std::initializer_list<int> values) { return values.begin()[random() % values.size()]; };
    alignas(16) static float memory[8];
    const auto begin = [&] { return memory + one_of({0, 0, 1}); };
    for (int i = 0; i < 1500; ++i) {
        solve_gemm_t call = solve_gemm_one();
        call.M = one_of({1, 200, 2050}), call.N = one_of({3, 64, 1023, 2048}), call.K = one_of({1, 4, 321, 2049});
        call.transpose_a = one_of({SOLVE_N, SOLVE_T}), call.transpose_b = one_of({SOLVE_N, SOLVE_T});
        const auto stride = [&](int length) { return one_of({length, length, (length + 3) / 4 * 4}); };
        call.lda = stride(call.transpose_a == SOLVE_T ? call.M : call.N);
        call.ldb = stride(call.transpose_b == SOLVE_T ? call.N : call.K);
        call.ldc = stride(call.K);
        call.A = begin(), call.B = begin(), call.C = begin();
        if (one_of({0, 0, 1})) {
            call.batch = one_of({3, 40});
            call.stride_a = int64_t{call.M} * call.N + one_of({0, 4, 1});
            call.stride_b = int64_t{call.N} * call.K + one_of({0, 4, 1});
            call.stride_c = call.M * call.ldc;
        }
        const auto& costs = ladder::costs_for(90);
        const Plan cached = plan_of(call, costs, kH100), made = make_plan(call, costs, kH100, true);
        CAPTURE(call.M, call.N, call.K, call.transpose_a, call.transpose_b, call.lda, call.ldb, call.ldc);
        const auto same = [](const Way& a, const Way& b) {
            return a.id == b.id && a.blocks == b.blocks && a.cycles == b.cycles;
        };
        CHECK(same(cached.whole, made.whole));
        CHECK((cached.rows == made.rows && cached.cols == made.cols));
        CHECK((same(cached.first, made.first) && same(cached.last, made.last)));
    }
}

TEST_CASE("more plans than the cache holds are made again, while threads look them up") {
    const auto cache = std::make_unique<ladder::PlanCache<Plan>>();
    const std::vector<ladder::PlanKey> keys = drawn_keys(3000);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (size_t first = 0; first < 4; ++first) {
        threads.emplace_back([&, first] {
            for (size_t i = first; i < keys.size(); ++i) {
                const int M = keys[i].M;
                wrong += cache->find_or(keys[i], [&] { return Plan{.rows = M}; }).rows != M;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("a plan that is cached for a vector whose numbers are neighbours is none for one with a stride") {
    solve_gemm_t call = solve_gemm_one();
    call.M = call.K = 1, call.N = 64, call.transpose_a = SOLVE_T, call.lda = 7, call.ldc = 1;
    const auto chosen_for = [&](int64_t ldb) {
        call.ldb = ldb;
        return plan_of(call, ladder::costs_for(90), kH100).whole.id;
    };
    CHECK(chosen_for(1) == WayId::vectors);
    CHECK(chosen_for(5) != WayId::vectors);  // of which 75 has no line along n
    CHECK(chosen_for(1) == WayId::vectors);
}
