#include "Cli/OutputStream.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace earshot::cli {

OutputStream::OutputStream(const std::optional<std::string>& file)
    : name_(file.value_or("standard output"))
    , stream_(stdout) {
    if (!file) return;
    owned_.reset(std::fopen(file->c_str(), "wb"));
    stream_ = owned_.get();
    if (stream_ == nullptr)
        throw OutputError(name_ + ": cannot be created (" + std::strerror(errno) +
                          "); choose a folder that exists and can be written");
}

bool OutputStream::isTerminal() const { return ::isatty(::fileno(stream_)) != 0; }

void OutputStream::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail();
}

void OutputStream::flush() {
    if (std::fflush(stream_) != 0) fail();
}

void OutputStream::finish() {
    flush();
    if (owned_ && std::fclose(owned_.release()) != 0) fail();
}

void OutputStream::fail() const {
    const int code = errno;
    if (code == EPIPE) throw ReaderGone();
    if (code == EBADF && !owned_)
        throw OutputError(name_ + ": is closed; leave it open, or send it to a file");
    throw OutputError(name_ + ": cannot be written (" + std::strerror(code) +
                      "); make room or choose another place with --output");
}

} // namespace earshot::cli
