#include "Core/Base/WholeFile.h"

#include "Core/Base/Platform/Files.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

namespace earshot {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = ".earshot-";
constexpr std::string_view suffix = ".partial";
constexpr std::size_t bufferBytes = std::size_t{1} << 16;

fs::path folderOf(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// The file to which a link leads, whether or not it exists.
fs::path followLinks(const fs::path& target) {
    constexpr int mostLinks = 40; // Linux's own limit
    fs::path place = target;
    for (int i = 0; i < mostLinks; ++i) {
        std::error_code notLink;
        const fs::path next = fs::read_symlink(place, notLink);
        if (notLink) return place;
        place = folderOf(place) / next; // an absolute `next` stands alone
    }
    failToWrite(target, ELOOP);
}

void makeFolders(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) failToWrite(folder, failure.value());
}

// A target may be replaced if it does not exist, or if it is a regular file that its owner has not protected.
void checkReplaceable(const fs::path& place, const fs::path& shown) {
    const auto status = platform::statusOf(place, platform::Links::notFollowed);
    if (!status) {
        // The temporary file's name is short and never empty. Other errors show when it is created.
        if (errno == ENAMETOOLONG || place.empty()) failToWrite(shown, errno);
        return;
    }
    if (status->kind == platform::FileKind::folder) failToWrite(shown, EISDIR);
    if (status->kind != platform::FileKind::regular)
        throw WriteError(displayName(shown) +
                         ": is no regular file and cannot be replaced; name another file");
    if (!platform::isWritable(place)) failToWrite(shown, errno);
}

// Removes a temporary file unless a living writer holds it. Returns false in that case. A link is removed,
// never followed.
bool removeUnlessHeld(const fs::path& temporary) {
    const auto held = platform::openToRead(temporary, platform::Links::notFollowed);
    const bool busy = held.isOpen() && !platform::lock(held.number()) && errno == EWOULDBLOCK;
    if (!busy) platform::remove(temporary);
    return !busy;
}

} // namespace

void failToWrite(const fs::path& file, int code) {
    using Reach = WriteError::Reach;
    auto reach = Reach::oneResult;
    const char* advice = "choose a folder that can be written";
    switch (code) {
    case ENOSPC:
#ifdef EDQUOT
    case EDQUOT:
#endif
        reach = Reach::allResults;
        advice = "make room, then start the same command again to go on";
        break;
    case EROFS:
        reach = Reach::allResults;
        break;
    case EIO:
        reach = Reach::allResults;
        advice = "check the disk, then start the same command again to go on";
        break;
    case EFBIG:
        reach = Reach::allResults; // like a quota
        advice = "make room for a file of this size, or raise the limit of file sizes";
        break;
    case ENAMETOOLONG:
        advice = "this file system takes no name of that length: shorten it, or choose another folder";
        break;
    case ENOENT:
        advice = "check that its folder exists";
        break;
    case EISDIR:
        advice = "name a file";
        break;
    case EBUSY:
        advice = "another earshot is writing it: wait for that one, or name another file";
        break;
    default:
        break;
    }
    throw WriteError(
        fmt::format("{}: cannot be written ({}); {}", displayName(file), std::strerror(code), advice), reach);
}

WholeFile::WholeFile(fs::path target, MissingFolders folders)
    : target_(std::move(target))
    , place_(followLinks(target_)) {
    if (folders == MissingFolders::made) makeFolders(folderOf(place_));
    checkReplaceable(place_, target_);
    buffer_.reserve(bufferBytes);
    createTemporary();
}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : target_(std::move(other.target_))
    , place_(std::move(other.place_))
    , temporary_(std::exchange(other.temporary_, {}))
    , descriptor_(std::move(other.descriptor_))
    , linked_(other.linked_)
    , buffer_(std::move(other.buffer_)) {}

WholeFile::~WholeFile() {
    if (!temporary_.empty()) platform::remove(temporary_);
}

