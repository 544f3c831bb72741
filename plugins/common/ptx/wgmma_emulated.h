// What wgmma.h, which includes this at its end, is on the CPU. For no other header.
#pragma once

#include <emulator/tensor_core.h>
#include <emulator/warp_operation.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace ladder {

inline SharedRows::SharedRows(const void* rows) : rows_(static_cast<const char*>(rows)) {
    if (reinterpret_cast<uintptr_t>(rows) % 1024 != 0) throw std::runtime_error("wgmma: rows at no multiple of 1024");
}

inline SharedRows SharedRows::at(int bytes) const {
    SharedRows result = *this;
    result.bytes_ += bytes;
    return result;
}

inline SharedRows SharedRows::uniform() const {
    return *this;
}

inline void AsyncProducts::begin() {
    begun_ = true;
}

template <Operands kOperands, int kWords>
inline void AsyncProducts::request(float (&d)[kWords], SharedRows a, SharedRows b, bool add) {
    namespace core = ::emulator::tensor_core;
    const auto perform_as = kOperands == Operands::fp16   ? perform<core::Half, kWords>
                            : kOperands == Operands::bf16 ? perform<core::Bfloat16, kWords>
                                                          : perform<core::Tf32, kWords>;
    add_product({perform_as, d, nullptr, a, b, add, group_}, kWords);
}

template <int kWords>
inline void AsyncProducts::request(float (&d)[kWords], const uint32_t (&a)[4], SharedRows b, bool add) {
    add_product({perform_from_registers<kWords>, d, a, b, b, add, group_}, kWords);
}

inline void AsyncProducts::add_product(const Product& product, int words) {
    if (!begun_) throw std::runtime_error("wgmma: no begin() since the last wait()");
    if (std::none_of(sums_.begin(), sums_.end(), [&](const Sum& sum) { return sum.d == product.d; })) {
        sums_.push_back({product.d, std::vector<float>(product.d, product.d + words)});
    }
    std::fill_n(product.d, words, std::numeric_limits<float>::quiet_NaN());
    products_.push_back(product);
}

inline void AsyncProducts::commit() {
    ++group_;
}

template <class Line, int kWords>
inline void AsyncProducts::add_lines(const Product& product, const Line& upper, const Line& lower, float* d) {
    for (int i = 0; i < kWords; i += 4) {
        for (int c = 0; c < 2; ++c) {
            const int column = 2 * i + threadIdx.x % 4 * 2 + c;
            const Line line(product.b.piece(column, 0), product.b.piece(column, 1));
            float &above = d[i + c], &below = d[i + 2 + c];
            above = add_products(upper, line, product.add ? above : 0.0f);
            below = add_products(lower, line, product.add ? below : 0.0f);
        }
    }
}

template <class Format, int kWords>
inline void AsyncProducts::perform(const Product& product, float* d) {
    using Line = ::emulator::tensor_core::Line<Format>;
    const int row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
    const auto line = [&](int row) { return Line(product.a.piece(row, 0), product.a.piece(row, 1)); };
    add_lines<Line, kWords>(product, line(row), line(row + 8), d);
}

template <int kWords>
inline void AsyncProducts::perform_from_registers(const Product& product, float* d) {
    using Line = ::emulator::tensor_core::Line<::emulator::tensor_core::Tf32>;
    struct Words {
        uint32_t word[4];
    } own;
    std::memcpy(own.word, product.in_registers, sizeof(own.word));
    ::emulator::warp_operation(own, {"wgmma", __FILE__, __LINE__}, [&](const auto& all) {
        // Of the row `half` the four lanes that have one have its columns t and t + 4.
        const auto line = [&](int half) {
            alignas(8) uint32_t row[8];
            for (int n = 0; n < 8; ++n) row[n] = all[threadIdx.x % 32 / 4 * 4 + n % 4].word[n / 4 * 2 + half];
            return Line(row, row + 4);
        };
        add_lines<Line, kWords>(product, line(0), line(1), d);
    });
}

template <int kNewest>
inline void AsyncProducts::wait() {
    begun_ = false;
    auto product = products_.begin();
    for (; product != products_.end() && product->group < group_ - kNewest; ++product) {
        const auto sum =
            std::find_if(sums_.begin(), sums_.end(), [&](const Sum& each) { return each.d == product->d; });
        product->perform(*product, sum->value.data());
    }
    products_.erase(products_.begin(), product);
    // A D of which nothing is to come any more is there.
    std::erase_if(sums_, [&](const Sum& sum) {
        for (const Product& each : products_) {
            if (each.d == sum.d) return false;
        }
        std::copy(sum.value.begin(), sum.value.end(), sum.d);
        return true;
    });
}

}  // namespace ladder
