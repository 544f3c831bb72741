// What the program prints. Nothing is thrown where it cannot be written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace judge {

// To stdout, at once. Empty if all of it was written, else why not: the disk is full, the reader has gone.
std::string print(std::string_view text);

// To stderr: what another program has said, its lines as they are but for what does something to a terminal.
void print_messages(std::string_view text);

// Called before every complaint, where something on the terminal has to make room for it; empty for nothing.
void before_complaints(std::function<void()> call);

// "compare: text" as one line on stderr, cleaned. There is nobody to tell where that fails.
void complain(std::string_view text);

}  // namespace judge
