// solve_gemm of every plugin that exports it.
#include "host/checks/gemm_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "host/checks/graph_check.h"
#include "plugins.h"

using namespace test;

namespace {

template <class Body>
void for_each_full_gemm(Body body) {
    int found = 0;
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (!plugin.solve_gemm) return;
        ++found;
        CHECK(candidate.full_gemm);
        body(plugin, device);
    });
    CHECK(found > 0);
}

// The same for those whose turn it is (see has_its_turn): 90_dispatch, which calls the kernels of the others, is one.
template <class Body>
void for_each_full_gemm_in_turn(Body body) {
    size_t number = 0;
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (plugin.solve_gemm && has_its_turn(candidate.target, ++number, 5)) body(plugin, device);
    });
}

// A call that the plugins here can do, of 8 x 8 matrices in that memory; the fields that differ are set afterwards.
solve_gemm_t call_in(const Matrix& memory) {
    solve_gemm_t call = solve_gemm_one();
    call.M = call.N = call.K = 8;
    call.lda = call.ldb = call.ldc = 8;
    call.A = memory.data(), call.B = memory.data() + 64, call.C = memory.data() + 128;
    return call;
}

// Whether the plugin does calls of this form at all: SOLVE_UNSUPPORTED is an answer.
bool does(const Plugin& plugin, Device& device, const GemmForm& form) {
    const Matrix A(device, random_values(64 * 64, 1)), B(device, random_values(64 * 64, 2)),
        C(device, random_values(64 * 64, 3));
    const solve_gemm_t call = dense_call(form, {64, 64, 64}, A.data(), B.data(), C.data());
    return plugin.solve_gemm(&call) != SOLVE_UNSUPPORTED;
}

}  // namespace

TEST_CASE("every solve_gemm passes what the judge asks of it", "[larger]") {
    for_each_full_gemm_in_turn([](const Plugin& plugin, Device& device) { CHECK(check_gemm(plugin, device) == ""); });
}

TEST_CASE("every solve_gemm on a GPU can be captured in each mode, and its graphs leave what its calls leave") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) {
        for (const std::string& form : form_names()) {
            INFO(form);
            if (!does(plugin, device, parse_form(form))) continue;
            const GraphFindings found = check_graphs_of_gemm(
                plugin.solve_gemm, parse_form(form), [&] { return plugin.last_error(); }, device);
            CHECK(found.not_captured == "");
            CHECK(found.wrong == "");
        }
    });
}

TEST_CASE("every solve_gemm computes what solve_enqueue does, to the bit, where that can") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) {
        if (!plugin.solve_enqueue) return;
        const Matrix A(device, random_values(100 * 70, 1)), B(device, random_values(70 * 90, 2));
        const Matrix one(device, random_values(100 * 90, 3)), other(device, random_values(100 * 90, 3));
        CHECK(plugin.solve_enqueue(A.data(), 70, B.data(), 90, one.data(), 90, 100, 70, 90, 2, 0.5f, nullptr) ==
              SOLVE_OK);
        solve_gemm_t call = dense_call({}, {100, 70, 90}, A.data(), B.data(), other.data());
        call.alpha = 2, call.beta = 0.5f;
        CHECK(plugin.solve_gemm(&call) == SOLVE_OK);
        CHECK(same_bits(one.values(), other.values()));
    });
}

TEST_CASE("every solve_gemm knows its own struct from older and newer ones, and one with a use for `reserved`") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) {
        const std::vector<float> before(192, 1.0f);
        const Matrix memory(device, before);
        struct Newer {
            solve_gemm_t known;
            uint64_t further;
        } newer{call_in(memory), 1};
        newer.known.size = sizeof(newer);
        CHECK(plugin.solve_gemm(&newer.known) == SOLVE_UNSUPPORTED);
        CHECK(plugin.last_error() != "");
        CHECK(same_bits(memory.values(), before));
        newer.further = 0, newer.known.reserved = 1;
        CHECK(plugin.solve_gemm(&newer.known) == SOLVE_UNSUPPORTED);
        CHECK(same_bits(memory.values(), before));
        newer.known.reserved = 0;
        CHECK(plugin.solve_gemm(&newer.known) == SOLVE_OK);
        CHECK(memory.values()[128] == 8);
        CHECK(plugin.solve_gemm(nullptr) == SOLVE_INVALID_ARGUMENT);
    });
}

