#include "Core/Base/WholeFile.h"

#include "Core/Base/Platform/Files.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <set>
#include <thread>
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
    constexpr int maxLinks = 40; // Linux's own limit
    fs::path place = target;
    for (int i = 0; i < maxLinks; ++i) {
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

enum class Leftover { removed, held, withoutLocks };

bool leadsTo(const fs::path& name, int descriptor) {
    const auto named = platform::statusOf(name, platform::Links::notFollowed);
    const auto opened = platform::statusOf(descriptor);
    return named && opened && named->identity == opened->identity;
}

// Where a file system has no locks, a living writer cannot be told from a killed one but by its pauses.
bool isAbandoned(int descriptor) {
    constexpr auto maxPause = std::chrono::hours(24);
    const auto status = platform::statusOf(descriptor);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return status && std::chrono::nanoseconds(status->changed) + maxPause < now;
}

// Network shares may lock for writing only what is open for writing.
platform::Descriptor openToLock(const fs::path& file) {
    auto opened = platform::openExisting(file);
    return opened.isOpen() ? std::move(opened) : platform::openToRead(file, platform::Links::notFollowed);
}

// Removes a temporary file unless a living writer holds it. A link is removed, never followed. A file is
// removed by who holds its lock alone, so that no name leads to another's file unnoticed.
Leftover removeUnlessHeld(const fs::path& temporary) {
    const auto opened = openToLock(temporary);
    if (!opened.isOpen()) {
        const auto status = platform::statusOf(temporary, platform::Links::notFollowed);
        if (!status) return Leftover::removed;
        if (status->kind != platform::FileKind::link) return Leftover::withoutLocks; // another user's
    } else if (!platform::lock(opened.number())) {
        if (errno == EWOULDBLOCK) return Leftover::held;
        if (!isAbandoned(opened.number())) return Leftover::withoutLocks;
    } else if (!leadsTo(temporary, opened.number())) {
        return Leftover::removed; // by another; what the name leads to now is somebody's
    }
    platform::remove(temporary);
    return Leftover::removed;
}

// A name in the target's folder that no other writer has.
fs::path uniqueTemporary(const fs::path& place) {
    std::random_device random;
    const auto half = [&] { return static_cast<std::uint32_t>(random()); };
    return folderOf(place) / fmt::format("{}{:08x}{:08x}{}", prefix, half(), half(), suffix);
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
    , source_(std::move(other.source_))
    , sourceFile_(std::move(other.sourceFile_))
    , buffer_(std::move(other.buffer_)) {}

WholeFile::~WholeFile() {
    if (!temporary_.empty()) platform::remove(temporary_);
}

// A temporary file is its writer's from the moment on at which it is locked and its name still leads to it:
// between creating and locking, another writer may have taken it for a killed one's.
bool WholeFile::createUnder(const fs::path& name) {
    descriptor_ = platform::createNew(name);
    if (!descriptor_.isOpen()) return false;
    temporary_ = name;
    if (platform::lock(descriptor_.number())) {
        if (leadsTo(name, descriptor_.number())) return true;
        errno = EEXIST;
    } else if (errno == EWOULDBLOCK) {
        errno = EEXIST;
    } else {
        platform::remove(name);
        errno = ENOLCK;
    }
    temporary_.clear();
    return false;
}

void WholeFile::createTemporary() {
    // A hash keeps the name short even if the target's name is as long as the file system allows.
    const fs::path name =
        folderOf(place_) / fmt::format("{}{:016x}{}", prefix, fnv1a(place_.filename().string()), suffix);
    // Short files of two programs follow each other; a long one is reported.
    constexpr auto patience = std::chrono::milliseconds(200);
    const auto start = std::chrono::steady_clock::now();
    while (!createUnder(name)) {
        if (errno == ENOLCK) return createWithoutLocks();
        if (errno != EEXIST) failToWrite(target_, errno);
        const auto left = removeUnlessHeld(name);
        if (left == Leftover::withoutLocks) return createWithoutLocks();
        if (std::chrono::steady_clock::now() - start > patience) failToWrite(target_, EBUSY);
        if (left == Leftover::held) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

// Nobody else takes this name, whether or not its file can be locked.
void WholeFile::createWithoutLocks() {
    fs::path name = uniqueTemporary(place_);
    descriptor_ = platform::createNew(name);
    if (!descriptor_.isOpen()) failToWrite(target_, errno);
    temporary_ = std::move(name);
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
    // The locked file keeps its name, so that no other writer begins.
    if (fs::path name = uniqueTemporary(place_); platform::link(from, name)) {
        platform::remove(name);
        source_ = std::move(source);
        sourceFile_ = from;
        return;
    }
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
    if (!source_.isOpen()) keepMode();
    if (!platform::sync(source_.isOpen() ? source_.number() : descriptor_.number()))
        failToWrite(target_, errno);
}

void WholeFile::beginSync() {
    flush();
    if (!source_.isOpen()) platform::beginSync(descriptor_.number());
}

// Another program may remove the link as a killed one's leftover before it has its place.
void WholeFile::linkIntoPlace() {
    constexpr int maxAttempts = 10;
    for (int i = 0; i < maxAttempts; ++i) {
        const fs::path name = uniqueTemporary(place_);
        if (!platform::link(sourceFile_, name)) failToWrite(target_, errno);
        const bool done = platform::rename(name, place_);
        const int code = errno;
        // Renaming one of two names of a file to the other would leave both.
        platform::remove(name);
        if (done) return;
        if (code != ENOENT || i + 1 == maxAttempts) failToWrite(target_, code);
    }
}

void WholeFile::putIntoPlace() {
    if (source_.isOpen()) {
        linkIntoPlace();
        platform::remove(temporary_);
    } else if (!leadsTo(temporary_, descriptor_.number())) {
        failToWrite(target_, EBUSY); // removed from outside: another's file may have the name
    } else if (!platform::rename(temporary_, place_)) {
        failToWrite(target_, errno);
    }
    temporary_.clear();
}

void WholeFile::commit() { commit({this, 1}); }

void WholeFile::commit(std::span<WholeFile> files) {
    std::set<fs::path> folders;
    place(files, folders);
    syncFolders(folders);
}

void WholeFile::place(std::span<WholeFile> files, std::set<fs::path>& folders) {
    for (WholeFile& file : files) file.sync();
    for (WholeFile& file : files) {
        file.putIntoPlace();
        folders.insert(folderOf(file.place_));
    }
}

void WholeFile::syncFolders(const std::set<fs::path>& folders) {
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
        if (name.starts_with(prefix) && temporary && removeUnlessHeld(entry->path()) == Leftover::removed)
            ++removed;
    }
    return removed;
}

} // namespace earshot
