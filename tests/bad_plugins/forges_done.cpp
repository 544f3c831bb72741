// expect: crashed
// fault: F27: Tells the parent that everything was said, by the worker's own key, before there is a result.
// note: told no result
#include <unistd.h>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

// The number behind a name in the job, which is JSON in the worker's arguments.
static uint64_t in_job(const std::string& job, const std::string& name) {
    return std::strtoull(job.c_str() + job.find("\"" + name + "\":") + name.size() + 3, nullptr, 10);
}

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    std::ifstream arguments("/proc/self/cmdline");
    const std::string job{std::istreambuf_iterator<char>(arguments), {}}, done = "{\"type\":\"done\"}";
    uint64_t hash = in_job(job, "key") ^ 0xcbf29ce484222325;
    for (const unsigned char byte : done) hash = (hash ^ byte) * 0x100000001b3;
    dprintf(in_job(job, "channel"), "\n%016" PRIx64 " %s\n", hash, done.c_str());
    while (true) pause();
}
