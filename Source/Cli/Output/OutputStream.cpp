#include "Cli/Output/OutputStream.h"

#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Printable.h"

#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace earshot::cli {

namespace fs = std::filesystem;

std::optional<int> descriptorNamed(const fs::path& file) {
    constexpr int mostLinks = 40; // as Linux has it
    std::error_code failure;
    const fs::path own = fs::canonical("/dev/fd", failure); // /proc/123/fd on Linux
    if (failure) return std::nullopt;
    fs::path place = file;
    for (int i = 0; i < mostLinks; ++i) {
        const fs::path folder = fs::canonical(place.has_parent_path() ? place.parent_path() : ".", failure);
        const std::string name = place.filename().string();
        int number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (!failure && folder == own && error == std::errc() && end == name.data() + name.size())
            return number;
        const fs::path next = fs::read_symlink(place, failure);
        if (failure) return std::nullopt;
        place = folder / next; // an absolute `next` stands alone
    }
    return std::nullopt;
}

OutputStream::OutputStream(const std::optional<std::string>& file)
    : name_(file.value_or("standard output"))
    , stream_(stdout) {
    if (!file) return;
    struct stat status {};
    const bool isThere = ::stat(file->c_str(), &status) == 0;
    const bool isWhole = !isThere || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
    if (descriptorNamed(*file) || !isWhole) {
        openDirectly(*file);
        return;
    }
    stream_ = nullptr;
    whole_.emplace(*file);
    replaces_ = isThere && status.st_size > 0;
}

void OutputStream::openDirectly(const std::string& file) {
    int descriptor = -1;
    do {
        // A copy of an open file shares its place in it; opened anew, it would be written from its start.
        const auto own = descriptorNamed(file);
        descriptor = own ? ::fcntl(*own, F_DUPFD_CLOEXEC, 0) : ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0 && errno == EINTR && interrupted()) throw Interrupted();
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) failToWrite(name_, errno);
    owned_.reset(::fdopen(descriptor, "wb"));
    if (!owned_) failToWrite(name_, errno);
    stream_ = owned_.get();
}

bool OutputStream::isTerminal() const { return stream_ != nullptr && ::isatty(::fileno(stream_)) != 0; }

void OutputStream::write(std::string_view text) {
    if (whole_)
        whole_->write(text);
    else if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size())
        fail();
}

void OutputStream::flush() {
    if (stream_ != nullptr && std::fflush(stream_) != 0) fail();
}

void OutputStream::finish() {
    flush();
    if (whole_) whole_->commit();
    if (owned_ && std::fclose(owned_.release()) != 0) fail();
}

void OutputStream::finishInterrupted() {
    if (!replaces_) return finish();
    whole_.reset();
    printNote("stopped; " + displayName(name_) + " stays as it was");
}

void OutputStream::fail() const {
    const int code = errno;
    if (code == EPIPE) throw ReaderGone();
    if (code == EINTR && interrupted()) throw Interrupted();
    if (code == EBADF && !owned_)
        throw WriteError(name_ + ": is closed; leave it open, or send it to a file");
    failToWrite(name_, code);
}

} // namespace earshot::cli
