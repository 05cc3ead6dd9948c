#include "Benchmark/Processes.h"

#include "Core/Base/Error.h"

#include <fmt/format.h>

#ifdef __linux__
#include <malloc.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace earshot::benchmark {

namespace {

double secondsOf(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A line of /proc/self/status: "VmRSS:   1234 kB".
double memoryLine(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name)) return std::stod(line.substr(name.size())) * 1024.0;
    return 0.0;
}

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The fork's part: its numbers into the pipe, one to a line.
[[noreturn]] void answer(int pipe, const std::function<std::vector<double>()>& work) {
    int code = 1;
    try {
        const auto numbers = work();
        const File out(fdopen(pipe, "w"));
        for (const double number : numbers) fmt::print(out.get(), "{:a}\n", number);
        code = 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
    }
    _exit(code);
}

} // namespace

double processSeconds() { return secondsOf(CLOCK_PROCESS_CPUTIME_ID); }
double threadSeconds() { return secondsOf(CLOCK_THREAD_CPUTIME_ID); }
double residentMemory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    return memoryLine("VmRSS:");
}
double peakMemory() { return memoryLine("VmHWM:"); }

int runningThreads() {
    std::error_code unknown;
    const std::filesystem::directory_iterator tasks("/proc/self/task", unknown);
    return unknown
               ? 0
               : static_cast<int>(std::distance(std::filesystem::begin(tasks), std::filesystem::end(tasks)));
}

std::vector<double> inFork(const std::function<std::vector<double>()>& work) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw Error("the benchmark cannot open a pipe");
    std::fflush(nullptr); // else the fork writes again what waits to be written
    const pid_t child = fork();
    if (child < 0) throw Error("the benchmark cannot start a process of its own");
    if (child == 0) {
        close(ends[0]);
        answer(ends[1], work);
    }
    close(ends[1]);
    std::vector<double> numbers;
    {
        const File in(fdopen(ends[0], "r"));
        for (double number = 0.0; std::fscanf(in.get(), "%la", &number) == 1;) numbers.push_back(number);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw Error("a measurement in a process of its own failed; see the message above");
    return numbers;
}

} // namespace earshot::benchmark