void WholeFile::createTemporary() {
    // A hash keeps the name short even if the target's name is as long as the file system allows.
    fs::path name =
        folderOf(place_) / fmt::format("{}{:016x}{}", prefix, fnv1a(place_.filename().string()), suffix);
    descriptor_ = platform::createNew(name);
    if (!descriptor_.isOpen() && errno == EEXIST) {
        if (!removeUnlessHeld(name)) failToWrite(target_, EBUSY);
        descriptor_ = platform::createNew(name);
    }
    if (!descriptor_.isOpen()) failToWrite(target_, errno);
    temporary_ = std::move(name);
    // Without locks, a living writer cannot be told from a killed one.
    platform::lock(descriptor_.number());
}

void WholeFile::writeOut(const char* from, std::size_t bytes) {
    while (bytes > 0) {
        const auto written = platform::write(descriptor_.number(), from, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) failToWrite(target_, errno);
        from += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

void WholeFile::write(const void* data, std::size_t bytes) {
    assert(!temporary_.empty());
    const auto* from = static_cast<const char*>(data);
    if (buffer_.size() + bytes > bufferBytes) flush();
    if (bytes < bufferBytes)
        buffer_.insert(buffer_.end(), from, from + bytes);
    else
        writeOut(from, bytes);
}

void WholeFile::flush() {
    writeOut(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void WholeFile::seek(std::uint64_t position) {
    flush();
    if (platform::seek(descriptor_.number(), static_cast<std::int64_t>(position), SEEK_SET) < 0)
        failToWrite(target_, errno);
}

void WholeFile::takeFrom(const fs::path& from) {
    auto source = platform::openToRead(from, platform::Links::notFollowed);
    const auto failToRead = [&](int code) {
        throw WriteError(
            fmt::format("{}: cannot be copied to {} ({}); check that it is a file that can be read",
                        displayName(from), displayName(target_), std::strerror(code)));
    };
    if (!source.isOpen()) failToRead(errno);
    const auto status = platform::statusOf(source.number());
    if (!status || status->kind != platform::FileKind::regular) failToRead(EINVAL);
    descriptor_ = platform::Descriptor();
    platform::remove(temporary_);
    if (platform::link(from, temporary_)) {
        descriptor_ = std::move(source);
        linked_ = true;
        return;
    }
    descriptor_ = platform::createNew(temporary_);
    if (!descriptor_.isOpen()) failToRead(errno);
    std::vector<char> block(bufferBytes);
    for (std::ptrdiff_t count = 0;
         (count = platform::read(source.number(), block.data(), block.size())) != 0;) {
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) failToRead(errno);
        writeOut(block.data(), static_cast<std::size_t>(count));
    }
}

void WholeFile::keepMode() const {
    if (const auto status = platform::statusOf(place_)) platform::setMode(descriptor_.number(), status->mode);
}

void WholeFile::sync() {
    flush();
    if (!linked_) keepMode();
    if (!platform::sync(descriptor_.number())) failToWrite(target_, errno);
}

void WholeFile::commit() { commit({this, 1}); }

void WholeFile::commit(std::span<WholeFile> files) {
    for (WholeFile& file : files) file.sync();
    std::set<fs::path> folders;
    for (WholeFile& file : files) {
        if (!platform::rename(file.temporary_, file.place_)) failToWrite(file.target_, errno);
        // Renaming one of two names of a file to the other would leave both.
        if (file.linked_) platform::remove(file.temporary_);
        file.temporary_.clear();
        folders.insert(folderOf(file.place_));
    }
    for (const fs::path& folder : folders)
        if (!platform::syncFolder(folder)) failToWrite(folder, errno);
}

void writeWholeFile(const fs::path& target, std::string_view bytes, WholeFile::MissingFolders folders) {
    WholeFile file(target, folders);
    file.write(bytes);
    file.commit();
}

void requireWritable(const fs::path& target) { const WholeFile probe(target); }

std::size_t removeTemporaries(const fs::path& folder) {
    std::size_t removed = 0;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        // Earlier versions had temporary files of temporary files, with ".part" behind the name.
        const bool temporary = name.ends_with(suffix) || name.ends_with(std::string(suffix) + ".part");
        if (name.starts_with(prefix) && temporary && removeUnlessHeld(entry->path())) ++removed;
    }
    return removed;
}

} // namespace earshot
