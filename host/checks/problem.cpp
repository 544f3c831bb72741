#include "checks/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "base/counted.h"
#include "checks/bound.h"
#include "checks/sampling.h"

namespace judge {

namespace {

// "3 floats around A, 1 float around C", one after the other; `matrix` counts A, B, C and a chain's E.
void append_count(std::string& text, size_t number, const char* what, const char* where, size_t matrix) {
    if (number == 0) return;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", counted(number, what), where, "ABCE"[matrix]);
}

}  // namespace

Problem::Problem(Device& device, const Shape& shape, uint64_t seed, int misalignment, Data data, Effort effort,
                 const std::optional<GemmForm>& form)
    : device_(device), shape_(shape), seed_(seed), data_(data), effort_(effort), form_(form) {
    std::vector<int64_t> sizes = {shape.a_elements(), shape.b_elements()};
    if (shape.is_chain()) sizes.push_back(shape.c_elements());
    for (const int64_t elements : sizes) {
        const bool transposed = form && (inputs_.empty() ? form->transpose_a : form->transpose_b);
        inputs_.push_back(std::make_unique<GuardedMatrix>(device, products() * elements, misalignment));
        transposed_.push_back(transposed ? std::make_unique<GuardedMatrix>(device, elements, 0) : nullptr);
    }
    output_ = std::make_unique<GuardedMatrix>(device, products() * shape.output_elements(), misalignment);
    fill_inputs();
}

void Problem::fill_inputs() {
    elements_changed_ = 0;
    for (const auto& matrix : inputs_) matrix->disarm();
    for (size_t i = 0; i < inputs_.size(); ++i) {
        device_.fill_random(inputs_[i]->data(), inputs_[i]->elements(), random_input(i));
    }
}

void Problem::refresh(uint64_t seed) {
    seed_ = seed;
    output_->disarm();
    fill_inputs();
    before_call(kPoison, Access::any);
}

void Problem::change_an_element() {
    ++elements_changed_;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        if (inputs_[i]->elements() == 0) continue;
        device_.fill(inputs_[i]->data() + changed_place(i), 1, std::bit_cast<uint32_t>(changed_value(i)));
    }
}

size_t Problem::changed_place(size_t i) const {
    return random_bits(random_input(i).seed, 1) % inputs_[i]->elements();
}

// A number of the same distribution that is not in the matrix.
float Problem::changed_value(size_t i) const {
    return element(random_input(i), inputs_[i]->elements() + elements_changed_);
}

Verdict Problem::check_again(const CallErrors& errors) {
    return after_call(kPoison, errors, false);
}

RandomMatrix Problem::random_input(size_t i) const {
    const uint64_t seed = seed_ ^ (i * 0x5851f42d4c957f2dull);
    if (i == 0) return random_a(seed, data_, shape_.N);
    // Of a chain's matrices two may be uneven: 2^-50 to 2^50 three times is more than FP32 has.
    const bool is_middle = shape_.is_chain() && i == 1;
    return random_b(seed, is_middle && data_ == Data::uneven ? Data::normal : data_, i == 1 ? shape_.K : shape_.L);
}

uint64_t Problem::hash_of_output() {
    return device_.hash(output(), output_->elements());
}

void Problem::poison_output() {
    device_.fill(output(), output_->elements(), kPoison);
}

double Problem::bound_for(uint32_t arithmetic, bool truncated) const {
    return shape_.is_chain() ? chain_rho_bound(shape_.N, shape_.K, arithmetic, data_, truncated)
                             : judge::rho_bound(shape_.N, arithmetic, data_, truncated);
}

void Problem::before_call(uint32_t initial_bits, Access inputs) {
    device_.fill(output(), output_->elements(), initial_bits);
    device_.synchronize();
    for (const auto& matrix : inputs_) matrix->arm(inputs);
    output_->arm();
}

Verdict Problem::after_call(uint32_t initial_bits, const CallErrors& errors, bool every_element) {
    Verdict verdict;
    verdict.rho_bound = rho_bound_;
    // First of all: a thread, or a stream that the default stream does not wait for, may still be writing.
    device_.finish_default_stream();
    if (initial_bits == kPoison) verdict.unwritten = unwritten();
    device_.synchronize();
    for (const auto& matrix : inputs_) matrix->disarm();
    output_->disarm();

    if (const std::string outside = written_outside(); !outside.empty()) {
        verdict.status = Status::out_of_bounds;
        verdict.message = "wrote outside the matrices: " + outside;
    } else if (const std::string changed = changed_inputs(); !changed.empty()) {
        verdict.status = Status::input_modified;
        verdict.message = "changed its inputs: " + changed;
    } else if (verdict.unwritten > 0) {
        explain_unwritten(verdict, errors);
    } else {
        const bool known = judged_hash_ && *judged_hash_ == hash_of_output();
        Verdict compared = known ? Verdict{} : compare(every_element);
        verdict.status = compared.status;
        verdict.message = compared.message;
        verdict.comparison = compared.comparison;
        verdict.sampled = compared.sampled;
        judge_accesses(verdict);
        if (verdict.status != Status::ok) {
            verdict.message += explain(errors);
        } else if (!errors.plugin.empty()) {
            // A launch alone may fail where the plugin then takes another way.
            verdict.status = Status::suspicious;
            verdict.message = "C is right, but the plugin says: " + errors.plugin;
        }
    }
    return verdict;
}

