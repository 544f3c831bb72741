// solve_enqueue of every plugin that exports it, in CUDA graphs: those on a GPU, since elsewhere there are none.
#include "host/checks/graph_check.h"
#include "plugins.h"

using namespace test;

TEST_CASE("every solve_enqueue on a GPU can be captured in each mode, and its graphs leave what its calls leave") {
    for_each_plugin([&](const Candidate&, const Plugin& plugin, Device& device) {
        const GraphFindings found = check_graphs(
            plugin.solve_enqueue, [&] { return plugin.last_error(); }, device);
        CHECK(found.not_captured == "");
        CHECK(found.wrong == "");
    });
}
