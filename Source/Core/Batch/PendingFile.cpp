#include "Core/Batch/PendingFile.h"

#include "Core/Base/Printable.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = ".earshot-";
constexpr std::string_view suffix = ".partial";

// Of one length, whatever that of the name: names may be as long as file systems bear.
std::uint64_t hashOf(std::string_view name) {
    std::uint64_t hash = 14695981039346656037u; // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

[[noreturn]] void failToWrite(const fs::path& file, int code) {
    const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
    throw WriteError(fmt::format("{}: cannot be written ({}); {}", displayName(file), std::strerror(code),
                                 full ? "make room, then start the same command again to go on"
                                      : "choose a folder that can be written"));
}

void sync(const fs::path& file, const fs::path& shown) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) failToWrite(shown, errno);
    const int code = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    // Some file systems cannot bring a folder to the disk by itself, and say so.
    if (code != 0 && code != EINVAL) failToWrite(shown, code);
}

fs::path folderOf(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

} // namespace

PendingFile::PendingFile(fs::path target)
    : target_(std::move(target))
    , temporary_(folderOf(target_) /
                 fmt::format("{}{:016x}{}", prefix, hashOf(target_.filename().native()), suffix)) {
    std::error_code failure;
    fs::create_directories(folderOf(target_), failure);
    if (failure) failToWrite(folderOf(target_), failure.value());
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : target_(std::move(other.target_))
    , temporary_(std::exchange(other.temporary_, {})) {}

PendingFile::~PendingFile() {
    std::error_code notThere;
    if (!temporary_.empty()) fs::remove(temporary_, notThere);
}

void PendingFile::commit(std::span<PendingFile> files) {
    for (const PendingFile& file : files) sync(file.temporary_, file.target_);
    std::set<fs::path> folders;
    for (PendingFile& file : files) {
        if (std::rename(file.temporary_.c_str(), file.target_.c_str()) != 0) failToWrite(file.target_, errno);
        file.temporary_.clear();
        folders.insert(folderOf(file.target_));
    }
    for (const fs::path& folder : folders) sync(folder, folder);
}

FileWriter::FileWriter(fs::path file)
    : file_(std::move(file))
    , descriptor_(::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) failToWrite(file_, errno);
}

FileWriter::~FileWriter() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void FileWriter::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) failToWrite(file_, errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void FileWriter::close() {
    // Some file systems notice only here that there is no room.
    if (::close(std::exchange(descriptor_, -1)) != 0) failToWrite(file_, errno);
}

void writeAtomically(const fs::path& target, std::string_view bytes) {
    PendingFile file(target);
    FileWriter writer(file.temporary());
    writer.write(bytes);
    writer.close();
    PendingFile::commit({&file, 1});
}

std::size_t removePartialFiles(const fs::path& folder) {
    std::size_t removed = 0;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
        const std::string name = entry.path().filename().string();
        // A writer that has a temporary file of its own beside ours (Core/Base/PartialFile.h) adds to its
        // name.
        const bool partial = name.ends_with(suffix) || name.ends_with(std::string(suffix) + ".part");
        if (name.starts_with(prefix) && partial && fs::remove(entry.path(), failure)) ++removed;
    }
    return removed;
}

} // namespace earshot::batch
