// Runs a program and collects its outputs and its exit code.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace earshot::test {

struct ProcessOptions {
    std::string input = {};                                   // for standard input
    std::map<std::string, std::string> environment = {};      // set on top of the test's own
    std::optional<std::filesystem::path> standardOutput = {}; // a file that gets standard output instead
    // Closes its end of standard output after this many bytes, as `head` does.
    std::optional<std::size_t> closeOutputAfter = {};
    // Sends SIGINT as soon as the program has written anything on standard output.
    bool interrupt = false;
    // Sends this signal after this time, if the program still runs.
    std::optional<std::chrono::milliseconds> signalAfter = {};
    int signal = SIGKILL;
};

struct ProcessResult {
    int exitCode = -1; // 128 + N if signal N killed it, as in a shell
    std::string output;
    std::string errors;
};

ProcessResult runProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                         const ProcessOptions& options = {});

} // namespace earshot::test
