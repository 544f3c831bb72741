#!/usr/bin/env python3
"""The house is as host/README.md says: its arrows, its rooms, its unit tests.

The arrows are the #include lines of abi/, plugins/ and host/. A room may include itself and the rooms of the levels
below it, and of its own level as long as no circle of rooms comes of it. No two files may include each other, by
whatever detour.
"""

import glob
import os
import re
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Each house from its top level to its lowest. A room is a folder with what is below it, or one file.
COMPARE = [["host/main.cpp"], ["host/watch", "host/parent", "host/report", "host/worker"], ["host/timing", "host/checks"],
           ["host/device", "host/library", "host/source"], ["host/values"], ["host/base"], ["abi"]]
EMULATOR = [["host/emulator/rewriter", "host/emulator/runtime"], ["host/emulator/include"], ["abi"]]
PLUGINS = [["plugins/cuda", "plugins/cpu", "plugins/chain", "plugins/multi"],
           ["plugins/common/gemm", "plugins/common/cpu", "plugins/common/multi"], ["plugins/common/ptx"],
           ["plugins/common/export"], ["abi"]]
TOOLS = [["host/tools"]] + PLUGINS[:-1] + [["host/base"], ["abi"]]  # they measure the plugins' own kernels
HOUSES = [COMPARE, EMULATOR, PLUGINS, TOOLS]

# Where a quoted #include is looked for, beside the includer's own folder.
SEARCHED = ["", "host", "host/emulator/include"]


