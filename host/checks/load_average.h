// What getloadavg says in this process.
#pragma once

namespace judge {

// For the length of its scope getloadavg, asked by anybody in this process, says this of the last 1, 5 and 15 minutes:
// the true one takes a minute to follow what runs. One at a time.
class LoadAverage {
  public:
    explicit LoadAverage(double load);
    ~LoadAverage();
    LoadAverage(const LoadAverage&) = delete;
    LoadAverage& operator=(const LoadAverage&) = delete;
};

}  // namespace judge
