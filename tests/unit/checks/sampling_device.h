// A device on which few products are small enough to be compared in full.
#pragma once

#include <vector>

#include "tests/unit/host_in_disguise.h"

namespace unit {

// Host memory, on which comparing every element always takes too long.
class SamplingDevice final : public HostInDisguise, private judge::Reference {
  public:
    judge::Reference& reference() override { return *this; }

    double budget = 1;
    std::vector<std::vector<int>> compared_rows;

  private:
    judge::Comparison compare(const float* A, const float* B, const float* C, const judge::Shape& shape,
                              double rho_bound, const std::vector<int>& rows) override {
        compared_rows.push_back(rows);
        return HostInDisguise::reference().compare(A, B, C, shape, rho_bound, rows);
    }
    judge::Comparison compare_chain(const float* A, const float* B, const float* C, const float* E,
                                    const judge::Shape& shape, double rho_bound,
                                    const std::vector<int>& rows) override {
        compared_rows.push_back(rows);
        return HostInDisguise::reference().compare_chain(A, B, C, E, shape, rho_bound, rows);
    }
    judge::RowSums row_sums(const float* A, const float* B, const judge::Shape& shape,
                            const std::vector<int>& rows) override {
        return HostInDisguise::reference().row_sums(A, B, shape, rows);
    }
    std::vector<double> multiply(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                 bool absolute) override {
        return HostInDisguise::reference().multiply(matrix, rows, cols, x, absolute);
    }
    double comparison_budget() const override { return budget; }
};

}  // namespace unit
