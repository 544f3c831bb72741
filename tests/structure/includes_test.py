#!/usr/bin/env python3
"""Each file includes the standard headers and the libraries that it uses, by itself or by a file that it includes.

The compiler does not say so: the headers that most files use are precompiled, and so are there in every file. What of
the ladder's own headers a file lacks, the compiler says where it compiles each file by itself (`make test-all`).
"""

import os
import re
import tempfile
import unittest

from house_test import ROOT, includes

# What a name after std:: is of, where that is one header alone. Names that several headers have are left out.
HEADERS = {
    "algorithm": "all_of any_of none_of clamp sort stable_sort find_if count_if transform max_element min_element nth_element "
                 "fill fill_n copy copy_n copy_if replace reverse lower_bound upper_bound remove_if unique is_sorted shuffle "
                 "generate for_each find_if_not minmax_element partial_sort equal_range binary_search",
    "array": "array to_array", "atomic": "atomic atomic_flag memory_order_relaxed memory_order_acquire",
    "bit": "bit_cast countr_zero countl_zero has_single_bit popcount", "bitset": "bitset",
    "charconv": "from_chars to_chars from_chars_result", "chrono": "chrono",
    "cmath": "isnan isinf isfinite sqrt fma ldexp frexp nextafter fabs pow log log2 log10 exp exp2 floor ceil trunc lround "
             "llround nan ilogb signbit copysign",
    "condition_variable": "condition_variable", "csignal": "signal raise", "cstdarg": "va_list",
    "cstdio": "printf fprintf snprintf vsnprintf fopen fclose fputs fflush fread fwrite FILE perror",
    "cstdlib": "getenv malloc free exit abort strtol strtoll strtoul strtof strtod quick_exit _Exit system",
    "cstring": "memcpy memset memcmp memmove strcmp strlen strerror strstr strchr strncmp",
    "deque": "deque", "exception": "exception exception_ptr current_exception rethrow_exception", "filesystem": "filesystem",
    "fstream": "ifstream ofstream fstream", "functional": "function ref cref reference_wrapper", "future": "future async promise",
    "iomanip": "setw setprecision setfill", "iostream": "cout cerr cin", "iterator": "back_inserter istreambuf_iterator",
    "limits": "numeric_limits", "list": "list", "map": "map multimap",
    "memory": "unique_ptr shared_ptr make_unique make_shared weak_ptr", "mutex":
    "mutex lock_guard unique_lock scoped_lock call_once once_flag recursive_mutex", "numeric": "accumulate iota reduce gcd lcm",
    "optional": "optional nullopt", "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution "
    "normal_distribution random_device", "regex": "regex regex_search regex_match regex_replace smatch sregex_iterator",
    "set": "set multiset", "span": "span", "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "runtime_error invalid_argument out_of_range logic_error", "string": "string to_string stoi stol stoul getline",
    "string_view": "string_view", "system_error": "error_code system_error error_condition", "thread": "thread this_thread jthread",
    "tuple": "tuple tie make_tuple", "type_traits": "is_same_v conditional_t enable_if_t decay_t is_integral_v remove_cvref_t",
    "typeinfo": "type_info", "unordered_map": "unordered_map", "unordered_set": "unordered_set",
    "utility": "exchange move swap pair forward", "variant": "variant visit monostate", "vector": "vector",
}
HEADER_OF = {name: header for header, names in HEADERS.items() for name in names.split()}
LIBRARIES = {"fmt": "fmt/", "nlohmann": "nlohmann/", "CLI": "CLI/"}
# Where a name comes along with another header, by the standard or, as here, wherever this compiles.
BRINGS = {"string": {"string_view", "utility"}, "vector": {"utility"}, "map": {"utility"}, "algorithm": {"utility"},
          "memory": {"utility"}, "functional": {"utility"}, "optional": {"utility"}, "tuple": {"utility"}, "array": {"utility"},
          "filesystem": {"string", "system_error", "chrono", "utility"}, "fstream": {"string"}, "sstream": {"string"},
          "iostream": {"string"}, "regex": {"string"}, "stdexcept": {"string", "exception"}, "thread": {"chrono"},
          "condition_variable": {"mutex", "chrono"}, "unordered_map": {"utility"}, "deque": {"utility"}, "variant": {"utility"},
          "set": {"utility"}, "future": {"mutex", "thread", "chrono"}, "mutex": {"chrono", "system_error"}}
PRECOMPILED = {"host/base/precompiled.h", "tests/precompiled.h"}


def text_of(root, path):
    """A file without its comments and what stands in quotes."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


def available(root, path, seen):
    """The names between <> of all #include lines of a file and of those that it includes."""
    if path in seen or path in PRECOMPILED:
        return set()
    seen.add(path)
    with open(os.path.join(root, path), encoding="utf-8") as file:
        found = set(re.findall(r"^\s*#\s*include\s*<([^>]+)>", file.read(), flags=re.MULTILINE))
    for _, other in includes(root, path):
        if other:
            found |= available(root, other, seen)
    return found


def used(root, path):
    """(what the file names, the header that it is of)."""
    text = text_of(root, path)
    for name in sorted(set(re.findall(r"\bstd::(\w+)", text)) & HEADER_OF.keys()):
        yield "std::" + name, HEADER_OF[name]
    for name, folder in LIBRARIES.items():
        if re.search(rf"\b{name}::", text) and f"namespace {name} {{" not in text:  # there it is only declared
            yield name + "::", folder


def missing(root, path):
    there = available(root, path, set())
    there |= {brought for header in there for brought in BRINGS.get(header, ())}
    return [f"{path}: {name} without <{header}>" for name, header in used(root, path)
            if not any(each == header or (header.endswith("/") and each.startswith(header)) for each in there)]


def sources(root):
    for top in ("abi", "host", "tests"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for file in sorted(files):
                path = os.path.relpath(os.path.join(folder, file), root)
                if file.endswith((".h", ".hpp", ".cpp")) and path not in PRECOMPILED:
                    yield path


class Includes(unittest.TestCase):
    def test_what_is_used_is_included(self):
        found = [complaint for path in sources(ROOT) for complaint in missing(ROOT, path)]
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_what_is_not_is_named(self):
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "host"))
            for file, text in {"own.h": "#include <vector>\n",
                               "right.cpp": '#include "own.h"\nstd::vector<int> all;  // no std::map\n',
                               "wrong.cpp": '#include "own.h"\nstd::map<int, int> all; auto text = fmt::format("std::set");\n'
                               }.items():
                with open(os.path.join(root, "host", file), "w", encoding="utf-8") as out:
                    out.write(text)
            found = [complaint for path in sources(root) for complaint in missing(root, path)]
            self.assertEqual(found, ["host/wrong.cpp: std::map without <map>", "host/wrong.cpp: fmt:: without <fmt/>"])


if __name__ == "__main__":
    unittest.main()
