#include "Core/Batch/Targets.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"

#include <fmt/format.h>

#include <functional>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longestName = 255; // bytes, of nearly all file systems
constexpr std::size_t hashDigits = 16;
constexpr std::size_t mostNamed = 5; // files in a message

std::string shortened(const std::string& name, const std::string& recording, const std::string& suffix) {
    std::size_t kept = longestName - suffix.size() - hashDigits - 1;
    // Not within a character of UTF-8.
    while (kept > 0 && continuesCharacter(name[kept])) --kept;
    return name.substr(0, kept) + '~' + sha256(recording).substr(0, hashDigits) + suffix;
}

bool isThere(const fs::path& file) {
    std::error_code failure;
    return fs::exists(fs::symlink_status(file, failure));
}

void refuse(std::span<const fs::path> wanted, const std::function<bool(const fs::path&)>& isOthers) {
    std::string named;
    std::size_t others = 0;
    for (const fs::path& file : wanted) {
        if (!isThere(file) || !isOthers(file)) continue;
        if (++others <= mostNamed) named += (others > 1 ? ", " : "") + displayName(file);
    }
    if (others == 0) return;
    if (others > mostNamed) named += fmt::format(" and {} more", others - mostNamed);
    throw Error(fmt::format("{}: {} there and not made by Earshot in this folder; choose another folder, or "
                            "--overwrite to replace {}",
                            named, others == 1 ? "is" : "are", others == 1 ? "it" : "them"));
}

} // namespace

bool staysInside(const std::string& name) {
    const fs::path path(name);
    if (name.empty() || path.is_absolute() || name.find('\0') != std::string::npos) return false;
    if (path.lexically_normal().native() != name || !path.has_filename()) return false;
    for (const fs::path& part : path)
        if (part == ".." || part == "." || part == ".earshot") return false;
    return true;
}

fs::path outputFile(const fs::path& folder, const std::string& recording, const std::string& suffix) {
    if (!staysInside(recording) || suffix.find('/') != std::string::npos)
        throw Error(printable(recording) +
                    ": is no name of a recording inside the folder of results; name its folder instead");
    const fs::path path(recording);
    const std::string name = path.filename().native();
    if (name.size() + suffix.size() <= longestName) return folder / (recording + suffix);
    return folder / path.parent_path() / shortened(name, recording, suffix);
}

Targets::Targets(Journal& journal, fs::path folder, bool overwrite)
    : journal_(journal)
    , folder_(std::move(folder))
    , overwrite_(overwrite)
    , ours_(journal.targets()) {}

std::string Targets::key(const fs::path& file) const {
    return file.lexically_relative(folder_).generic_string();
}

// A link is another's, whatever stood there before: it may lead anywhere.
bool Targets::isOthers(const fs::path& file) const {
    std::error_code failure;
    return ours_.count(key(file)) == 0 || fs::is_symlink(fs::symlink_status(file, failure));
}

void Targets::refuseOthers(std::span<const fs::path> wanted) const {
    if (!overwrite_) refuse(wanted, [this](const fs::path& file) { return isOthers(file); });
}

void Targets::claim(std::span<const fs::path> files) {
    std::vector<std::string> fresh;
    for (const fs::path& file : files) {
        if (!overwrite_ && isThere(file) && isOthers(file))
            throw WriteError(
                displayName(file) +
                ": is there and not made by Earshot in this folder; move it away, or --overwrite");
        if (ours_.count(key(file)) == 0) fresh.push_back(key(file));
    }
    if (fresh.empty()) return;
    journal_.addTargets(fresh);
    ours_.insert(fresh.begin(), fresh.end());
}

void Targets::adopt(const fs::path& file) {
    const std::string name = key(file);
    if (!ours_.insert(name).second) return;
    journal_.addTargets({&name, 1});
}

void Targets::remove(std::span<const fs::path> files) {
    std::vector<std::string> gone;
    for (const fs::path& file : files) {
        // A journal may be somebody else's, and claim what is none of its folder.
        if (ours_.count(key(file)) == 0 || !staysInside(key(file))) continue;
        std::error_code failure;
        if (!fs::is_symlink(fs::symlink_status(file, failure))) fs::remove(file, failure);
        if (failure) continue;
        gone.push_back(key(file));
    }
    if (gone.empty()) return;
    journal_.removeTargets(gone);
    for (const std::string& each : gone) ours_.erase(each);
}

void refuseOthersInNewFolder(std::span<const fs::path> wanted) {
    refuse(wanted, [](const fs::path&) { return true; });
}

} // namespace earshot::batch
