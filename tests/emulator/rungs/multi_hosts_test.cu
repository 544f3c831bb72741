// 90 of plugins/multi on several hosts, which are threads here, each with emulated devices of its own.
#include "../../../plugins/multi/90_nccl_grid.cu"

#include <netinet/in.h>

#include <array>
#include <filesystem>
#include <functional>
#include <thread>

#include "../../../host/emulator/runtime/memory.h"
#include "../../../host/emulator/runtime/stream.h"
#include "../../catch.h"
#include "multi.h"

namespace {

using ladder::GpuGrid;
using ladder::Hosts;

// A GPU so slow that small matrices are cut into several slabs and chunks, and pinned buffers of 4 KiB.
const bool slow_gpu = [] {
    rung_multi_90::Machine& machine = rung_multi_90::Machine::assumed();
    machine.launch = machine.row = machine.hop = 0, machine.unit = 4, machine.multiply = 57e10;
    ladder::PinnedBuffer::elements() = 1024;
    return true;
}();

// In a folder that is removed with what is in it.
class MeetingPoint {
  public:
    MeetingPoint() {
        char name[] = "/tmp/multi_hosts_XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        folder_ = name;
    }
    ~MeetingPoint() { std::filesystem::remove_all(folder_); }
    std::string file() const { return folder_ + "/meet"; }
    bool is_empty() const { return std::filesystem::is_empty(folder_); }

