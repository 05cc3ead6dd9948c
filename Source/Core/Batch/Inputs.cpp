#include "Core/Batch/Inputs.h"

#include "Core/Audio/FileKinds.h"
#include "Core/Base/Error.h"
#include "Core/Base/StoredNames.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

struct Found {
    std::vector<Input> inputs; // names are set later
    std::vector<fs::path> bases, folders;
    StoredNames stored;

    void add(std::vector<Input> more, const fs::path& base) {
        std::ranges::sort(more, {}, [](const Input& input) { return input.path.native(); });
        std::ranges::move(more, std::back_inserter(inputs));
        bases.push_back(tidied(base));
    }
};

std::vector<Input> recordingsBelow(const fs::path& folder) {
    std::vector<Input> found;
    walk(
        folder,
        [&](const fs::path& file) {
            // What libsndfile does not read is no recording less: it is named with what to do.
            if (audio::hasAudioExtension(file) || audio::hasForeignAudioExtension(file))
                found.push_back({file, {}, {}});
        },
        [&](const fs::path& unreadable, const std::string& why) {
            found.push_back({unreadable, {}, displayName(unreadable) + ": " + why});
        });
    return found;
}

void addFolder(const fs::path& folder, Found& found) {
    auto recordings = recordingsBelow(folder);
    if (recordings.empty())
        throw Error(
            displayName(folder) +
            ": no audio files in this folder (WAV, FLAC, MP3, OGG...); name the folder they are in, and see "
            "that its disk is there");
    if (recordings.size() == 1 && recordings.front().path == folder) throw Error(*recordings.front().problem);
    found.add(std::move(recordings), folder);
    found.folders.push_back(tidied(folder));
}

void addGlob(const std::string& pattern, Found& found) {
    const Glob glob = expandGlob(pattern);
    const std::string extension = fs::path(pattern).extension().string();
    const bool anyKind = !extension.empty() && !hasWildcards(extension);
    std::vector<Input> recordings;
    for (const fs::path& match : glob.matches) {
        std::error_code failure;
        if (fs::is_directory(match, failure)) {
            std::ranges::move(recordingsBelow(match), std::back_inserter(recordings));
        } else if (anyKind || audio::hasAudioExtension(match) || audio::hasForeignAudioExtension(match)) {
            recordings.push_back({match, {}, {}});
        }
    }
    if (recordings.empty())
        throw Error(printable(pattern) +
                    ": fits no audio file; check the pattern, and that the folder it begins in is there");
    found.add(std::move(recordings), glob.folder);
}

void addArgument(const std::string& given, bool globs, Found& found) {
    std::error_code failure;
    const std::string argument = found.stored.find(given).value_or(given).string();
    const auto status = fs::status(argument, failure);
    if (fs::is_directory(status)) {
        addFolder(argument, found);
    } else if (globs && !fs::exists(status) && hasWildcards(argument)) {
        addGlob(argument, found);
    } else {
        const fs::path file(argument == "-" ? "./-" : argument);
        found.add({{file, {}, {}, globs}}, tidied(file).parent_path());
    }
}

fs::path commonFolder(const std::vector<fs::path>& folders) {
    fs::path common = folders.front();
    for (const fs::path& folder : folders) {
        fs::path shared;
        for (auto a = common.begin(), b = folder.begin(); a != common.end() && b != folder.end() && *a == *b;
             ++a, ++b)
            shared /= *a;
        common = shared;
    }
    return common;
}

fs::path chooseBase(const std::vector<fs::path>& folders, const Bases& bases) {
    const auto outside = [&](const fs::path& base) {
        return std::ranges::find_if(folders,
                                    [&](const fs::path& folder) { return !relativeTo(base, folder); });
    };
    if (bases.wanted) {
        fs::path chosen = tidied(*bases.wanted);
        if (const auto folder = outside(chosen); folder != folders.end())
            throw Error(displayName(*folder) + ": does not lie below " + displayName(*bases.wanted) +
                        "; name a folder that holds all recordings, or leave --base out");
        return chosen;
    }
    for (const fs::path& base : bases.earlier)
        if (outside(base) == folders.end()) return base;
    return commonFolder(folders);
}

// A folder that is gone would be taken for a recording beside it.
void refuseGoneBases(const Found& found, const Bases& bases) {
    for (const Input& input : found.inputs) {
        const fs::path path = tidied(input.path);
        const bool isBase =
            (bases.wanted && path == tidied(*bases.wanted)) || std::ranges::count(bases.earlier, path) > 0;
        std::error_code failure;
        if (isBase && !fs::exists(path, failure))
            throw Error(displayName(input.path) +
                        ": this folder of recordings is gone; check that its disk is "
                        "connected, or leave the folder out");
    }
}

