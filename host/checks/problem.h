// One product to judge: its matrices in a device's memory, each between red zones, and what a call did to them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "abi/solve.h"
#include "checks/exact_product.h"
#include "checks/guarded_matrix.h"
#include "checks/judged_rows.h"
#include "checks/pattern.h"
#include "checks/row_errors.h"
#include "checks/verdict.h"
#include "device/device.h"
#include "values/comparison.h"
#include "values/data.h"
#include "values/effort.h"
#include "values/gemm_form.h"
#include "values/shape.h"

namespace judge {

// Judges what calls of a plugin make of one product.
class Problem {
  public:
    // Allocates the matrices and fills the inputs; every pointer is `misalignment` floats past a 256-byte boundary.
    // `effort` says how many elements are compared, and how often a call is repeated. With a form it is a batch of
    // products for solve_gemm: the matrices lie one behind the other, the operands as the form says.
    Problem(Device& device, const Shape& shape, uint64_t seed, int misalignment = 0, Data data = Data::uniform,
            Effort effort = Effort::normal, const std::optional<GemmForm>& form = {});

    // The inputs, A and B or A, B and C, and the output, C or E.
    const float* input(size_t i) const { return inputs_[i]->data(); }
    const float* A() const { return input(0); }
    const float* B() const { return input(1); }
    float* output() const { return output_->data(); }
    float* C() const { return output(); }
    const Shape& shape() const { return shape_; }
    const std::optional<GemmForm>& form() const { return form_; }
    uint64_t hash_of_output();
    void poison_output();
    bool is_plain() const { return !shape_.is_chain() && !form_; }  // what solve computes
    double flops() const { return products() * shape_.flops(); }
    double elements() const;  // of all matrices
    Data data() const { return data_; }

    // Poisons the output, makes the call, waits for it, and judges what it left: red zones, inputs, unwritten elements,
    // then every element against FP64 within the bound of `arithmetic`. `solve(A, B, C)`, or `solve(A, B, C, E)` for a
    // chain, returns CallErrors, or the text of the plugin's error. `truncated`: the plugin is known to truncate its
    // operands, see rho_bound.
    template <class Solve>
    Verdict judge(Solve solve, uint32_t arithmetic = SOLVE_ARITHMETIC_FP32, bool truncated = false) {
        rho_bound_ = bound_for(arithmetic, truncated);
        Verdict verdict = guarded_call(kPoison, solve);
        // The first suspicion of a C full of NaN: it was read. Then it comes out right from zeros, and again not from
        // NaN. A product that is zero everywhere shows nothing: the zeros may be those that were there.
        const bool suspect =
            shape_.N > 0 && verdict.written_late == 0 && (verdict.unwritten > 0 || verdict.comparison.nan > 0);
        if (suspect && guarded_call(0, solve).status == Status::ok &&
            device_.count_other(output(), output_->elements(), 0) > 0 &&
            guarded_call(kPoison, solve).status != Status::ok) {
            explain_reading(verdict);
        }
        return verdict;
    }

    // After judge() found C right: two more guarded calls, or one. Other bits are compared with FP64 as the first were:
    // a race that is rarely lost is wrong, one that only changes the order of a sum is not deterministic.
    template <class Solve>
    void repeat(Verdict& verdict, Solve solve) {
        judged_hash_ = hash_of_output();
        verdict.deterministic = true;
        const int calls = effort_ == Effort::quick ? 1 : 2;
        for (int i = 0; i < calls && verdict.status == Status::ok; ++i) {
            const Verdict again = guarded_call(kPoison, solve);
            if (again.status == Status::ok && again.comparison.compared == 0) continue;  // the same bits
            const bool right = again.status == Status::ok;
            verdict = again;
            verdict.deterministic = false;
            if (!right) verdict.message = "one of several equal calls, not all: " + verdict.message;
        }
        judged_hash_.reset();
    }

