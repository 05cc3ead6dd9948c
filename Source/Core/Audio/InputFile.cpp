#include "Core/Audio/InputFile.h"

#include "Core/Base/Error.h"
#include "Core/Base/Platform/Files.h"
#include "Core/Base/Unicode.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

namespace earshot::audio {

namespace {

std::string systemMessage() { return std::strerror(errno); }

platform::Descriptor openUnnamedTemporary(const std::string& purpose) {
    std::error_code failure;
    std::filesystem::path directory = std::filesystem::temp_directory_path(failure);
    if (failure) directory = "/tmp";
    auto file = platform::createUnnamed(directory);
    if (!file.isOpen())
        throw Error(purpose + ": no temporary file in " + displayName(directory) + " (" + systemMessage() +
                    "); set TMPDIR to a folder that can be written");
    return file;
}

void writeAll(int descriptor, const char* data, std::size_t bytes, const std::string& purpose) {
    while (bytes > 0) {
        const auto written = platform::write(descriptor, data, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            throw Error(purpose + ": the temporary copy failed (" + systemMessage() +
                        "); set TMPDIR to a folder with more room");
        data += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

} // namespace

InputFile::InputFile(platform::Descriptor descriptor, std::string name)
    : descriptor_(std::move(descriptor))
    , name_(std::move(name)) {}

InputFile InputFile::open(const std::filesystem::path& file, Pipes pipes) {
    std::error_code ignored;
    if (pipes == Pipes::read && std::filesystem::is_fifo(file, ignored)) {
        auto opened = platform::openPipe(file);
        if (!opened.isOpen())
            throw Error(displayName(file) + ": cannot be opened (" + systemMessage() +
                        "); check its permissions");
        PipeInput pipe(std::move(opened), displayName(file));
        return copyOf(pipe);
    }
    RegularFile opened(file, "file of audio");
    if (opened.size() == 0) throw Error(displayName(file) + ": is empty (0 bytes); record or copy it again");
    InputFile input(opened.release(), displayName(file));
    input.size_ = static_cast<std::int64_t>(opened.size());
    return input;
}

InputFile InputFile::standardInput() {
    PipeInput pipe = PipeInput::standardInput();
    return copyOf(pipe);
}

InputFile InputFile::copyOf(PipeInput& pipe) {
    InputFile copy = temporary(pipe.name());
    std::array<char, 1 << 16> buffer{};
    while (const std::size_t bytes = pipe.readAt(copy.size_, buffer.data(), buffer.size()))
        copy.append({buffer.data(), bytes});
    if (pipe.stopped()) throw Error(pipe.name() + ": interrupted while reading");
    if (!pipe.failure().empty()) throw Error(pipe.name() + ": cannot be read (" + pipe.failure() + ")");
    if (copy.size_ == 0) throw Error(pipe.name() + ": is empty (0 bytes); pipe an audio file into it");
    copy.seek(0, SEEK_SET);
    return copy;
}

InputFile InputFile::flowing(std::shared_ptr<PipeInput> pipe) {
    InputFile input(platform::Descriptor(), pipe->name());
    input.size_ = std::numeric_limits<std::int64_t>::max() / 2;
    input.flow_ = std::move(pipe);
    return input;
}

InputFile InputFile::inMemory(std::string bytes, const std::string& name) {
    InputFile input(platform::Descriptor(), name);
    const auto size = static_cast<std::int64_t>(bytes.size());
    input.rearrange(std::move(bytes), {{.begin = size, .from = Stretch::zeros}}, size);
    return input;
}

InputFile InputFile::temporary(const std::string& name) { return {openUnnamedTemporary(name), name}; }

void InputFile::append(std::string_view bytes) {
    writeAll(descriptor_.number(), bytes.data(), bytes.size(), name_);
    size_ += static_cast<std::int64_t>(bytes.size());
}

void InputFile::cutAt(std::int64_t size) {
    if (stretches_.empty()) rearrange({}, {{}}, size_);
    size_ = std::min(size_, size);
}

void InputFile::rearrange(std::string head, std::vector<Stretch> stretches, std::int64_t size) {
    head_ = std::move(head);
    stretches_ = std::move(stretches);
    size_ = size;
    position_ = 0;
}

std::size_t InputFile::readFile(char* destination, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const auto got = platform::read(descriptor_.number(), destination + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failed_ = true;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

// Reads on from the position to the end of its stretch, at most that many bytes.
std::size_t InputFile::readStretch(char* destination, std::size_t bytes) {
    const auto next = std::ranges::upper_bound(stretches_, position_, {}, &Stretch::begin);
    const std::int64_t end = next == stretches_.end() ? size_ : next->begin;
    const auto count = static_cast<std::size_t>(
        std::clamp<std::int64_t>(end - position_, 0, static_cast<std::int64_t>(bytes)));
    if (next == stretches_.begin()) {
        std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(position_), count, destination);
        return count;
    }
    const Stretch& stretch = *std::prev(next);
    if (stretch.from == Stretch::zeros) {
        std::fill_n(destination, count, stretch.fill);
        return count;
    }
    platform::seek(descriptor_.number(), stretch.from + position_ - stretch.begin, SEEK_SET);
    return readFile(destination, count);
}

std::size_t InputFile::read(void* destination, std::size_t bytes) {
    auto* const to = static_cast<char*>(destination);
    if (stretches_.empty() && !flow_) return readFile(to, bytes);
    std::size_t done = 0;
    while (done < bytes) {
        const std::size_t count =
            flow_ ? flow_->readAt(position_, to + done, bytes - done) : readStretch(to + done, bytes - done);
        if (count == 0) break;
        position_ += static_cast<std::int64_t>(count);
        done += count;
        if (flow_) break; // with what is there: a decoder need not wait for more
    }
    if (flow_ && !flow_->failure().empty()) failed_ = true;
    return done;
}

std::int64_t InputFile::seek(std::int64_t offset, int whence) {
    if (stretches_.empty() && !flow_) return platform::seek(descriptor_.number(), offset, whence);
    const std::int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position_ : size_;
    if (offset < -from) return -1;
    return position_ = from + offset;
}

std::int64_t InputFile::position() const {
    return stretches_.empty() && !flow_ ? platform::seek(descriptor_.number(), 0, SEEK_CUR) : position_;
}

} // namespace earshot::audio
