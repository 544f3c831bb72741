// What the terminal at the other end of a descriptor can show.
#pragma once

namespace judge {

struct Terminal {
    bool is_terminal = false;
    bool colour = false;   // a terminal that knows colours, and nobody has set NO_COLOR (no-color.org)
    bool movable = false;  // a terminal whose cursor can be moved: any but TERM=dumb
    int columns = 0;       // 0: no limit, as in a file or a pipe
    int rows = 0;          // 0: not known
};

// COLUMNS and LINES, where they are set, stand above what the terminal itself says; 80 x 24 where neither does.
Terminal terminal_of(int descriptor);

}  // namespace judge
