// What benchmark programs share: the time of some work, and their end, which writes the numbers to a file and
// reports failures in one line.
#pragma once

#include "Core/Base/Error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

namespace earshot::benchmark {

// Seconds that work() takes.
template <typename Work>
double timed(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// An empty name writes nothing. Throws earshot::Error when the file cannot be written.
inline void writeJson(const std::string& name, const nlohmann::json& numbers) {
    if (name.empty()) return;
    std::ofstream file(name);
    file << numbers.dump(2) << '\n';
    if (!file.flush()) throw Error(name + ": cannot be written; choose another place for --json");
}

// Runs work(), which returns the exit code.
template <typename Work>
int runBenchmark(const char* program, Work&& work) {
    try {
        return work();
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", program, error.what());
        return 1;
    }
}

} // namespace earshot::benchmark