// The same text for all paths of one file, links included.
class Identities {
  public:
    std::string of(const fs::path& file) {
        std::error_code failure;
        const auto type = fs::symlink_status(file, failure).type();
        if (type != fs::file_type::regular) return whole(file);
        const fs::path folder = file.parent_path();
        const auto [known, isNew] = folders_.try_emplace(folder.native());
        if (isNew) known->second = whole(folder.empty() ? fs::path(".") : folder);
        return (known->second / file.filename()).string();
    }

  private:
    static std::string whole(const fs::path& file) {
        std::error_code failure;
        const fs::path canonical = fs::weakly_canonical(file, failure);
        return failure ? fs::absolute(file).lexically_normal().string() : canonical.string();
    }

    std::map<fs::path::string_type, fs::path> folders_; // by path as it is given; following links takes long
};

} // namespace

fs::path tidied(const fs::path& path) {
    const auto whole = fs::absolute(path).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

std::optional<fs::path> relativeTo(const fs::path& folder, const fs::path& path) {
    auto relative = path.lexically_relative(folder);
    if (relative.empty() || *relative.begin() == "..") return std::nullopt;
    return relative;
}

Inputs findInputs(std::span<const std::string> arguments, std::span<const std::string> listed,
                  const Bases& bases) {
    Found found;
    bool standardInput = false;
    for (const std::string& argument : arguments) {
        if (argument != "-") {
            addArgument(argument, true, found);
        } else if (!std::exchange(standardInput, true)) {
            found.inputs.push_back({"-", "-", {}});
        }
    }
    for (const std::string& path : listed) addArgument(path, false, found);
    if (found.bases.empty()) return {std::move(found.inputs), {}, {}};
    refuseGoneBases(found, bases);

    Inputs inputs{
        .recordings = {}, .base = chooseBase(found.bases, bases), .folders = std::move(found.folders)};
    std::set<std::string> known;
    Identities identities;
    for (Input& input : found.inputs) {
        if (!input.isStandardInput()) {
            if (!known.insert(identities.of(input.path)).second) continue;
            input.name = tidied(input.path).lexically_relative(inputs.base).generic_string();
        }
        inputs.recordings.push_back(std::move(input));
    }
    return inputs;
}

void sortByName(std::vector<Input>& inputs) { std::ranges::sort(inputs, {}, &Input::name); }

std::vector<std::string> readList(std::istream& stream, const std::string& name) {
    std::vector<std::string> paths;
    for (std::string line; std::getline(stream, line);) {
        if (paths.empty() && (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff")))
            throw Error(name + ": is in UTF-16; write the list in UTF-8 (in PowerShell: | Out-File -Encoding "
                               "utf8 FILE)");
        if (paths.empty() && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3); // a byte order mark
        if (line.ends_with('\r')) line.pop_back();
        std::error_code failure;
        if (!line.empty() && (line.front() != '#' || fs::exists(line, failure))) paths.push_back(line);
    }
    return paths;
}

namespace {

std::optional<Shard> parse(std::string_view text, std::string_view separator) {
    const auto middle = text.find(separator);
    if (middle == std::string_view::npos) return std::nullopt;
    const auto number = [](std::string_view digits) -> std::optional<int> {
        int value = 0;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        const bool whole = failure == std::errc() && end == digits.data() + digits.size() && value >= 0;
        return whole ? std::optional(value) : std::nullopt;
    };
    const auto index = number(text.substr(0, middle));
    const auto count = number(text.substr(middle + separator.size()));
    if (!index || !count || *index >= *count) return std::nullopt;
    return Shard{*index, *count};
}

constexpr std::string_view prefix = "shard-";

} // namespace

std::optional<Shard> parseShard(std::string_view text) { return parse(text, "/"); }

std::string folderName(const Shard& shard) {
    return fmt::format("{}{}-of-{}", prefix, shard.index, shard.count);
}

std::optional<Shard> shardOfFolder(const std::filesystem::path& folder) {
    const std::string name = folder.filename().string();
    if (!name.starts_with(prefix)) return std::nullopt;
    return parse(std::string_view(name).substr(prefix.size()), "-of-");
}

} // namespace earshot::batch
