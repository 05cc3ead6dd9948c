#include "Core/Base/AppendedFile.h"

#include "Core/Base/Platform/Files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace earshot {

namespace {

std::string systemReason() { return std::strerror(errno); }

// Returns false if another program held the lock for a second. File systems without locks do without.
bool lockToAppend(int descriptor) {
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
        if (platform::lock(descriptor) || (errno != EWOULDBLOCK && errno != EAGAIN && errno != EINTR))
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

// Returns the bytes written; errno has the reason if they are fewer.
std::size_t writeAsMuch(int descriptor, std::string_view text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const auto written = platform::write(descriptor, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        done += static_cast<std::size_t>(written);
    }
    return done;
}

// The bytes of the whole lines among the first `bytes`.
std::size_t wholeLines(std::string_view text, std::size_t bytes) {
    const auto end = text.substr(0, bytes).rfind('\n');
    return end == std::string_view::npos ? 0 : end + 1;
}

} // namespace

AppendedFile::AppendedFile(std::filesystem::path file, std::string header)
    : file_(std::move(file))
    , header_(std::move(header)) {}

// What must come before the next line: the header, or the end of a line that another program left unfinished.
std::string AppendedFile::prefixFor(int descriptor, std::uint64_t size) const {
    if (size == 0) return header_;
    char last = '\n';
    if (withinLine_ || platform::readAt(descriptor, &last, 1, size - 1) != 1 || last == '\n') return {};
    return "\n";
}

AppendedFile::Result AppendedFile::append(std::string_view lines) {
    const auto file = platform::openToAppend(file_);
    if (!file.isOpen()) return {0, systemReason()};
    const auto kind = platform::statusOf(file.number());
    if (!kind) return {0, systemReason()};
    if (kind->kind != platform::FileKind::regular) return {0, "expected a file, found something else"};
    if (!lockToAppend(file.number())) return {0, "another program holds its lock"};
    const auto status = platform::statusOf(file.number());
    if (!status) return {0, systemReason()};
    if (status->size == 0) withinLine_ = false;
    const std::string prefix = prefixFor(file.number(), status->size);
    const std::string text = prefix + std::string(lines);
    const std::size_t written = writeAsMuch(file.number(), text);
    if (written == text.size()) {
        withinLine_ = false;
        return {lines.size(), {}};
    }
    Result result{0, systemReason()};
    const std::size_t whole = wholeLines(text, written);
    const bool isCut = whole == written || platform::cut(file.number(), status->size + whole);
    const std::size_t kept = isCut ? whole : written;
    if (kept > 0) withinLine_ = !isCut && kept > prefix.size();
    result.written = kept - std::min(kept, prefix.size());
    return result;
}

} // namespace earshot
