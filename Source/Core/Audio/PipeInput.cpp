#include "Core/Audio/PipeInput.h"

#include "Core/Base/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace earshot::audio {

PipeInput::PipeInput(platform::Descriptor descriptor, std::string name, Stop stop)
    : descriptor_(std::move(descriptor))
    , name_(std::move(name))
    , stop_(std::move(stop)) {}

PipeInput PipeInput::standardInput(Stop stop) {
    constexpr int standardInput = 0;
    auto copy = platform::duplicate(standardInput);
    if (!copy.isOpen()) throw Error("standard input: is closed; pipe an audio file into it");
    return {std::move(copy), "standard input", std::move(stop)};
}

PipeInput::PipeInput(Receive receive, std::string name, Stop stop)
    : name_(std::move(name))
    , stop_(std::move(stop))
    , receive_(std::move(receive)) {}

// As Receive.
std::ptrdiff_t PipeInput::receiveOnce(char* destination, std::size_t bytes) {
    constexpr int patience = 100; // ms between two questions whether to stop
    if (receive_) return receive_(destination, bytes);
    if (stop_ && !platform::waitForInput(descriptor_.number(), patience)) return -1;
    const auto got = platform::read(descriptor_.number(), destination, bytes);
    if (got >= 0) return got;
    if (errno == EINTR && stop_) return -1;
    stopped_ = errno == EINTR;
    if (!stopped_) failure_ = std::strerror(errno);
    return 0;
}

std::size_t PipeInput::receive(char* destination, std::size_t bytes) {
    while (!ended_ && bytes > 0) {
        if (stop_ && stop_()) {
            stopped_ = ended_ = true;
            break;
        }
        const auto got = receiveOnce(destination, bytes);
        if (got > 0) {
            consumed_ += got;
            return static_cast<std::size_t>(got);
        }
        ended_ = got == 0;
    }
    return 0;
}

bool PipeInput::keep(std::size_t bytes) {
    bytes = std::min(bytes, maxKept);
    while (kept_.size() < bytes && static_cast<std::int64_t>(kept_.size()) == consumed_) {
        const std::size_t before = kept_.size();
        kept_.resize(bytes);
        kept_.resize(before + receive(kept_.data() + before, bytes - before));
        if (kept_.size() == before) break;
    }
    return kept_.size() >= bytes;
}

std::size_t PipeInput::readAt(std::int64_t position, void* destination, std::size_t bytes) {
    if (position < 0) return 0;
    auto* const to = static_cast<char*>(destination);
    if (const auto at = static_cast<std::uint64_t>(position); at < kept_.size()) {
        const std::size_t count = std::min<std::size_t>(bytes, kept_.size() - at);
        std::copy_n(kept_.data() + at, count, to);
        return count;
    }
    if (position != consumed_) return 0;
    const bool keeps = static_cast<std::int64_t>(kept_.size()) == consumed_ && kept_.size() < maxKept;
    const std::size_t count = receive(to, keeps ? std::min(bytes, maxKept - kept_.size()) : bytes);
    if (keeps) kept_.append(to, count);
    return count;
}

} // namespace earshot::audio
