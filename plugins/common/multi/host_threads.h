// Threads of the host that share the work of a call. They are started once, sleep between two calls, and never end: a
// plugin with threads must not be unloaded, which the Makefile tells the loader (-z nodelete).
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

namespace ladder {

// Whether body(), which must not throw, has ended within so many seconds, on a thread of its own; that goes on if not.
template <class Body>
bool ends_within(double seconds, Body body) {
    std::packaged_task<void()> task(std::move(body));
    const std::future<void> ended = task.get_future();
    std::thread(std::move(task)).detach();
    return ended.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
}

class HostThreads {
  public:
    // One for the plugin; one call of for_each at a time.
    static HostThreads& all() {
        static HostThreads* const only = new HostThreads;
        return *only;
    }

    // Calls work(i) for each i < count, on this thread and on up to threads - 1 others. It must not throw.
    void for_each(size_t count, int threads, const std::function<void(size_t)>& work) {
        if (count <= 1 || threads <= 1) {  // nobody is woken for that
            for (size_t i = 0; i < count; ++i) work(i);
            return;
        }
        std::unique_lock lock(mutex_);
        for (; started_ < threads - 1 && size_t(started_) + 1 < count; ++started_) {
            std::thread([this, number = started_] { serve(number); }).detach();
        }
        work_ = &work, next_ = 0, count_ = count, allowed_ = threads - 1;
        begun_.notify_all();
        take(lock);
        ended_.wait(lock, [&] { return busy_ == 0; });
        work_ = nullptr;
    }

  private:
    void serve(int number) {
        std::unique_lock lock(mutex_);
        while (true) {
            begun_.wait(lock, [&] { return work_ && next_ < count_ && number < allowed_; });
            take(lock);
            if (busy_ == 0) ended_.notify_one();
        }
    }

    // One piece after the other, while there are some.
    void take(std::unique_lock<std::mutex>& lock) {
        ++busy_;
        while (next_ < count_) {
            const size_t piece = next_++;
            lock.unlock();
            (*work_)(piece);
            lock.lock();
        }
        --busy_;
    }

    std::mutex mutex_;
    std::condition_variable begun_, ended_;
    const std::function<void(size_t)>* work_ = nullptr;
    size_t next_ = 0, count_ = 0;
    int started_ = 0, allowed_ = 0, busy_ = 0;
};

}  // namespace ladder
