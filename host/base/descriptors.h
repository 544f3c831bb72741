// File descriptors: the three that every program counts on, and numbers that nobody takes by accident.
#pragma once

namespace judge {

// Opens /dev/null as each of 0, 1 and 2 that is closed (`compare x.so >&-`): the next file to be opened would get its
// number, and with it what the program, or a plugin, prints.
void open_standard_descriptors();

// The same open file at a high number, from 768 on where 1024 may be open; the old number is closed. A plugin that
// writes to a descriptor which it has closed, or never opened, hits the low numbers. Closed by exec. Returns the old
// number where there is none above.
int move_up(int descriptor);

}  // namespace judge