std::string Problem::written_outside() const {
    std::string text;
    for (size_t i = 0; i < inputs_.size(); ++i) append_count(text, inputs_[i]->damage(), "float", "around", i);
    append_count(text, output_->damage(), "float", "around", inputs_.size());
    if (!text.empty()) return text;
    const bool far_away =
        output_->was_written_outside() ||
        std::any_of(inputs_.begin(), inputs_.end(), [](const auto& in) { return in->was_written_outside(); });
    return far_away ? trespasses() : text;
}

// Of a C that is right; one that is wrong is rather that.
void Problem::judge_accesses(Verdict& verdict) const {
    const std::string outside = trespasses(), written = written_inputs();
    if (!outside.empty()) {
        const bool right = verdict.status == Status::ok;
        if (right) verdict.status = Status::out_of_bounds;
        verdict.message += fmt::format("{}{}", right ? "C is right, but it " : "; it ", outside);
    } else if (verdict.status == Status::ok && !written.empty()) {
        verdict.status = Status::input_modified;
        verdict.message = fmt::format("C is right, but it wrote to {}, and put back what was there", written);
    }
}

std::string Problem::trespasses() const {
    std::string text;
    const auto append = [&](const GuardedMatrix& matrix, size_t i) {
        if (matrix.trespass().empty()) return;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", matrix.trespass(), "ABCE"[i]);
    };
    for (size_t i = 0; i < inputs_.size(); ++i) append(*inputs_[i], i);
    append(*output_, inputs_.size());
    return text;
}

std::string Problem::written_inputs() const {
    std::string text;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        if (inputs_[i]->misused()) text += fmt::format("{}{}", text.empty() ? "" : " and ", "ABC"[i]);
    }
    return text;
}

std::string Problem::changed_inputs() const {
    std::string text;
    for (size_t i = 0; i < inputs_.size(); ++i) append_count(text, count_changed(i), "element", "of", i);
    return text;
}

size_t Problem::count_changed(size_t i) const {
    const GuardedMatrix& matrix = *inputs_[i];
    const size_t others = device_.count_changed(matrix.data(), matrix.elements(), random_input(i));
    if (elements_changed_ == 0 || matrix.elements() == 0) return others;
    const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
    float now = 0;
    device_.read(&now, matrix.data() + changed_place(i), 1);
    const bool counted = bits(now) != bits(element(random_input(i), changed_place(i)));
    return others - counted + (bits(now) != bits(changed_value(i)));
}

// Looks once more 0.1 s later, for work that goes on after the call.
void Problem::explain_unwritten(Verdict& verdict, const CallErrors& errors) const {
    verdict.status = Status::not_written;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    verdict.written_late = verdict.unwritten - std::min<uint64_t>(unwritten(), verdict.unwritten);
    std::string cause = explain(errors);
    if (cause.empty() && verdict.written_late > 0) {
        cause = fmt::format(
            "; {} of them {} written a moment later: by a thread, or on a stream that the default stream does not wait "
            "for",
            verdict.written_late, verdict.written_late == 1 ? "was" : "were");
    } else if (cause.empty() && !errors.launch && verdict.unwritten == output_->elements()) {
        cause = "; did its launch fail? (without CUPTI, a plugin's launch errors are not visible from outside)";
    }
    verdict.message = fmt::format("{} of {} of {} not written{}", verdict.unwritten,
                                  counted(output_->elements(), "element"), shape_.is_chain() ? 'E' : 'C', cause);
}

JudgedRows Problem::judged_rows() const {
    const std::vector<const float*> in = plain_inputs(0);
    return judge_rows(device_, in[0], in[1], C(), shape_, rho_bound_);
}

RowErrors Problem::row_errors() const {
    return judge::row_errors(device_, A(), B(), C(), shape_, data_, seed_);
}

