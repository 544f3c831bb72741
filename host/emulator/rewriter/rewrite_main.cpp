// rewrite input.ii output.ii [precompiled.gch]
#include <cstdio>
#include <fstream>
#include <sstream>

#include "rewrite.h"

int main(int count, char** arguments) {
    if (count != 3 && count != 4) {
        std::fprintf(stderr, "usage: rewrite INPUT OUTPUT [PRECOMPILED]\n");
        return 2;
    }
    std::ifstream input(arguments[1], std::ios::binary);
    std::ostringstream text;
    text << input.rdbuf();
    if (!input) {
        std::fprintf(stderr, "rewrite: cannot read %s\n", arguments[1]);
        return 1;
    }
    try {
        std::vector<std::string> warnings;
        std::string rewritten = emulator::rewrite(text.str(), &warnings);
        if (count == 4) rewritten = emulator::load_precompiled(rewritten, arguments[3]);
        for (const std::string& warning : warnings) std::fprintf(stderr, "%s\n", warning.c_str());
        std::ofstream output(arguments[2], std::ios::binary);
        if (!(output << rewritten).flush()) {
            std::fprintf(stderr, "rewrite: cannot write %s\n", arguments[2]);
            return 1;
        }
    } catch (const emulator::RewriteError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
