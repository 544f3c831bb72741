// How several processes find each other before NCCL knows them: rank 0 hands each of the others the same bytes, once
// all are there and say the same of themselves. By a file in a folder that all see, or by TCP to rank 0.
//
// The file: rank 0 writes it; another one reads it and answers with a file of its own, NAME.RANK; rank 0 removes them
// all when all have answered, and by that the others know. What is wrong goes into the file instead.
#pragma once

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "hosts.h"

namespace ladder {

// A time to come, at which it is an error that something has not happened.
class Deadline {
  public:
    explicit Deadline(double seconds)
        : seconds_(seconds), end_(std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds)) {}

    // Waits a little, or throws.
    void wait_for(const std::string& what) const {
        if (std::chrono::steady_clock::now() > end_) {
            give_up("%s: not within %g s (SOLVE_TIMEOUT)", what.c_str(), seconds_);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }

  private:
    const double seconds_;
    const std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>> end_;
};

// What two of them must say alike, and does not.
inline std::string disagreement(int rank, const std::string& said, const std::string& expected) {
    return "rank " + std::to_string(rank) + " has " + said + ", rank 0 " + expected;
}

class FileMeeting {
  public:
    explicit FileMeeting(std::string path) : path_(std::move(path)) {}

    std::string meet(const Hosts& hosts, const std::string& own, const std::string& bytes, const Deadline& deadline) {
        return hosts.rank == 0 ? (host(hosts.world, own, bytes, deadline), bytes) : visit(hosts.rank, own, deadline);
    }

  private:
    static constexpr const char* kWrong = "wrong: ";

    void host(int world, const std::string& own, const std::string& bytes, const Deadline& deadline) const {
        if (read(path_)) give_up("SOLVE_RENDEZVOUS=%s: the file is there already", path_.c_str());
        write(path_, bytes);
        try {
            for (int rank = 1; rank < world; ++rank) {
                std::optional<std::string> answer;
                while (!(answer = read(answer_of(rank)))) {
                    deadline.wait_for("rank " + std::to_string(rank) + " does not come to " + path_);
                }
                if (*answer != own) throw Failure(disagreement(rank, *answer, own));
            }
        } catch (const Failure& failure) {
            write(path_, kWrong + std::string(failure.what()));
            wait_until_heard(world);
            remove_answers(world);
            std::remove(path_.c_str());
            throw;
        }
        remove_answers(world);
        std::remove(path_.c_str());
    }

    std::string visit(int rank, const std::string& own, const Deadline& deadline) const {
        std::optional<std::string> found;
        while (!(found = read(path_))) deadline.wait_for("rank 0 does not come to " + path_);
        write(answer_of(rank), own);
        while (const std::optional<std::string> now = read(path_)) {
            if (now->starts_with(kWrong)) {
                std::remove(answer_of(rank).c_str());
                throw Failure(now->substr(std::strlen(kWrong)));
            }
            deadline.wait_for("not all come to " + path_);
        }
        return *found;
    }

    // Who has answered, and hears that something is wrong, takes its answer back. One that does not any more costs a
    // second.
    void wait_until_heard(int world) const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        for (int rank = 1; rank < world; ++rank) {
            while (read(answer_of(rank)) && std::chrono::steady_clock::now() < end) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        }
    }

    void remove_answers(int world) const {
        for (int rank = 1; rank < world; ++rank) std::remove(answer_of(rank).c_str());
    }
    std::string answer_of(int rank) const { return path_ + "." + std::to_string(rank); }

    static std::optional<std::string> read(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        if (!file) return std::nullopt;
        return std::string(std::istreambuf_iterator<char>(file), {});
    }
    // Whole, or not there.
    static void write(const std::string& path, const std::string& bytes) {
        const std::string part = path + ".part";
        std::ofstream file(part, std::ios::binary);
        file << bytes;
        file.close();
        if (!file || std::rename(part.c_str(), path.c_str()) != 0) {
            give_up("SOLVE_RENDEZVOUS: %s cannot be written", path.c_str());
        }
    }

    const std::string path_;
};

// A socket that is closed at its end.
class Socket {
  public:
    explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
    ~Socket() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    int descriptor() const { return descriptor_; }
    bool is_open() const { return descriptor_ >= 0; }
    // No read or write waits for longer than that.
    void limit(double seconds) const {
        timeval time{};
        time.tv_sec = static_cast<time_t>(seconds);
        time.tv_usec = static_cast<suseconds_t>((seconds - double(time.tv_sec)) * 1e6) + 1;
        setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
        setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
    }
    bool send(const std::string& text) const {
        const auto length = static_cast<uint32_t>(text.size());
        return send_all(&length, sizeof(length)) && send_all(text.data(), text.size());
    }
    std::optional<std::string> receive() const {
        constexpr uint32_t kMost = 1 << 20;
        uint32_t length = 0;
        if (!receive_all(&length, sizeof(length)) || length > kMost) return std::nullopt;
        std::string text(length, '\0');
        return receive_all(text.data(), length) ? std::optional(text) : std::nullopt;
    }

