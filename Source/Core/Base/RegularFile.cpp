#include "Core/Base/RegularFile.h"

#include "Core/Base/Unicode.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

// The open descriptor, or the reason why there is none.
int open(const std::filesystem::path& file, int flags, const std::string& wanted) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
    if (descriptor >= 0) return descriptor;
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
        const ssize_t got =
            ::pread(file.descriptor(), destination.data(), destination.size(), static_cast<off_t>(position));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) throw unreadable(file.path());
    }
}

// read(block, position) gives the bytes it read, 0 at the end.
template <typename Read>
std::string readToTheEnd(const std::filesystem::path& file, std::uint64_t mostBytes,
                         const std::string& wanted, Read read) {
    std::string bytes;
    std::array<char, 1 << 16> block{};
    while (const std::size_t got = read(std::as_writable_bytes(std::span(block)), bytes.size())) {
        bytes.append(block.data(), got);
        if (bytes.size() > mostBytes)
            throw problem(file, "is too large for a " + wanted + "; at most " + std::to_string(mostBytes) +
                                    " bytes are read");
    }
    return bytes;
}

std::string readPipe(const std::filesystem::path& file, std::uint64_t mostBytes, const std::string& wanted) {
    struct Descriptor {
        int number;
        ~Descriptor() { ::close(number); }
    };
    const Descriptor pipe{open(file, 0, wanted)};
    return readToTheEnd(file, mostBytes, wanted, [&](std::span<std::byte> block, std::uint64_t) {
        const ssize_t got = ::read(pipe.number, block.data(), block.size());
        // An interruption is the user's, who need not wait for the writer.
        if (got < 0) throw unreadable(file);
        return static_cast<std::size_t>(got);
    });
}

} // namespace

RegularFile::RegularFile(std::filesystem::path file, int descriptor) noexcept
    : path_(std::move(file))
    , descriptor_(descriptor) {}

// Without waiting: a pipe is open at once, and refused then. (Braces: the copy is made before the file is
// opened.)
RegularFile::RegularFile(const std::filesystem::path& file, std::string_view wanted)
    : RegularFile{std::filesystem::path(file), open(file, O_NONBLOCK, std::string(wanted))} {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw unreadable(file);
    const auto refuse = [&](const std::string& what) {
        throw problem(file, what + ", not a regular file; name a " + std::string(wanted));
    };
    if (S_ISDIR(status.st_mode)) refuse("is a folder");
    if (S_ISFIFO(status.st_mode)) refuse("is a pipe");
    if (!S_ISREG(status.st_mode)) refuse("is a device");
    size_ = static_cast<std::uint64_t>(status.st_size);
}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : path_(std::move(other.path_))
    , descriptor_(std::exchange(other.descriptor_, -1))
    , size_(other.size_) {}

RegularFile& RegularFile::operator=(RegularFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
    return *this;
}

RegularFile::~RegularFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

int RegularFile::release() { return std::exchange(descriptor_, -1); }

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

std::string readWholeFile(const std::filesystem::path& file, std::uint64_t mostBytes, std::string_view wanted,
                          Pipes pipes) {
    std::error_code ignored;
    if (pipes == Pipes::read && std::filesystem::is_fifo(file, ignored))
        return readPipe(file, mostBytes, std::string(wanted));
    const RegularFile opened(file, wanted);
    return readToTheEnd(
        file, mostBytes, std::string(wanted),
        [&](std::span<std::byte> block, std::uint64_t position) { return opened.readSome(position, block); });
}

} // namespace earshot
