// The command line of NVIDIA's samples.
#pragma once

#include <cstdlib>
#include <cstring>

namespace emulator {

// What follows "-name" or "--name" on the command line, or null.
inline const char* argument_after(int count, const char** arguments, const char* name) {
    const size_t length = std::strlen(name);
    for (int i = 1; i < count; ++i) {
        const char* text = arguments[i];
        while (*text == '-') ++text;
        const bool same = std::strncmp(text, name, length) == 0 && (text[length] == '=' || text[length] == '\0');
        if (same) return text + length;
    }
    return nullptr;
}

}  // namespace emulator

inline bool checkCmdLineFlag(int count, const char** arguments, const char* name) {
    return ::emulator::argument_after(count, arguments, name) != nullptr;
}
inline int getCmdLineArgumentInt(int count, const char** arguments, const char* name) {
    const char* text = ::emulator::argument_after(count, arguments, name);
    return text && *text == '=' ? std::atoi(text + 1) : 0;
}
inline float getCmdLineArgumentFloat(int count, const char** arguments, const char* name) {
    const char* text = ::emulator::argument_after(count, arguments, name);
    return text && *text == '=' ? static_cast<float>(std::atof(text + 1)) : 0.0f;
}