    // After judge() found elements of C that are wrong or not written: where they lie, and what that tells. Makes the
    // call once more, and then once as `again` makes it, since equal calls may differ. Of a batch the first product;
    // not for a chain.
    template <class Solve, class Again>
    WrongPlaces find_wrong_places(Solve solve, Again again) {
        const auto guarded = [&](auto& call) {
            before_call(kPoison);
            call();
            device_.finish_default_stream();
            for (const auto& matrix : inputs_) matrix->disarm();
            output_->disarm();
        };
        guarded(solve);
        JudgedRows judged = judged_rows();
        guarded(again);
        judged.again = read_rows(device_, C(), shape_.K, judged.rows);
        return find_pattern(judged, shape_);
    }

    // How far off a few rows of what the output holds are, beside a sequential FP32 sum's. Not for a chain.
    RowErrors row_errors() const;

    // Makes an exact product of these sizes, none of them above the problem's, in its memory, and the inputs anew
    // afterwards. Not for a chain.
    ExactFindings check_exact_product(const Shape& shape, const Multiply& multiply);

    // ||C - C64||_F / ||C64||_F of what the output holds, from 128 of its rows.
    double sampled_normwise() const;

    // Other inputs, in the same memory, and a poisoned output. After any number of calls, check_again() judges what the
    // output holds as judge() does, within the same bound, but compares 128 rows of it and checksums of the others. A
    // result that was computed from earlier inputs is wrong. The problem must have been judged.
    void refresh(uint64_t seed);
    // One element of each input gets another value, the same element until the next refresh(): what is remembered of
    // earlier inputs, or recognised by a sample of them, is wrong.
    void change_an_element();
    Verdict check_again(const CallErrors& errors = {});

  private:
    template <class Solve>
    Verdict guarded_call(uint32_t initial_bits, Solve solve) {
        before_call(initial_bits);
        CallErrors errors;
        if constexpr (std::is_invocable_v<Solve, const float*, const float*, const float*, float*>) {
            errors = solve(input(0), input(1), input(2), output());
        } else {
            errors = solve(input(0), input(1), output());
        }
        return after_call(initial_bits, errors);
    }

    double bound_for(uint32_t arithmetic, bool truncated) const;
    RandomMatrix random_input(size_t i) const;
    size_t changed_place(size_t i) const;  // of the element of input i that change_an_element() changes
    float changed_value(size_t i) const;
    size_t count_changed(size_t i) const;  // elements of input i that the plugin has changed
    void fill_inputs();
    size_t unwritten() const {
        return output_->elements() - device_.count_other(output(), output_->elements(), kPoison);
    }
    void before_call(uint32_t initial_bits, Access inputs = Access::read);
    Verdict after_call(uint32_t initial_bits, const CallErrors& errors, bool every_element = true);
    std::string written_outside() const;  // how many floats around which matrices; empty for none
    void judge_accesses(Verdict& verdict) const;
    std::string trespasses() const;      // what was accessed around which matrices; empty for nothing
    std::string changed_inputs() const;  // how many elements of which; empty for none
    std::string written_inputs() const;  // "A and B", of those that were written, whatever they hold now
    void explain_unwritten(Verdict& verdict, const CallErrors& errors) const;
    int64_t products() const { return form_ ? form_->batch : 1; }
    std::vector<const float*> plain_inputs(int64_t product) const;
    // Of one product; all of its rows if `rows` is empty.
    Comparison compare_rows(const std::vector<int>& rows, int64_t product = 0) const;
    Verdict compare(bool every_element) const;
    Verdict compare_product(bool every_element, int64_t product) const;
    JudgedRows judged_rows() const;
    const float* output_of(int64_t product) const { return output() + product * shape_.output_elements(); }
    static void explain_reading(Verdict& verdict);

    Device& device_;
    Shape shape_;
    uint64_t seed_;
    Data data_;
    Effort effort_;
    std::optional<GemmForm> form_;
    double rho_bound_ = 0;
    uint64_t elements_changed_ = 0;        // calls of change_an_element() since the inputs were filled
    std::optional<uint64_t> judged_hash_;  // in repeat(): of the output that was compared and right
    std::vector<std::unique_ptr<GuardedMatrix>> inputs_;
    std::unique_ptr<GuardedMatrix> output_;
    std::vector<std::unique_ptr<GuardedMatrix>> transposed_;  // room for an input of one product, where it lies so
};

}  // namespace judge
