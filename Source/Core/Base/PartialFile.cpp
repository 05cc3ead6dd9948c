#include "Core/Base/PartialFile.h"

#include "Core/Base/Printable.h"

#include <cassert>
#include <system_error>

namespace earshot {

PartialFile::PartialFile(const std::filesystem::path& file)
    : file_(file)
    , part_(file) {
    part_ += ".part";
    stream_.open(part_, std::ios::binary);
    if (!stream_) fail();
}

PartialFile::~PartialFile() {
    if (completed_) return;
    stream_.close();
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
}

void PartialFile::write(const void* data, std::size_t bytes) {
    assert(!completed_);
    stream_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    if (!stream_) fail();
}

void PartialFile::seek(std::uint64_t position) {
    stream_.seekp(static_cast<std::streamoff>(position));
    if (!stream_) fail();
}

void PartialFile::complete() {
    assert(!completed_);
    stream_.close();
    std::error_code failure;
    if (stream_) std::filesystem::rename(part_, file_, failure);
    if (!stream_ || failure) fail();
    completed_ = true;
}

void PartialFile::fail() const {
    throw WriteError(displayName(file_) +
                     ": cannot be written; check that its folder exists, is writable and has space");
}

} // namespace earshot
