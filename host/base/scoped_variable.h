// An environment variable for the length of a scope: its old value comes back, also if an exception ends the scope.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace judge {

class ScopedVariable {
  public:
    // Nothing is set where it is not wanted.
    ScopedVariable(const char* name, const char* value, bool wanted = true) : name_(name), wanted_(wanted) {
        if (!wanted_) return;
        if (const char* const before = std::getenv(name)) before_ = before;
        setenv(name, value, 1);
    }
    ~ScopedVariable() {
        if (wanted_) before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_);
    }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

  private:
    const char* const name_;
    const bool wanted_;
    std::optional<std::string> before_;
};

}  // namespace judge