TEST_CASE("every solve_gemm refuses an accuracy that it has not, and no call of nothing") {
    for_each_full_gemm([](const Plugin& plugin, Device& device) {
        const std::vector<float> before(192, 1.0f);
        const Matrix memory(device, before);
        solve_gemm_t call = call_in(memory);
        call.accuracy = SOLVE_ARITHMETIC_FP32;
        const bool exact = plugin.arithmetic() == SOLVE_ARITHMETIC_FP32;
        CHECK(plugin.solve_gemm(&call) == (exact ? SOLVE_OK : SOLVE_UNSUPPORTED));
        CHECK(same_bits(memory.values(), before) == !exact);
        call = solve_gemm_one();
        CHECK(plugin.solve_gemm(&call) == SOLVE_OK);  // M, N and K are 0
        call.M = call.N = call.K = 8;
        call.lda = call.ldb = call.ldc = 8;
        call.batch = 0;
        CHECK(plugin.solve_gemm(&call) == SOLVE_OK);  // no products, and no pointers
    });
}

namespace {

constexpr const char* kVariable = "SGEMM_LADDER_ACCURACY";

// Of 90_dispatch: a product for which 85 is expected to be faster, also on the emulator's few SMs, and one that is too
// small for that.
class ForAccuracy {
  public:
    ForAccuracy(const Plugin& plugin, Device& device, bool is_large = true)
        : device_(device),
          is_emulated_(plugin.info()->flags & SOLVE_FLAG_EMULATED),
          size_(!is_large      ? 64
                : is_emulated_ ? 256
                               : 1024),
          N_(is_large ? (is_emulated_ ? 512 : 1024) : 64),
          a_(random_values(size_t(size_) * N_, 1)),
          b_(random_values(size_t(N_) * size_, 2)),
          A_(device, a_),
          B_(device, b_) {}

    bool has_85() const { return is_emulated_ || device_.compute_capability() == 90; }

    // C of a call with that field, where its code is `code`; else one element.
    std::vector<float> by_gemm(const Plugin& plugin, uint32_t accuracy, int code = SOLVE_OK) const {
        const Matrix C(device_, std::vector<float>(size_t(size_) * size_, kBefore));
        solve_gemm_t call = dense_call({}, {size_, N_, size_}, A_.data(), B_.data(), C.data());
        call.accuracy = accuracy;
        CHECK(plugin.solve_gemm(&call) == code);
        return C.values();
    }
    std::vector<float> by_enqueue(const Plugin& plugin, int code = SOLVE_OK) const {
        const Matrix C(device_, std::vector<float>(size_t(size_) * size_, kBefore));
        CHECK(plugin.solve_enqueue(A_.data(), N_, B_.data(), size_, C.data(), size_, size_, N_, size_, 1, 0, nullptr) ==
              code);
        return C.values();
    }
    std::vector<float> by_solve(const Plugin& plugin) const {
        const Matrix C(device_, std::vector<float>(size_t(size_) * size_, kBefore));
        plugin.solve(A_.data(), B_.data(), C.data(), size_, N_, size_);
        return C.values();
    }
    // The call that by_gemm makes, into C on a stream.
    solve_gemm_t call_into(const Matrix& C, uint32_t accuracy, void* stream) const {
        solve_gemm_t call = dense_call({}, {size_, N_, size_}, A_.data(), B_.data(), C.data());
        call.accuracy = accuracy, call.stream = stream;
        return call;
    }
    Matrix matrix_for_c() const { return {device_, std::vector<float>(size_t(size_) * size_, kBefore)}; }

    // Every other term's factors become 2^-30 and 2^30 times as large: FP16 has not the range.
    void make_wild() {
        for (size_t i = 0; i < a_.size(); i += 2) a_[i] *= 0x1p-30f;
        for (size_t i = 0; i < b_.size(); ++i) b_[i] *= i / size_ % 2 == 0 ? 0x1p30f : 1.0f;
        device_.write(A_.data(), a_.data(), a_.size());
        device_.write(B_.data(), b_.data(), b_.size());
        device_.synchronize();
    }

    bool is_untouched(const std::vector<float>& C) const { return same_bits(C, std::vector<float>(C.size(), kBefore)); }

    // The largest error of two rows, over u |A||B|.
    double rho(const std::vector<float>& C) const {
        double largest = 0;
        for (const int i : {0, size_ - 1}) {
            for (int k = 0; k < size_; ++k) {
                double sum = 0, magnitude = 0;
                for (int n = 0; n < N_; ++n) {
                    const double product = double(a_[size_t(i) * N_ + n]) * b_[size_t(n) * size_ + k];
                    sum += product, magnitude += std::abs(product);
                }
                largest = std::max(largest, std::abs(C[size_t(i) * size_ + k] - sum) / (0x1p-24 * magnitude));
            }
        }
        return largest;
    }

  private:
    static constexpr float kBefore = 7;
    Device& device_;
    const bool is_emulated_;
    const int size_, N_;
    std::vector<float> a_, b_;
    const Matrix A_, B_;
};

template <class Body>
void for_90_dispatch(Body body) {
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (candidate.name == "90_dispatch") body(candidate, plugin, device);
    });
}

