// The line on a terminal that says what is going on; nothing where stderr is not a terminal.
#pragma once

#include <string>

namespace judge {

class Progress {
  public:
    Progress();
    ~Progress();  // clears the line
    void show(const std::string& text) const;

  private:
    bool terminal_;
};

}  // namespace judge
