#include "Core/Base/AppendedFile.h"

#include "Core/Base/Platform/Files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
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

AppendedFile::AppendedFile(std::filesystem::path file, std::string header, Limits limits)
    : file_(std::move(file))
    , header_(std::move(header))
    , limits_(limits) {}

// What must come before the next line: the header, or the end of a line that another program left unfinished.
std::string AppendedFile::prefixFor(int descriptor, std::uint64_t size) const {
    if (size == 0) return header_;
    char last = '\n';
    if (withinLine_ || platform::readAt(descriptor, &last, 1, size - 1) != 1 || last == '\n') return {};
    return "\n";
}

// Whether the path still names this file: another writer may have renamed it while this one waited.
bool AppendedFile::isCurrent(int descriptor) const {
    const auto open = platform::statusOf(descriptor), named = platform::statusOf(file_);
    return open && named && open->identity == named->identity;
}

// Whether it is empty or begins with the header.
bool AppendedFile::isOurs(int descriptor) const {
    std::string begin(header_.size(), '\0');
    const auto bytes = platform::readAt(descriptor, begin.data(), begin.size(), 0);
    return bytes == 0 || (std::cmp_equal(bytes, begin.size()) && begin == header_);
}

// Leaves the name to a new file. A folder in which nothing can be renamed costs the old lines. Returns why
// that cannot be.
std::string AppendedFile::startOver(int descriptor) const {
    auto older = file_;
    older += ".1";
    if (const auto there = platform::openToRead(older); there.isOpen() && !isOurs(there.number()))
        return older.filename().string() + " beside it is not a log of Earshot";
    return platform::rename(file_, older) || platform::cut(descriptor, 0) ? std::string() : systemReason();
}

AppendedFile::Result AppendedFile::append(std::string_view lines) {
    if (limits_.isPrivate) {
        std::error_code ignored; // opening says why
        std::filesystem::create_directories(file_.parent_path(), ignored);
    }
    constexpr int maxRenames = 8; // by others, between opening and locking
    for (int i = 0;; ++i) {
        const auto file = platform::openToAppend(file_);
        if (!file.isOpen()) return {0, systemReason()};
        const auto kind = platform::statusOf(file.number());
        if (!kind) return {0, systemReason()};
        if (kind->kind != platform::FileKind::regular) return {0, "expected a file, found something else"};
        if (!lockToAppend(file.number())) return {0, "another program holds its lock"};
        const auto status = platform::statusOf(file.number());
        if (!status) return {0, systemReason()};
        const bool isFull =
            limits_.maxBytes > 0 && status->size > 0 && status->size + lines.size() > limits_.maxBytes;
        if (limits_.maxBytes > 0 && !isOurs(file.number())) return {0, "it is not a log of Earshot"};
        if (i == maxRenames || limits_.maxBytes == 0 || (isCurrent(file.number()) && !isFull))
            return appendTo(file.number(), status->size, lines);
        if (!isFull || !isCurrent(file.number())) continue;
        if (const auto why = startOver(file.number()); !why.empty()) return {0, why};
    }
}

AppendedFile::Result AppendedFile::appendTo(int descriptor, std::uint64_t size, std::string_view lines) {
    if (size == 0) {
        withinLine_ = false;
        constexpr unsigned ownerOnly = 0600;
        if (limits_.isPrivate) platform::setMode(descriptor, ownerOnly);
    }
    const std::string prefix = prefixFor(descriptor, size);
    const std::string text = prefix + std::string(lines);
    const std::size_t written = writeAsMuch(descriptor, text);
    if (written == text.size()) {
        withinLine_ = false;
        return {lines.size(), {}};
    }
    Result result{0, systemReason()};
    const std::size_t whole = wholeLines(text, written);
    const bool isCut = whole == written || platform::cut(descriptor, size + whole);
    const std::size_t kept = isCut ? whole : written;
    if (kept > 0) withinLine_ = !isCut && kept > prefix.size();
    result.written = kept - std::min(kept, prefix.size());
    return result;
}

} // namespace earshot