def sources(root):
    """The paths, relative to root, of all C++ and CUDA files of the three folders."""
    for top in ("abi", "plugins", "host"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for file in sorted(files):
                path = os.path.relpath(os.path.join(folder, file), root)
                is_emulated_header = path.startswith("host/emulator/include/")
                if is_emulated_header or file.endswith((".h", ".hpp", ".cuh", ".c", ".cpp", ".cu")):
                    yield path


def includes(root, source):
    """The (line, path) of each quoted #include; the path is relative to root, or None where there is no such file."""
    with open(os.path.join(root, source), encoding="utf-8") as file:
        for line, text in enumerate(file, 1):
            if match := re.match(r'\s*#\s*include\s*"([^"]+)"', text):
                found = (os.path.normpath(os.path.join(folder, match[1]))
                         for folder in [os.path.dirname(source)] + SEARCHED)
                yield line, next((path for path in found if os.path.isfile(os.path.join(root, path))), None)


def room_of(path, house):
    """The (level, room) of a file in a house, or None; the lowest level has the greatest number."""
    for level, rooms in enumerate(house):
        for room in rooms:
            if path == room or path.startswith(room + "/"):
                return level, room
    return None


def house_of(path):
    return next((house for house in HOUSES if room_of(path, house)), None)


def rung_number(path):
    """40 for plugins/cuda/40_tile128.cu; None for what is no part of a rung."""
    match = re.match(r"plugins/(?!common/)\w+/(\d+)_", path)
    return int(match[1]) if match else None


def complaint(source, target):
    """Why source may not include target; empty if it may."""
    house = house_of(source)
    here, there = room_of(source, house), room_of(target, house)
    if there is None:
        return "another house"
    if there[0] < here[0]:
        return f"up: {here[1]} lies below {there[1]}"
    upper, lower = rung_number(source), rung_number(target)
    if None not in (upper, lower) and (lower > upper or (lower == upper and not target.endswith(".h"))):
        return "a rung stands on lower ones"
    return ""


def circles(graph):
    """A circle through each node that is on one, as a list of nodes, the first one again at the end; each only once."""
    found, state = [], {}

    def visit(node, path):
        state[node] = "open"
        for next_node in sorted(graph.get(node, ())):
            if state.get(next_node) == "open":
                found.append((path + [node])[(path + [node]).index(next_node):] + [next_node])
            elif next_node not in state:
                visit(next_node, path + [node])
        state[node] = "closed"

    for node in sorted(graph):
        if node not in state:
            visit(node, [])
    return found


def wrong_arrows(root):
    """One line for each #include that points to where it may not, and for each circle."""
    wrong, files, rooms = [], {}, {}
    for source in sources(root):
        if house_of(source) is None:
            wrong.append(f"{source}: in no room")
            continue
        for line, target in includes(root, source):
            where = f"{source}:{line}"
            if target is None:
                wrong.append(f"{where}: no such file")
                continue
            files.setdefault(source, set()).add(target)
            if why := complaint(source, target):
                wrong.append(f"{where}: {target}: {why}")
                continue
            here, there = (room_of(path, house_of(source))[1] for path in (source, target))
            if here != there:
                rooms.setdefault(here, set()).add(there)
    return wrong + ["circle: " + " -> ".join(circle) for graph in (files, rooms) for circle in circles(graph)]


class WrongArrows(unittest.TestCase):
    """What wrong_arrows says of small trees, so that it can be trusted about ours."""

    def check(self, tree, *expected):
        with tempfile.TemporaryDirectory() as root:
            for path, included in tree.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write("".join(f'#include "{name}"\n' for name in included))
            self.assertEqual(wrong_arrows(root), list(expected))

    def test_down_and_within_a_room_is_right(self):
        self.check({"host/main.cpp": ["parent/options.h", "report/table.h"],
                    "host/parent/options.h": ["values/shape.h"],
                    "host/report/table.h": ["report/text.h", "base/counted.h"], "host/report/text.h": [],
                    "host/values/shape.h": ["base/counted.h", "abi/solve.h"],
                    "host/base/counted.h": [], "abi/solve.h": []})

    def test_up_is_wrong(self):
        self.check({"host/base/counted.h": ["values/shape.h"], "host/values/shape.h": []},
                   "host/base/counted.h:1: host/values/shape.h: up: host/base lies below host/values")
        self.check({"plugins/common/export/launch.h": ["../ptx/mma.h"], "plugins/common/ptx/mma.h": []},
                   "plugins/common/export/launch.h:1: plugins/common/ptx/mma.h: up: plugins/common/export lies below "
                   "plugins/common/ptx")
        self.check({"abi/solve.h": ["../plugins/cuda/10_naive.cu"], "plugins/cuda/10_naive.cu": []},
                   "abi/solve.h:1: plugins/cuda/10_naive.cu: another house")

    def test_one_way_within_a_level_is_right_and_both_ways_are_a_circle_of_rooms(self):
        one_way = {"host/parent/a.h": ["worker/b.h"], "host/worker/b.h": []}
        self.check(one_way)
        self.check({**one_way, "host/worker/c.h": ["parent/d.h"], "host/parent/d.h": []},
                   "circle: host/parent -> host/worker -> host/parent")
        self.check({"host/parent/a.h": ["report/b.h"], "host/report/b.h": [],
                    "host/report/c.h": ["worker/d.h"], "host/worker/d.h": [],
                    "host/worker/e.h": ["parent/f.h"], "host/parent/f.h": []},
                   "circle: host/parent -> host/report -> host/worker -> host/parent")

    def test_files_that_include_each_other_are_a_circle(self):
        self.check({"host/library/a.h": ["library/b.h"], "host/library/b.h": ["c.h"],
                    "host/library/c.h": ["library/a.h"]},
                   "circle: host/library/a.h -> host/library/b.h -> host/library/c.h -> host/library/a.h")

    def test_the_houses_are_apart(self):
        tree = {"plugins/cuda/10_naive.cu": [], "host/values/shape.h": [], "host/emulator/include/cuda_runtime.h": []}
        self.check({**tree, "host/checks/a.cpp": ["plugins/cuda/10_naive.cu"]},
                   "host/checks/a.cpp:1: plugins/cuda/10_naive.cu: another house")
        self.check({**tree, "plugins/cpu/00_serial.cpp": ["../../host/values/shape.h"]},
                   "plugins/cpu/00_serial.cpp:1: host/values/shape.h: another house")
        self.check({**tree, "host/emulator/runtime/a.cpp": ["../../values/shape.h", "cuda_runtime.h"]},
                   "host/emulator/runtime/a.cpp:1: host/values/shape.h: another house")
        self.check({**tree, "host/device/a.cpp": ["cuda_runtime.h"]},
                   "host/device/a.cpp:1: host/emulator/include/cuda_runtime.h: another house")
        self.check({**tree, "host/tools/tune/ways.cu": ["../../../plugins/cuda/10_naive.cu"]})

    def test_a_rung_may_include_lower_ones_only(self):
        tree = {"plugins/cuda/60_warp_tile.cu": [], "plugins/cuda/90_ways.h": []}
        self.check({**tree, "plugins/cuda/90_dispatch.cu": ["60_warp_tile.cu", "90_ways.h"]})
        self.check({**tree, "plugins/cuda/50_double_buffer.cu": ["60_warp_tile.cu"]},
                   "plugins/cuda/50_double_buffer.cu:1: plugins/cuda/60_warp_tile.cu: a rung stands on lower ones")
        self.check({**tree, "plugins/cuda/60_other.cu": ["60_warp_tile.cu"]},
                   "plugins/cuda/60_other.cu:1: plugins/cuda/60_warp_tile.cu: a rung stands on lower ones")

    def test_every_file_is_in_a_room_and_every_include_is_there(self):
        self.check({"plugins/common/tile.h": []}, "plugins/common/tile.h: in no room")
        self.check({"host/attic/a.h": []}, "host/attic/a.h: in no room")
        self.check({"host/base/a.h": ["base/gone.h"]}, "host/base/a.h:1: no such file")


class OurHouse(unittest.TestCase):
    def test_every_include_points_down(self):
        self.assertGreater(len(list(sources(ROOT))), 150)
        wrong = wrong_arrows(ROOT)
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_every_room_says_what_belongs_there(self):
        rooms = [room for house in HOUSES for level in house for room in level
                 if os.path.isdir(os.path.join(ROOT, room))]
        # The rungs share one README, and so do the parts of the emulator.
        rooms = {re.sub(r"^(plugins|host/emulator)/(?!common/).*", r"\1", room) for room in rooms}
        silent = [room for room in rooms if not os.path.isfile(os.path.join(ROOT, room, "README.md"))]
        self.assertEqual(sorted(silent), [])

    def test_a_rung_is_read_in_one_go(self):
        rungs = [rung for folder in ("cuda", "cpu", "chain", "multi")
                 for rung in glob.glob(os.path.join(ROOT, "plugins", folder, "*.c*"))]
        self.assertGreater(len(rungs), 40)
        self.assertEqual([rung for rung in rungs if len(open(rung, encoding="utf-8").readlines()) > 200], [])

    def test_no_kernel_says_that_nobody_writes_what_it_reads(self):
        """One that is launched early exists while the kernel before still writes what it reads behind its wait."""
        kernels = [source for source in sources(ROOT)
                   if re.match(r"plugins/(cuda|chain|multi|common/(gemm|ptx|export))/.*\.(cu|h)$", source)]
        self.assertGreater(len(kernels), 80)
        said = [source for source in kernels if re.search(r"__ldg\s*\(|__restrict__|ld\.global\.nc",
                                                          open(os.path.join(ROOT, source), encoding="utf-8").read())]
        self.assertEqual(said, [])

    def test_unit_tests_mirror_the_rooms(self):
        """The test of host/checks/problem.cpp is tests/unit/checks/problem_test.cpp, or problem_<part>_test.cpp."""
        tests = glob.glob(os.path.join(ROOT, "tests/unit/*/*_test.cpp"))
        self.assertGreater(len(tests), 30)

        def has_subject(test):
            words = os.path.basename(test).removesuffix("_test.cpp").split("_")
            room = os.path.join(ROOT, "host", os.path.basename(os.path.dirname(test)))
            names = ["_".join(words[:count]) for count in range(1, len(words) + 1)]
            return any(glob.glob(os.path.join(room, name + ".*")) for name in names)

        self.assertEqual([test for test in tests if not has_subject(test)], [])


if __name__ == "__main__":
    unittest.main()
