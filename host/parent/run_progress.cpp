#include "parent/run_progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>
#include <variant>

#include "base/clean_text.h"
#include "base/output.h"

namespace judge {

namespace {

void write(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

ProgressKind kind_on(const Terminal& terminal, ProgressKind asked) {
    if (asked != ProgressKind::automatic && asked != ProgressKind::live) return asked;
    return terminal.movable ? ProgressKind::live : ProgressKind::lines;
}

}  // namespace

RunProgress::RunProgress(ProgressKind kind, std::vector<size_t> rows_of_plugins, TableStyle style)
    : rows_of_plugins_(std::move(rows_of_plugins)), style_(std::move(style)), terminal_(terminal_of(STDERR_FILENO)) {
    kind_ = kind_on(terminal_, kind);
    // The last column stays free: a terminal may go to the next line once it is written to.
    style_.width = static_cast<size_t>(std::max(terminal_.columns - 1, 0));
    style_.colour = false;
    state_.expected = std::accumulate(rows_of_plugins_.begin(), rows_of_plugins_.end(), size_t{0});
    if (kind_ == ProgressKind::live) before_complaints([this] { clear(); });
}

RunProgress::~RunProgress() {
    if (kind_ == ProgressKind::live) before_complaints({});
    clear();
}

void RunProgress::begin(size_t plugin, const std::string& name) {
    state_.passed =
        std::accumulate(rows_of_plugins_.begin(), rows_of_plugins_.begin() + static_cast<long>(plugin), size_t{0});
    prefix_ = fmt::format("[{}/{}] {}: ", plugin + 1, rows_of_plugins_.size(), cleaned(name, 100));
}

void RunProgress::hear(const Message& message) {
    if (const auto* phase = std::get_if<Phase>(&message)) {
        state_.doing = prefix_ + cleaned(phase->text, 200);
        state_.batches_ms.clear();
        draw(true);
    } else if (const auto* batch = std::get_if<BatchEnded>(&message); batch && !batch->of_baseline) {
        state_.batches_ms.push_back(1e3 * batch->seconds / std::max(batch->calls, 1));
        draw(false);
    }
}

void RunProgress::found(const std::vector<Row>& rows) {
    if (kind_ == ProgressKind::lines) write(line_of(rows.back()) + "\n");
    rows_ = rows;
    ++state_.passed;
    state_.batches_ms.clear();
    draw(true);
}

// Between batches at most four times a second: what is drawn takes some 0.3 ms of a core that the plugin may want.
void RunProgress::draw(bool soon) {
    if (kind_ != ProgressKind::live) return;
    const auto now = Clock::now();
    if (now - last_draw_ < std::chrono::milliseconds(soon ? 20 : 250)) return;
    last_draw_ = now;
    state_.seconds = std::chrono::duration<double>(now - start_).count();
    clear();
    const auto lines = live_view(rows_, state_, style_, static_cast<size_t>(std::max(terminal_.rows - 1, 2)));
    write(fmt::format("{}", fmt::join(lines, "\n")));
    drawn_ = lines.size();
}

void RunProgress::clear() {
    if (drawn_ == 0) return;
    write((drawn_ > 1 ? fmt::format("\r\033[{}A", drawn_ - 1) : "\r") + "\033[J");
    drawn_ = 0;
}

}  // namespace judge