  private:
    std::string folder_;
};

// At a port that was free a moment ago.
std::string tcp_address() {
    const ladder::Socket probe(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(bind(probe.descriptor(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(probe.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    return "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

struct HostOfTest {
    GpuGrid grid{1, 1};
    int rows = 0;
    bool pinned = false;
    int terms = 0;  // 0: those of all
};

// Products of a B that rank 0 has with the rows of each host; what each of them throws, or "".
class HostsProduct {
  public:
    HostsProduct(const std::vector<HostOfTest>& hosts, int N, int K, const std::string& meeting_point)
        : hosts_(hosts), N_(N), K_(K), meeting_point_(meeting_point), kept_(hosts.size()) {
        for (const HostOfTest& each : hosts) {
            products_.push_back(std::make_unique<HostProduct>(std::max(each.rows, 1), N, K, each.pinned));
        }
    }

    std::vector<std::string> errors(float beta = 0) {
        std::vector<std::string> errors(hosts_.size());
        std::vector<std::thread> threads;
        int first_gpu = 0;
        for (size_t rank = 0; rank < hosts_.size(); ++rank) {
            const Hosts hosts{int(rank), int(hosts_.size()), meeting_point_, first_gpu};
            threads.emplace_back([&, rank, hosts] { errors[rank] = run(rank, hosts, beta); });
            first_gpu += hosts_[rank].grid.count();
        }
        for (std::thread& each : threads) each.join();
        return errors;
    }

    // Of all hosts. Each has the B of rank 0, which has the same elements as its own.
    int wrong() const {
        int count = 0;
        for (size_t rank = 0; rank < hosts_.size(); ++rank) count += hosts_[rank].rows ? products_[rank]->wrong() : 0;
        return count;
    }

  private:
    std::string run(size_t rank, const Hosts& hosts, float beta) {
        const HostOfTest& host = hosts_[rank];
        const HostProduct& product = *products_[rank];
        solve_gemm_t call = ladder::call_of(product.A, rank == 0 ? product.B : nullptr, product.C, host.rows,
                                            host.terms ? host.terms : N_, K_);
        call.beta = beta;
        try {
            ladder::Settings settings = ladder::read_settings();
            settings.host_threads = 1;  // of the threads that a process shares, one call at a time
            if (!kept_[rank]) kept_[rank] = std::make_unique<rung_multi_90::Kept>();
            rung_multi_90::Call(*kept_[rank], settings, hosts, host.grid, call).run();
            return "";
        } catch (const std::exception& error) {
            kept_[rank].reset();
            return error.what();
        }
    }

    const std::vector<HostOfTest> hosts_;
    const int N_, K_;
    const std::string meeting_point_;
    std::vector<std::unique_ptr<HostProduct>> products_;
    std::vector<std::unique_ptr<rung_multi_90::Kept>> kept_;
};

// So many devices for all hosts. What the plugin would set in the environment is set before there are threads, which
// read it.
struct Cluster {
    explicit Cluster(int devices) : devices("EMULATOR_DEVICES", devices) {}
    ~Cluster() { cudaSetDevice(0); }  // what is freed makes its device the current one
    Environment devices, threads{"EMULATOR_NCCL_THREADS", 1}, no_multicast{"NCCL_NVLS_ENABLE", 0};
};

using Errors = std::vector<std::string>;

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

struct Counts {
    size_t allocations = emulator::live_allocations(), handles = emulator::live_streams_and_events();
    bool operator==(const Counts& other) const { return allocations == other.allocations && handles == other.handles; }
};

}  // namespace

TEST_CASE("hosts multiply rows of their own with the B of rank 0, whatever grids they have, and meet once") {
    const Cluster cluster(8);
    const struct {
        GpuGrid grid;
        std::vector<int> rows;
    } clusters[] = {{{1, 1}, {40, 70}}, {{1, 2}, {33, 0, 50}}, {{2, 2}, {67, 20}}, {{1, 2}, {5, 64, 64, 3}}};
    const Counts before;
    int seed = 5000;
    for (const auto& [grid, rows] : clusters) {
        for (const char* exchange : {"zero-cta", "peer"}) {
            const Variable way("SOLVE_EXCHANGE", exchange), timeout("SOLVE_TIMEOUT", "60");
            const Environment deferred("EMULATOR_DEFERRED", ++seed);
            std::vector<HostOfTest> hosts;
            for (const int each : rows) hosts.push_back({grid, each, hosts.size() % 2 == 0});
            const MeetingPoint point;
            INFO(grid.rows << " x " << grid.cols << " GPUs on " << rows.size() << " hosts, " << exchange << ", seed "
                           << seed);
            HostsProduct product(hosts, 120, 66, seed % 3 == 0 ? tcp_address() : point.file());
            CHECK(product.errors() == Errors(rows.size()));
            CHECK(product.wrong() == 0);
            CHECK(point.is_empty());
            CHECK(product.errors() == Errors(rows.size()));
            CHECK(product.wrong() == 0);
        }
    }
    CHECK(Counts() == before);
}

TEST_CASE("what hosts multiply here is cut into slabs and chunks") {
    rung_multi_90::Round round{17, 120, 33, {2, 2}};
    round.hosts = 3;
    const auto schedule = rung_multi_90::choose_schedule(rung_multi_90::Machine::assumed(), round, 120);
    CHECK(schedule.slabs.size() > 2);
    CHECK(schedule.chunks.count > 2);
}

TEST_CASE("hosts with little memory, of which one has less, take the same tiles and slabs") {
    const Cluster cluster(4);
    const Variable memory("SOLVE_DEVICE_MEMORY", "24K"), timeout("SOLVE_TIMEOUT", "60");
    const Environment deferred("EMULATOR_DEFERRED", 6001);
    const MeetingPoint point;
    HostsProduct product({{{1, 2}, 90}, {{1, 2}, 30}}, 100, 66, point.file());
    CHECK(product.errors() == Errors(2));
    CHECK(product.wrong() == 0);
}

TEST_CASE("what hosts do not agree on is an error on all of them") {
    const Cluster cluster(4);
    const Environment deferred("EMULATOR_DEFERRED", 6002);
    const Variable timeout("SOLVE_TIMEOUT", "60");
    const Counts before;
    for (const bool tcp : {false, true}) {
        const MeetingPoint point;
        const std::string where = tcp ? tcp_address() : point.file();
        const Errors grids = HostsProduct({{{1, 2}, 20}, {{1, 1}, 20}}, 30, 40, where).errors();
        CHECK(grids ==
              Errors(2, "rank 1 has a grid of 1 x 1 GPUs, of 2 hosts, rank 0 a grid of 1 x 2 GPUs, of 2 hosts"));
        // After it they may meet at the same place.
        // After it they may meet at the same place. Who finds it out first ends the collectives of the other.
        const Errors terms = HostsProduct({{{1, 1}, 20}, {{1, 1}, 20, false, 29}}, 30, 40, where).errors();
        const std::string said =
            "rank 1 multiplies with N = 29, K = 40, transposed 0 and 0, rank 0 with 30, 40, 0 and 0";
        for (const std::string& error : terms) CHECK((error == said || contains(error, "remote process exited")));
        CHECK((terms[0] == said || terms[1] == said));
    }
    CHECK(Counts() == before);
}

TEST_CASE("a host that does not come is an error in time on those that wait for it") {
    const Cluster cluster(4);
    const auto error_of = [](int rank, const std::string& where) {
        try {
            ladder::meet({rank, 3, where}, "", "bytes", 0.05);
            return std::string();
        } catch (const ladder::Failure& failure) {
            return std::string(failure.what());
        }
    };
    const MeetingPoint point;
    CHECK(contains(error_of(1, point.file()), "rank 0 does not come to "));
    CHECK(contains(error_of(0, point.file()), "rank 1 does not come to "));
    CHECK(contains(error_of(2, point.file()), "rank 0 does not come to "));  // rank 0 has cleared up
    const std::string address = tcp_address();
    CHECK(contains(error_of(1, address), "rank 0 does not come to 127.0.0.1:"));
    CHECK(contains(error_of(0, address), "not all come to 127.0.0.1:"));
    CHECK(contains(error_of(0, "tcp://nowhere"), "tcp://HOST:PORT is expected"));
    CHECK(contains(error_of(0, "/no/such/folder/meet"), "cannot be written"));
}

TEST_CASE(
    "a host that fails, or never goes on, is an error on all, leaves nothing behind, and the next call is right") {
    const Cluster cluster(6);
    const Environment deferred("EMULATOR_DEFERRED", 6003);
    const Variable way("SOLVE_EXCHANGE", "peer");
    const Counts before;
    const struct {
        const char *variable, *timeout, *own, *others;
    } failures[] = {{"EMULATOR_COPY_FAIL", "60", "cudaMemcpy", "remote process exited"},
                    {"EMULATOR_NCCL_FAIL", "60", "as EMULATOR_NCCL_FAIL says", "remote process exited"},
                    {"EMULATOR_NCCL_HANG", "0.3", "has not ended within 0.3 s", "remote process exited"}};
    for (const auto& [variable, timeout, own, others] : failures) {
        for (const int call : {4, 11}) {
            const MeetingPoint point;
            const std::vector<HostOfTest> hosts = {{{1, 2}, 40, true}, {{1, 2}, 20, true}, {{1, 2}, 30, true}};
            HostsProduct product(hosts, 200, 66, point.file());
            const Variable long_enough("SOLVE_TIMEOUT", "60");
            CHECK(product.errors() == Errors(3));
            {
                const Environment failing(variable, call);
                const Variable limit("SOLVE_TIMEOUT", timeout);
                int of_own = 0;
                for (const std::string& error : product.errors()) {
                    INFO(variable << "=" << call << ": " << error);
                    CHECK((contains(error, own) || contains(error, others)));
                    of_own += contains(error, own);
                }
                CHECK(of_own >= 1);
            }
            const Variable limit("SOLVE_TIMEOUT", "60");
            CHECK(product.errors() == Errors(3));
            CHECK(product.wrong() == 0);
        }
    }
    CHECK(Counts() == before);
}

TEST_CASE("which process of how many, and where they meet, is told by the environment") {
    const Environment devices("EMULATOR_DEVICES", 8);
    const auto hosts_with = [](const std::vector<std::array<const char*, 2>>& variables, int* gpus = nullptr) {
        std::vector<std::unique_ptr<Variable>> set;
        for (const auto& [name, value] : variables) set.push_back(std::make_unique<Variable>(name, value));
        ladder::Settings settings;
        settings.gpus = 8;
        const Hosts hosts = ladder::read_hosts(settings);
        if (gpus) *gpus = settings.gpus;
        return hosts;
    };
    CHECK(!hosts_with({{"RANK", "1"}, {"WORLD_SIZE", "2"}}).are_several());  // a launcher alone says nothing to us
    int gpus = 0;
    const Hosts by_hand = hosts_with({{"SOLVE_RENDEZVOUS", "/a/b"}, {"SOLVE_RANK", "1"}, {"SOLVE_WORLD", "3"}}, &gpus);
    CHECK(by_hand.rank == 1);
    CHECK(by_hand.world == 3);
    CHECK(by_hand.meeting_point == "/a/b");
    CHECK(gpus == 8);
    const Hosts torchrun = hosts_with({{"SOLVE_RENDEZVOUS", "env"},
                                       {"MASTER_ADDR", "node1"},
                                       {"MASTER_PORT", "29500"},
                                       {"RANK", "5"},
                                       {"WORLD_SIZE", "8"},
                                       {"LOCAL_RANK", "1"},
                                       {"LOCAL_WORLD_SIZE", "4"}},
                                      &gpus);
    CHECK(torchrun.meeting_point == "tcp://node1:29501");
    CHECK(torchrun.rank == 5);
    CHECK(torchrun.first_gpu == 2);
    CHECK(gpus == 2);
    const Hosts mpirun = hosts_with(
        {{"SOLVE_RENDEZVOUS", "f"}, {"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"RANK", "1"}});
    CHECK(mpirun.rank == 0);
    CHECK(mpirun.world == 2);
    CHECK(hosts_with({{"SOLVE_RENDEZVOUS", "f"}, {"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}}).rank == 3);
    CHECK_THROWS_WITH(hosts_with({{"SOLVE_RENDEZVOUS", "f"}}),
                      "SOLVE_RENDEZVOUS is set, but neither SOLVE_RANK and SOLVE_WORLD nor a launcher's");
    CHECK_THROWS_WITH(hosts_with({{"SOLVE_RENDEZVOUS", "f"}, {"SOLVE_RANK", "2"}, {"SOLVE_WORLD", "2"}}),
                      "SOLVE_RANK=2, of SOLVE_WORLD=2");
    CHECK_THROWS_WITH(hosts_with({{"SOLVE_RENDEZVOUS", "f"}, {"SOLVE_RANK", "one"}, {"SOLVE_WORLD", "2"}}),
                      "SOLVE_RANK=one: a number is expected");
    CHECK_THROWS_WITH(hosts_with({{"SOLVE_RENDEZVOUS", "env"}}),
                      "SOLVE_RENDEZVOUS=env: MASTER_ADDR and MASTER_PORT are not set");
}

TEST_CASE("one of several processes may lack B and rows, and takes part all the same") {
    const auto calls_with = [](bool several) {
        const std::unique_ptr<Variable> where(several ? new Variable("SOLVE_RENDEZVOUS", "f") : nullptr);
        int calls = 0;
        for (const int rows : {0, 4}) {
            std::vector<float> A(20), C(20);
            const solve_gemm_t call = ladder::call_of(A.data(), nullptr, C.data(), rows, 5, 5);
            const int code = ladder::solve_gemm_on_host(
                &call, SOLVE_ARITHMETIC_FP32, [&](const solve_gemm_t& one) { calls += one.M == rows; },
                ladder::host_threads);
            CHECK(code == (several ? SOLVE_OK : SOLVE_INVALID_ARGUMENT));
        }
        return calls;
    };
    CHECK(calls_with(false) == 0);
    CHECK(calls_with(true) == 2);
}
