// Finds the recordings that a table of labels names (LabelTable.h), and those that a table without names is
// of. Reads folders and no audio. One thread at a time.
#pragma once

#include "Core/Base/StoredNames.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::training {

// The recordings of one folder, without those below it. Those that cannot be read (M4A and the like, while
// ffmpeg is not wanted) are among them, but not beside one of the same name that can
// (walk.m4a beside walk.wav).
struct FolderRecordings {
    explicit FolderRecordings(const std::filesystem::path& folder);

    std::vector<std::filesystem::path> files; // sorted
    // By their names with and without their endings, composed (Base/Unicode.h).
    std::multimap<std::string, std::filesystem::path> byName;

  private:
    void add(const std::filesystem::path& file);
};

class RecordingFinder {
  public:
    // folder: what lies beside the table, if that is known already.
    explicit RecordingFinder(std::filesystem::path table,
                             std::shared_ptr<const FolderRecordings> folder = nullptr);

    const std::filesystem::path& table() const { return table_; }

    // The file of that name, relative to the table's folder, in whatever Unicode spelling the disk has. With
    // mayHaveMoved a path that leads nowhere is looked for beside the table by its last parts:
    // /field/day1/a.wav as field/day1/a.wav, day1/a.wav and a.wav. Null if there is no such file.
    std::optional<std::filesystem::path> find(std::string_view name, bool mayHaveMoved);

    // The recordings beside a table that its name begins with: for walk.Table.1.selections.txt and
    // walk.flac.txt walk.flac. Those of the longest beginning only.
    std::vector<std::filesystem::path> namesakes() const;
    // All recordings beside the table.
    const FolderRecordings& recordings() const;

  private:
    std::filesystem::path table_;
    StoredNames stored_;
    mutable std::shared_ptr<const FolderRecordings> folder_;
};

} // namespace earshot::training
