#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace judge {

namespace {

// A variable that holds a size; 0 if it holds none.
int size_in(const char* variable) {
    const char* const text = std::getenv(variable);
    const int size = text ? std::atoi(text) : 0;
    return size > 0 && size < 10'000 ? size : 0;
}

int first_positive(int a, int b, int c) {
    return a > 0 ? a : b > 0 ? b : c;
}

}  // namespace

Terminal terminal_of(int descriptor) {
    Terminal terminal;
    terminal.is_terminal = isatty(descriptor) == 1;
    if (!terminal.is_terminal) return terminal;
    const char* const no_colour = std::getenv("NO_COLOR");
    const char* const kind = std::getenv("TERM");
    terminal.movable = kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
    terminal.colour = terminal.movable && (no_colour == nullptr || *no_colour == '\0');
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) size = {};
    terminal.columns = first_positive(size_in("COLUMNS"), size.ws_col, 80);
    terminal.rows = first_positive(size_in("LINES"), size.ws_row, 24);
    return terminal;
}

}  // namespace judge
