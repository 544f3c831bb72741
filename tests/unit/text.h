// What a test asks of text: a message, a table, what was printed.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/files.h"

namespace unit {

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// One element a character, not a byte.
inline std::u32string characters(const std::string& text) {
    std::u32string result;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0) == 0x80) continue;
        result += byte < 0x80 ? char32_t(byte) : U'?';
    }
    return result;
}

inline size_t column_of(const std::string& line, const std::string& part) {
    CAPTURE(line, part);
    const size_t at = line.find(part);
    REQUIRE(at != std::string::npos);
    return characters(line.substr(0, at)).size();
}

inline size_t end_column_of(const std::string& line, const std::string& part) {
    return column_of(line, part) + characters(part).size();
}

// The message of the exception that `call` throws; fails if it throws none of this type.
template <class Exception, class Call>
std::string message_thrown_by(Call call) {
    try {
        call();
    } catch (const Exception& error) {
        return error.what();
    }
    FAIL("nothing was thrown");
    return {};
}

// What `call` writes to a descriptor (1 or 2) of this process.
template <class Call>
std::string printed_to(int descriptor, Call call) {
    const TemporaryDirectory directory;
    const auto file = directory / "printed";
    std::fflush(nullptr);
    const int saved = dup(descriptor);
    const int captured = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(captured, descriptor);
    close(captured);
    const auto restore = [&] {
        std::fflush(nullptr);
        dup2(saved, descriptor);
        close(saved);
    };
    try {
        call();
    } catch (...) {
        restore();
        throw;
    }
    restore();
    return read_file(file);
}

}  // namespace unit
