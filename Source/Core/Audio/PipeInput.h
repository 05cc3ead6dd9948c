// Bytes that come as they are made: a pipe, whose beginning is kept so that what it holds can be recognised.
// Everything else is read once, in order. One thread at a time; readAt() waits for the writer.
#pragma once

#include "Core/Base/Platform/Files.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace earshot::audio {

class PipeInput {
  public:
    static constexpr std::size_t maxKept = 1 << 20; // bytes of the beginning
    using Stop = std::function<bool()>;
    // Fills up to that many bytes and returns how many; 0 at the end, -1 if nothing came for a while.
    using Receive = std::function<std::ptrdiff_t(char* destination, std::size_t bytes)>;

    // stop: asked several times a second while nothing comes; true ends the pipe there. Without it an
    // interruption by a signal does. Descriptor of a pipe, a terminal or a file.
    PipeInput(platform::Descriptor descriptor, std::string name, Stop stop = {});
    // Bytes that something else brings. stop: asked each time nothing came.
    PipeInput(Receive receive, std::string name, Stop stop);
    static PipeInput standardInput(Stop stop = {}); // throws Error if it is closed

    const std::string& name() const { return name_; } // in messages
    // Reads on until so many bytes of the beginning are kept, at most maxKept. False: there are fewer.
    bool keep(std::size_t bytes);
    std::string_view kept() const { return kept_; } // valid until more is kept
    // Returns how many bytes were read, at least one unless the pipe has ended, from the kept beginning or
    // where the last call ended. From anywhere else there are none.
    std::size_t readAt(std::int64_t position, void* destination, std::size_t bytes);
    std::int64_t position() const { return consumed_; } // behind the last byte that came

    bool ended() const { return ended_; }
    bool stopped() const { return stopped_; }               // it ended because stop() said so, or by a signal
    const std::string& failure() const { return failure_; } // why the system could not read; empty: it could

  private:
    std::ptrdiff_t receiveOnce(char* destination, std::size_t bytes);
    std::size_t receive(char* destination, std::size_t bytes);

    platform::Descriptor descriptor_;
    std::string name_;
    Stop stop_;
    Receive receive_; // instead of the descriptor
    std::string kept_;
    std::int64_t consumed_ = 0;
    bool ended_ = false, stopped_ = false;
    std::string failure_;
};

} // namespace earshot::audio
