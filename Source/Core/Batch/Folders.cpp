#include "Core/Batch/Folders.h"

#include <algorithm>
#include <set>

#include <fnmatch.h>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

struct Entries {
    std::vector<fs::path> files;
    std::vector<fs::path> folders;
};

// Returns the entries of one folder, sorted. Skips pipes and devices: reading them could block or never end.
Entries entriesOf(const fs::path& folder, std::error_code& failure) {
    Entries entries;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (entry->path().filename().native().starts_with('.')) continue;
        std::error_code dangling;
        const auto type = entry->status(dangling).type();
        if (type == fs::file_type::directory) {
            entries.folders.push_back(entry->path());
        } else if (type == fs::file_type::regular || type == fs::file_type::not_found ||
                   type == fs::file_type::none) {
            entries.files.push_back(entry->path());
        }
    }
    std::ranges::sort(entries.files);
    std::ranges::sort(entries.folders);
    return entries;
}

class Walker {
  public:
    using Visit = std::function<void(const fs::path& folder, const Entries&)>;
    using Unreadable = std::function<void(const fs::path&, const std::string&)>;

    Walker(Visit visit, Unreadable unreadable)
        : visit_(std::move(visit))
        , unreadable_(std::move(unreadable)) {}

    void walk(const fs::path& folder) {
        std::error_code failure;
        const fs::path real = fs::canonical(folder, failure);
        if (!failure && !seen_.insert(real).second) return;
        const Entries entries = entriesOf(folder, failure);
        if (failure && unreadable_)
            unreadable_(folder,
                        "this folder cannot be read (" + failure.message() + "); check its permissions");
        visit_(folder, entries);
        for (const fs::path& below : entries.folders) walk(below);
    }

  private:
    Visit visit_;
    Unreadable unreadable_;
    std::set<fs::path> seen_;
};

std::vector<std::string> partsOf(const std::string& pattern) {
    std::vector<std::string> parts;
    for (const fs::path& part : fs::path(pattern)) parts.push_back(part.string());
    return parts;
}

void expand(const fs::path& folder, const std::vector<std::string>& parts, std::size_t at,
            std::set<fs::path>& matches) {
    if (at == parts.size()) {
        std::error_code failure;
        if (fs::exists(fs::symlink_status(folder, failure))) matches.insert(folder);
        return;
    }
    const std::string& part = parts[at];
    if (part == "**") {
        Walker([&](const fs::path& below, const Entries&) { expand(below, parts, at + 1, matches); }, {})
            .walk(folder);
    } else if (!hasWildcards(part)) {
        expand(folder / part, parts, at + 1, matches);
    } else {
        std::error_code failure;
        const Entries entries = entriesOf(folder.empty() ? fs::path(".") : folder, failure);
        for (const auto* list : {&entries.files, &entries.folders})
            for (const fs::path& entry : *list)
                if (::fnmatch(part.c_str(), entry.filename().c_str(), FNM_PERIOD) == 0)
                    expand(folder / entry.filename(), parts, at + 1, matches);
    }
}

} // namespace

void walk(const fs::path& folder, const std::function<void(const fs::path&)>& file,
          const std::function<void(const fs::path&, const std::string&)>& unreadable) {
    Walker([&](const fs::path&, const Entries& entries) { std::ranges::for_each(entries.files, file); },
           unreadable)
        .walk(folder);
}

bool hasWildcards(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

Glob expandGlob(const std::string& pattern) {
    const auto parts = partsOf(pattern);
    Glob glob;
    std::size_t fixed = 0;
    while (fixed < parts.size() && !hasWildcards(parts[fixed])) glob.folder /= parts[fixed++];
    if (glob.folder.empty()) glob.folder = ".";
    std::set<fs::path> matches;
    // The matches must not begin with a "./" that the pattern does not have.
    const bool here = fixed == 0 && parts.front() != "**";
    expand(here ? fs::path() : glob.folder, parts, fixed, matches);
    glob.matches.assign(matches.begin(), matches.end());
    return glob;
}

} // namespace earshot::batch
