#include "checks/judged_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "values/comparison.h"
#include "values/wrong_places.h"

namespace judge {

namespace {

// Up to eight wrong elements, and the first and the last 64 of the products that each is the sum of.
void add_samples(Device& device, const float* A, const float* B, const Shape& shape, JudgedRows& judged) {
    constexpr size_t kMost = 8;
    constexpr int kTerms = 64;
    std::vector<size_t> wrong;
    for (size_t at = 0; at < judged.got.size(); ++at) {
        if (judged.is_wrong(at)) wrong.push_back(at);
    }
    const int count = std::min(shape.N, kTerms);
    std::vector<float> a_row(shape.N), b_rows(size_t(count) * shape.K);
    const auto terms_of = [&](size_t at, int first) {
        std::vector<double> terms;
        for (int i = 0; i < count; ++i) {
            terms.push_back(double(a_row[first + i]) * b_rows[size_t(i) * shape.K + at % judged.columns]);
        }
        return terms;
    };
    for (size_t i = 0; i < std::min(kMost, wrong.size()); ++i) {
        judged.samples.push_back({wrong[i * wrong.size() / std::min(kMost, wrong.size())], {}, {}});
    }
    if (shape.N == 0) return;
    for (const bool last : {false, true}) {
        const int first = last ? shape.N - count : 0;
        device.read(b_rows.data(), B + int64_t{first} * shape.K, b_rows.size());
        for (JudgedRows::Sample& sample : judged.samples) {
            const int64_t row = judged.rows[sample.at / judged.columns];
            device.read(a_row.data(), A + row * shape.N, a_row.size());
            (last ? sample.last_terms : sample.first_terms) = terms_of(sample.at, first);
            if (last) std::reverse(sample.last_terms.begin(), sample.last_terms.end());
        }
    }
}

}  // namespace

bool JudgedRows::is_wrong(size_t at) const {
    return !(std::abs(double(got[at]) - want[at]) <= bound[at]);  // true for NaN
}

std::vector<int> rows_to_look_at(int M, int64_t most) {
    std::vector<int> rows;
    if (most >= M) {
        rows.resize(M);
        std::iota(rows.begin(), rows.end(), 0);
        return rows;
    }
    const int line = (M - 1) / kMapLines + 1, each = int(std::max<int64_t>(most / (kMapLines + 1), 1));
    std::set<int> chosen;
    for (int first = 0; first < M; first += line) {
        for (int i = 0; i < std::min(each, line) && first + i < M; ++i) chosen.insert(first + i);
    }
    for (int i = 0; i < each; ++i) chosen.insert(M - 1 - i);
    return {chosen.begin(), chosen.end()};
}

std::vector<float> read_rows(Device& device, const float* matrix, int columns, const std::vector<int>& rows) {
    std::vector<float> values(rows.size() * size_t(columns));
    for (size_t i = 0; i < rows.size();) {
        size_t end = i + 1;  // of neighbours, which are read at once
        while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
        device.read(&values[i * size_t(columns)], matrix + int64_t{rows[i]} * columns, (end - i) * size_t(columns));
        i = end;
    }
    return values;
}

JudgedRows judge_rows(Device& device, const float* A, const float* B, const float* C, const Shape& shape,
                      double rho_bound) {
    JudgedRows judged;
    if (shape.output_elements() == 0) return judged;
    constexpr double kMostElements = 1 << 24;  // 24 bytes each here, 20 on a GPU
    const double per_row = double(shape.K) * std::max(shape.N, 1);
    const double most = std::min(device.reference().comparison_budget() / 8 / per_row, kMostElements / shape.K);
    judged.rows = rows_to_look_at(shape.M, static_cast<int64_t>(std::max(most, 1.0)));
    judged.columns = shape.K;
    judged.got = read_rows(device, C, shape.K, judged.rows);
    RowSums sums = device.reference().row_sums(A, B, shape, judged.rows);
    judged.want = std::move(sums.exact);
    judged.bound = std::move(sums.magnitude);
    for (double& bound : judged.bound) bound *= rho_bound * kUnitRoundoff;
    add_samples(device, A, B, shape, judged);
    return judged;
}

}  // namespace judge