ExactFindings Problem::check_exact_product(const Shape& shape, const Multiply& multiply) {
    const ExactFindings found = judge::check_exact_product(device_, inputs_[0]->data(), inputs_[1]->data(), output(),
                                                           shape, mix(~seed_), multiply);
    fill_inputs();
    return found;
}

double Problem::sampled_normwise() const {
    return compare_rows(sample_rows(shape_.M, seed_)).normwise();
}

double Problem::elements() const {
    double sum = output_->elements();
    for (const auto& input : inputs_) sum += input->elements();
    return sum;
}

// The inputs of a product as they are used, whatever way they lie in memory.
std::vector<const float*> Problem::plain_inputs(int64_t product) const {
    const int64_t sizes[] = {shape_.a_elements(), shape_.b_elements(), shape_.c_elements()};
    const int lengths[] = {shape_.M, shape_.N, shape_.K};
    std::vector<const float*> inputs;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        inputs.push_back(input(i) + product * sizes[i]);
        if (!transposed_[i]) continue;
        device_.transpose(transposed_[i]->data(), inputs[i], lengths[i + 1], lengths[i]);
        inputs[i] = transposed_[i]->data();
    }
    return inputs;
}

Comparison Problem::compare_rows(const std::vector<int>& rows, int64_t product) const {
    Reference& reference = device_.reference();
    const auto in = plain_inputs(product);
    return shape_.is_chain() ? reference.compare_chain(in[0], in[1], in[2], output(), shape_, rho_bound_, rows)
                             : reference.compare(in[0], in[1], output_of(product), shape_, rho_bound_, rows);
}

// Of many products, when not every element counts, 32 that are drawn anew each time. (Each of them has all its elements
// written.)
Verdict Problem::compare(bool every_element) const {
    constexpr int64_t kMost = 32;
    const int64_t count = every_element ? products() : std::min(products(), kMost);
    std::mt19937_64 random(seed_);
    Verdict all;
    for (int64_t i = 0; i < count && all.status == Status::ok; ++i) {
        const int64_t product = count == products() ? i : static_cast<int64_t>(random() % uint64_t(products()));
        const Verdict one = compare_product(every_element, product);
        all.status = one.status;
        if (!one.message.empty() && products() > 1) all.message = fmt::format("product {}: ", product);
        all.message += one.message;
        all.comparison = merge(all.comparison, one.comparison);
        all.sampled |= one.sampled || count < products();
    }
    return all;
}

Verdict Problem::compare_product(bool every_element, int64_t product) const {
    Verdict verdict;
    // Of the FP64 product, row by row: a chain's is (A B) C.
    const double work =
        double(shape_.M) * shape_.K * (double(shape_.N) + (shape_.is_chain() ? shape_.L : 0)) * double(products());
    const double budget = device_.reference().comparison_budget() / (effort_ == Effort::quick ? 100 : 1);
    verdict.sampled = !every_element || work > budget;
    const std::vector<int> rows = verdict.sampled ? sample_rows(shape_.M, seed_) : std::vector<int>{};
    verdict.comparison = compare_rows(rows, product);
    if (!verdict.comparison.right()) {
        verdict.status = Status::wrong;
        verdict.message = explain(verdict.comparison);
        return verdict;
    }
    if (!verdict.sampled || verdict.comparison.compared == 0) return verdict;

    const double rms_rho = std::sqrt(verdict.comparison.rho_sum_of_squares / double(verdict.comparison.compared));
    const RandomMatrix last = random_input(inputs_.size() - 1);
    const auto column_power = [&](int j) { return line_power(last, j); };
    std::vector<int> bad = freivalds(device_.reference(), plain_inputs(product), output_of(product), shape_, rms_rho,
                                     seed_, std::max(1.0, spread(data_) / spread(Data::wide)), column_power);
    if (bad.empty()) return verdict;
    // The checksum says which rows; compare those in full to say what is wrong with them.
    const size_t suspects = bad.size();
    bad.resize(std::min<size_t>(bad.size(), 128));
    verdict.comparison = merge(verdict.comparison, compare_rows(bad, product));
    const bool located = !verdict.comparison.right();
    verdict.status = located ? Status::wrong : Status::suspicious;
    verdict.message = fmt::format("the checksum of {} of {} is off; {}", suspects, counted(shape_.M, "row"),
                                  located ? explain(verdict.comparison) : "each of their elements is within its bound");
    return verdict;
}

void Problem::explain_reading(Verdict& verdict) {
    verdict.status = Status::wrong;
    verdict.message =
        "reads C: right if C holds zeros before the call, not if it holds NaN. C = A * B, neither C += A * B nor "
        "C = 0 * C + A * B";
}

}  // namespace judge
