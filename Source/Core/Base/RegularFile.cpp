#include "Core/Base/RegularFile.h"

#include "Core/Base/Platform/Files.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace earshot {

namespace {

Error problem(const std::filesystem::path& file, const std::string& what) {
    return Error(displayName(file) + ": " + what);
}

UnreachableError unreachable(const std::filesystem::path& file, const std::string& what) {
    return UnreachableError(displayName(file) + ": " + what);
}

UnreachableError unreadable(const std::filesystem::path& file) {
    return unreachable(file, std::string("cannot be read (") + std::strerror(errno) + "); check its disk");
}

// Returns the descriptor, or throws the reason why there is none.
platform::Descriptor checked(platform::Descriptor descriptor, const std::filesystem::path& file,
                             const std::string& wanted) {
    if (descriptor.isOpen()) return descriptor;
    if (errno == ENOENT || errno == ENOTDIR)
        throw unreachable(file, "no such " + wanted + "; check the name");
    if (errno == ENXIO || errno == ENODEV)
        throw unreachable(file, "is a socket or a device, not a regular file; name a " + wanted);
    throw unreachable(file,
                      std::string("cannot be opened (") + std::strerror(errno) + "); check its permissions");
}

// Bytes read, 0 at the end.
std::size_t readOnce(const RegularFile& file, std::uint64_t position, std::span<std::byte> destination) {
    while (true) {
        const auto got =
            platform::readAt(file.descriptor(), destination.data(), destination.size(), position);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) throw unreadable(file.path());
    }
}

// read(block, position) gives the bytes it read, 0 at the end.
template <typename Read>
std::string readToTheEnd(const std::filesystem::path& file, std::uint64_t maxBytes, const std::string& wanted,
                         Read read) {
    std::string bytes;
    std::array<char, 1 << 16> block{};
    while (const std::size_t got = read(std::as_writable_bytes(std::span(block)), bytes.size())) {
        bytes.append(block.data(), got);
        if (bytes.size() > maxBytes)
            throw problem(file, "is too large for a " + wanted + "; at most " + std::to_string(maxBytes) +
                                    " bytes are read");
    }
    return bytes;
}

std::string readPipe(const std::filesystem::path& file, std::uint64_t maxBytes, const std::string& wanted) {
    const auto pipe = checked(platform::openPipe(file), file, wanted);
    return readToTheEnd(file, maxBytes, wanted, [&](std::span<std::byte> block, std::uint64_t) {
        const auto got = platform::read(pipe.number(), block.data(), block.size());
        // An interruption is the user's, who need not wait for the writer.
        if (got < 0) throw unreadable(file);
        return static_cast<std::size_t>(got);
    });
}

} // namespace

// Without waiting: a pipe is open at once, and refused then.
RegularFile::RegularFile(const std::filesystem::path& file, std::string_view wanted)
    : path_(file)
    , descriptor_(checked(platform::openToRead(file), file, std::string(wanted))) {
    const auto status = platform::statusOf(descriptor_.number());
    if (!status) throw unreadable(file);
    const auto refuse = [&](const std::string& what) {
        throw problem(file, what + ", not a regular file; name a " + std::string(wanted));
    };
    if (status->kind == platform::FileKind::folder) refuse("is a folder");
    if (status->kind == platform::FileKind::pipe) refuse("is a pipe");
    if (status->kind != platform::FileKind::regular) refuse("is a device");
    size_ = status->size;
}

std::size_t RegularFile::readSome(std::uint64_t position, std::span<std::byte> destination) const {
    std::size_t done = 0;
    while (done < destination.size()) {
        const auto got = readOnce(*this, position + done, destination.subspan(done));
        if (got == 0) break;
        done += got;
    }
    return done;
}

void RegularFile::read(std::uint64_t position, std::span<std::byte> destination) const {
    const auto got = readSome(position, destination);
    if (got < destination.size())
        throw problem(path_, "cannot be read beyond byte " + std::to_string(position + got) +
                                 ": it has become shorter; copy or download it again");
}

std::string readWholeFile(const std::filesystem::path& file, std::uint64_t maxBytes, std::string_view wanted,
                          Pipes pipes) {
    std::error_code ignored;
    if (pipes == Pipes::read && std::filesystem::is_fifo(file, ignored))
        return readPipe(file, maxBytes, std::string(wanted));
    const RegularFile opened(file, wanted);
    return readToTheEnd(
        file, maxBytes, std::string(wanted),
        [&](std::span<std::byte> block, std::uint64_t position) { return opened.readSome(position, block); });
}

std::vector<std::string> readLines(const std::filesystem::path& file, std::uint64_t maxBytes,
                                   std::string_view wanted) {
    const std::string whole = readWholeFile(file, maxBytes, wanted);
    std::string_view text = whole;
    std::vector<std::string> lines;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3); // a byte order mark
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.emplace_back(line);
    }
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

namespace {

// With a byte order mark, or without: then every second byte of its first characters is null, if they are
// ASCII.
bool isUtf16(std::string_view line) {
    if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff")) return true;
    return line.size() >= 2 && (line[0] == '\0') != (line[1] == '\0') &&
           std::ranges::count(line, '\0') >= static_cast<std::ptrdiff_t>(line.size() / 2);
}

} // namespace

std::vector<std::string> readTextLines(const std::filesystem::path& file, std::uint64_t maxBytes,
                                       std::string_view wanted) {
    auto lines = readLines(file, maxBytes, wanted);
    if (!lines.empty() && isUtf16(lines.front()))
        throw Error(displayName(file) + ": is in UTF-16; save it as UTF-8");
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string& line = lines[i];
        if (line.find('\0') != std::string::npos)
            throw Error(fmt::format("{}: line {} holds a null byte, so that this is no text; name a {}",
                                    displayName(file), i + 1, wanted));
        if (validUtf8(line) != line)
            throw Error(
                fmt::format("{}: line {} is not UTF-8; save the file as UTF-8", displayName(file), i + 1));
    }
    return lines;
}

} // namespace earshot