  private:
    bool send_all(const void* data, size_t bytes) const {
        for (size_t done = 0; done < bytes;) {
            const ssize_t count =
                ::send(descriptor_, static_cast<const char*>(data) + done, bytes - done, MSG_NOSIGNAL);
            if (count <= 0) return false;
            done += static_cast<size_t>(count);
        }
        return true;
    }
    bool receive_all(void* data, size_t bytes) const {
        for (size_t done = 0; done < bytes;) {
            const ssize_t count = ::recv(descriptor_, static_cast<char*>(data) + done, bytes - done, 0);
            if (count <= 0) return false;
            done += static_cast<size_t>(count);
        }
        return true;
    }

    int descriptor_;
};

class TcpMeeting {
  public:
    // HOST:PORT
    explicit TcpMeeting(const std::string& address) {
        const size_t colon = address.rfind(':');
        if (colon == std::string::npos || colon == 0) {
            give_up("SOLVE_RENDEZVOUS=tcp://%s: tcp://HOST:PORT is expected", address.c_str());
        }
        host_ = address.substr(0, colon), port_ = address.substr(colon + 1);
    }

    // Each of the others says its rank and what it is, and hears the bytes, or what is wrong, after one character.
    std::string meet(const Hosts& hosts, const std::string& own, const std::string& bytes, const Deadline& deadline,
                     double seconds) {
        return hosts.rank == 0 ? (host(hosts.world, own, bytes, deadline, seconds), bytes)
                               : visit(hosts.rank, own, deadline, seconds);
    }

  private:
    void host(int world, const std::string& own, const std::string& bytes, const Deadline& deadline,
              double seconds) const {
        const Socket listener = open(true);
        if (!listener.is_open()) give_up("SOLVE_RENDEZVOUS: cannot listen at %s:%s", host_.c_str(), port_.c_str());
        std::map<int, Socket> others;
        std::string wrong;
        while (int(others.size()) < world - 1 && wrong.empty()) {
            Socket other(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!other.is_open()) {
                try {
                    deadline.wait_for("not all come to " + host_ + ":" + port_);
                } catch (const Failure& failure) {
                    wrong = failure.what();
                }
                continue;
            }
            other.limit(seconds);
            const std::optional<std::string> rank = other.receive(), said = other.receive();
            if (!rank || !said) continue;  // it was none of ours
            const int number = std::atoi(rank->c_str());
            if (*said != own) wrong = disagreement(number, *said, own);
            if (number < 1 || number >= world || others.contains(number)) wrong = "two have the rank " + *rank;
            others.insert_or_assign(number, std::move(other));
        }
        for (const auto& [number, other] : others) other.send(wrong.empty() ? "+" + bytes : "-" + wrong);
        if (!wrong.empty()) throw Failure(wrong);
    }

    std::string visit(int rank, const std::string& own, const Deadline& deadline, double seconds) const {
        const std::string where = host_ + ":" + port_;
        Socket socket;
        while (!(socket = open(false)).is_open()) deadline.wait_for("rank 0 does not come to " + where);
        socket.limit(seconds);
        const bool said = socket.send(std::to_string(rank)) && socket.send(own);
        const std::optional<std::string> answer = said ? socket.receive() : std::nullopt;
        if (!answer || answer->empty()) give_up("rank 0 does not answer at %s", where.c_str());
        if (answer->front() != '+') throw Failure(answer->substr(1));
        return answer->substr(1);
    }

    // That listens, without waiting for who comes, or one to rank 0. Not open if it cannot be had.
    Socket open(bool listens) const {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = listens ? AI_PASSIVE : 0;
        addrinfo* found = nullptr;
        if (getaddrinfo(listens ? nullptr : host_.c_str(), port_.c_str(), &hints, &found) != 0) return Socket();
        Socket opened;
        for (const addrinfo* each = found; each && !opened.is_open(); each = each->ai_next) {
            Socket socket(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | (listens ? SOCK_NONBLOCK : 0), 0));
            const int yes = 1;
            setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
            const bool good = listens ? bind(socket.descriptor(), each->ai_addr, each->ai_addrlen) == 0 &&
                                            listen(socket.descriptor(), 1024) == 0
                                      : connect(socket.descriptor(), each->ai_addr, each->ai_addrlen) == 0;
            if (good) opened = std::move(socket);
        }
        freeaddrinfo(found);
        return opened;
    }

    std::string host_, port_;
};

// Rank 0's bytes, once all are there. `own` must be the same on all; what differs is an error on all of them.
inline std::string meet(const Hosts& hosts, const std::string& own, const std::string& bytes, double seconds) {
    constexpr const char* kTcp = "tcp://";
    const Deadline deadline(seconds);
    if (!hosts.meeting_point.starts_with(kTcp)) {
        return FileMeeting(hosts.meeting_point).meet(hosts, own, bytes, deadline);
    }
    return TcpMeeting(hosts.meeting_point.substr(std::strlen(kTcp))).meet(hosts, own, bytes, deadline, seconds);
}

}  // namespace ladder
