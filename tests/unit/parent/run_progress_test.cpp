#include "host/parent/run_progress.h"

#include <unistd.h>

#include "host/base/output.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

Row row_of(const std::string& plugin) {
    Row row;
    row.plugin = plugin;
    row.shape = "8x8x8";
    row.status = Status::ok;
    row.precision = "FP32";
    return row;
}

// What is said of a run of two plugins, on stderr that is no terminal.
std::string said(ProgressKind kind) {
    return printed_to(STDERR_FILENO, [&] {
        RunProgress progress(kind, {1, 1}, {});
        std::vector<Row> rows;
        for (const char* plugin : {"a", "b"}) {
            progress.begin(rows.size(), plugin);
            progress.hear(Phase{Activity::timing, "timing 8x8x8"});
            progress.hear(BatchEnded{0.02, false, 10});
            rows.push_back(row_of(plugin));
            progress.found(rows);
        }
        complain("something");
    });
}

}  // namespace

TEST_CASE("where there is no terminal each row is a line, in the order in which they are found") {
    const std::string lines = "✓ a (cpu) at 8x8x8: ok, FP32\n✓ b (cpu) at 8x8x8: ok, FP32\ncompare: something\n";
    CHECK(said(ProgressKind::automatic) == lines);
    CHECK(said(ProgressKind::lines) == lines);
    CHECK(said(ProgressKind::live) == lines);
}

TEST_CASE("none says nothing of a run, and complaints all the same") {
    CHECK(said(ProgressKind::none) == "compare: something\n");
}
