#include "Core/Audio/InputFile.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace earshot::audio {

namespace {

std::string systemMessage() { return std::strerror(errno); }

// A file without a name. The system removes it when its descriptor is closed, however the program ends.
int openUnnamedTemporary(const std::string& purpose) {
    std::error_code failure;
    std::filesystem::path directory = std::filesystem::temp_directory_path(failure);
    if (failure) directory = "/tmp";
    std::string path = (directory / "earshot-XXXXXX").string();
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0)
        throw Error(purpose + ": no temporary file in " + displayName(directory) + " (" + systemMessage() +
                    "); set TMPDIR to a folder that can be written");
    ::unlink(path.c_str());
    return descriptor;
}

void writeAll(int descriptor, const char* data, std::size_t bytes, const std::string& purpose) {
    while (bytes > 0) {
        const ssize_t written = ::write(descriptor, data, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            throw Error(purpose + ": the temporary copy failed (" + systemMessage() +
                        "); set TMPDIR to a folder with more room");
        data += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

} // namespace

InputFile::InputFile(int descriptor, std::string name)
    : descriptor_(descriptor)
    , name_(std::move(name)) {}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1))
    , name_(std::move(other.name_))
    , size_(other.size_)
    , failed_(other.failed_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(name_, other.name_);
    std::swap(size_, other.size_);
    std::swap(failed_, other.failed_);
    return *this;
}

InputFile::~InputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

InputFile InputFile::open(const std::filesystem::path& file, Pipes pipes) {
    std::error_code ignored;
    if (pipes == Pipes::read && std::filesystem::is_fifo(file, ignored)) {
        InputFile pipe(::open(file.c_str(), O_RDONLY | O_CLOEXEC), displayName(file));
        if (pipe.descriptor_ < 0)
            throw Error(pipe.name_ + ": cannot be opened (" + systemMessage() + "); check its permissions");
        return std::move(pipe).spooled();
    }
    RegularFile opened(file, "file of audio");
    if (opened.size() == 0) throw Error(displayName(file) + ": is empty (0 bytes); record or copy it again");
    InputFile input(opened.release(), displayName(file));
    input.size_ = static_cast<std::int64_t>(opened.size());
    return input;
}

InputFile InputFile::standardInput() {
    const int copy = ::dup(STDIN_FILENO);
    if (copy < 0) throw Error("standard input: is closed; pipe an audio file into it");
    return InputFile(copy, "standard input").spooled();
}

InputFile InputFile::spooled() && {
    InputFile spool(openUnnamedTemporary(name_), name_);
    std::array<char, 1 << 16> buffer{};
    while (true) {
        const ssize_t bytes = ::read(descriptor_, buffer.data(), buffer.size());
        if (bytes < 0 && errno == EINTR) throw Error(name_ + ": interrupted while reading");
        if (bytes < 0) throw Error(name_ + ": cannot be read (" + systemMessage() + ")");
        if (bytes == 0) break;
        writeAll(spool.descriptor_, buffer.data(), static_cast<std::size_t>(bytes), name_);
        spool.size_ += bytes;
    }
    if (spool.size_ == 0) throw Error(name_ + ": is empty (0 bytes); pipe an audio file into it");
    spool.seek(0, SEEK_SET);
    return spool;
}

std::size_t InputFile::read(void* destination, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = ::read(descriptor_, static_cast<char*>(destination) + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failed_ = true;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::int64_t InputFile::seek(std::int64_t offset, int whence) {
    return ::lseek(descriptor_, static_cast<off_t>(offset), whence);
}

std::int64_t InputFile::position() const { return ::lseek(descriptor_, 0, SEEK_CUR); }

} // namespace earshot::audio
