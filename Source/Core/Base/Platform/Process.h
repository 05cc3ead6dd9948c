// Another program whose standard output is read, one implementation for each system (PosixProcess.cpp,
// WindowsProcess.cpp). One thread at a time.
#pragma once

#include "Core/Base/Platform/Files.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::platform {

class Process {
  public:
    struct Limits {
        std::uint64_t memory = 0; // bytes of addresses
        int seconds = 0;          // of processor time
    };

    // Starts command[0], which is searched for in PATH, with the other texts as its arguments; no shell reads
    // them. `input` becomes its standard input. Null, with the reason in errno, if it cannot be started.
    static std::optional<Process> start(const std::vector<std::string>& command, int input,
                                        const Limits& limits);

    Process(Process&& other) noexcept { *this = std::move(other); }
    Process& operator=(Process&& other) noexcept;
    ~Process(); // ends the program

    // Bytes of its output, 0 at the end, or -1: ETIMEDOUT if there was nothing for that long.
    std::ptrdiff_t read(void* destination, std::size_t bytes, std::chrono::milliseconds patience);
    // Ends the program if it still runs. Returns its exit code, or -1 if it did not end by itself.
    int finish();
    // The first of what it wrote to standard error.
    std::string messages() const;

  private:
    Process() = default;

    Descriptor output_, errors_;
    std::optional<int> id_;
    bool ended_ = false; // its output
};

} // namespace earshot::platform