// The library again, with variables of its own, which reads that value from the environment.
const Plugin& load_again(const Candidate& candidate, const char* value) {
    const auto copy = std::filesystem::temp_directory_path() / fmt::format("90_dispatch_{}_{}.so", value, getpid());
    std::filesystem::copy_file(candidate.path, copy);
    REQUIRE(setenv(kVariable, value, 1) == 0);
    static std::vector<std::unique_ptr<Plugin>> loaded;  // till the end, as load() does
    const Plugin& plugin = *loaded.emplace_back(std::make_unique<Plugin>(copy));
    plugin.solve(nullptr, nullptr, nullptr, 0, 0, 0);
    unsetenv(kVariable);
    std::filesystem::remove(copy);
    return plugin;
}

}  // namespace

TEST_CASE("90_dispatch computes in FP32 unless a call will have what is as accurate") {
    for_90_dispatch([](const Candidate& candidate, const Plugin& plugin, Device& device) {
        const ForAccuracy product(plugin, device);
        const std::vector<float> strict = product.by_gemm(plugin, 0);
        CHECK(plugin.arithmetic() == SOLVE_ARITHMETIC_FP32);
        CHECK(same_bits(product.by_gemm(plugin, SOLVE_ARITHMETIC_FP32), strict));
        const std::vector<float> other = product.by_gemm(plugin, SOLVE_ARITHMETIC_FP32_EMULATED);
        CHECK(same_bits(other, strict) == !product.has_85());
        CHECK(product.rho(other) <= 2 * product.rho(strict));  // of two rows: sums of another order scatter so
        CHECK(product.rho(strict) < 10);

        const Plugin& asked = load_again(candidate, "fp32-accurate");
        CHECK(asked.arithmetic() == SOLVE_ARITHMETIC_FP32_EMULATED);
        CHECK(same_bits(product.by_solve(asked), other));
        CHECK(same_bits(product.by_gemm(asked, SOLVE_ARITHMETIC_FP32), strict));

        const ForAccuracy small(plugin, device, false);
        CHECK(same_bits(small.by_gemm(plugin, SOLVE_ARITHMETIC_BF16), small.by_gemm(plugin, 0)));
        CHECK(same_bits(small.by_enqueue(asked), small.by_enqueue(plugin)));
    });
}

// Where there are graphs, one that was captured with tame numbers; else the same call again.
TEST_CASE("90_dispatch is as accurate as FP32 where numbers have become wild since its work was enqueued") {
    for_90_dispatch([](const Candidate&, const Plugin& plugin, Device& device) {
        ForAccuracy product(plugin, device);
        if (!product.has_85()) return;
        void* const stream = device.has_graphs() ? device.create_stream() : nullptr;
        const Matrix C = product.matrix_for_c();
        const solve_gemm_t call = product.call_into(C, SOLVE_ARITHMETIC_FP32_EMULATED, stream);
        Captured captured;
        if (device.has_graphs()) {
            int code = SOLVE_OK;
            captured = device.capture(stream, CaptureMode::global, [&] { code = plugin.solve_gemm(&call); });
            INFO(captured.problem << plugin.last_error());
            REQUIRE((code == SOLVE_OK && captured.graph != nullptr));
        }
        const auto replayed = [&] {
            if (captured.graph) captured.graph->replay(stream);
            if (!captured.graph) CHECK(plugin.solve_gemm(&call) == SOLVE_OK);
            return C.values();
        };
        const std::vector<float> tame = replayed();
        if (captured.graph) CHECK(same_bits(tame, product.by_gemm(plugin, SOLVE_ARITHMETIC_FP32_EMULATED)));
        product.make_wild();
        const std::vector<float> wild = replayed();
        CHECK(product.rho(wild) <= product.rho(product.by_gemm(plugin, SOLVE_ARITHMETIC_FP32)));
        captured.graph.reset();
        if (stream) device.destroy_stream(stream);
    });
}

TEST_CASE("90_dispatch says so where the environment asks for an accuracy that is none, and writes nothing") {
    for_90_dispatch([](const Candidate& candidate, const Plugin& plugin, Device& device) {
        const Plugin& asked = load_again(candidate, "quick");
        const ForAccuracy product(plugin, device, false);
        const std::string expected = "SGEMM_LADDER_ACCURACY=quick: expected strict or fp32-accurate";
        CHECK(product.is_untouched(product.by_gemm(asked, 0, SOLVE_INVALID_ARGUMENT)));
        CHECK(asked.last_error() == expected);
        CHECK(product.is_untouched(product.by_enqueue(asked, SOLVE_INVALID_ARGUMENT)));
        CHECK(asked.last_error() == expected);
        CHECK(product.is_untouched(product.by_solve(asked)));
        CHECK(asked.last_error() == expected);
        CHECK(same_bits(product.by_gemm(asked, SOLVE_ARITHMETIC_FP32), product.by_gemm(plugin, 0)));
        CHECK(asked.last_error() == "");
    });
}
