// An environment variable for the length of a scope.
#pragma once

#include <cstdlib>
#include <string>

class Environment {
  public:
    Environment(const char* name, int value) : name_(name) { setenv(name, std::to_string(value).c_str(), 1); }
    ~Environment() { unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    const char* name_;
};
