// The contents of a folder or a table, before labels are numbered and splits are made (DataSet.h). Pure
// functions except for reading: any thread.
#pragma once

#include "Core/Training/Data/DataSet.h"
#include "Core/Training/Data/LabelColumns.h"
#include "Core/Training/Data/RecordingFinder.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::training {

struct NamedSpan {
    double onset = 0.0;  // seconds
    double offset = 0.0; // seconds
    std::string label;
};

struct FoundClip {
    std::filesystem::path file;
    std::string where; // the name in messages
    ClipKind kind = ClipKind::sound;
    std::vector<std::string> labels; // sorted, each once
    std::vector<NamedSpan> spans;
    bool strong = false;
    std::optional<Split> split; // if the source names one
    std::string group;          // if the source names one, else the file's name in its source
    std::string licence, author, source;

    void setKind(ClipKind own) {
        kind = own;
        if (kind == ClipKind::unlabelled) split = Split::train; // scores are of labels
    }
};

// Of DataChoice.
struct TableChoice {
    std::string_view labelColumn = {};
    bool keepsMoments = false;
};

// Append to `found` and `problems`, in the order of paths and rows. Throw earshot::Error when the source
// itself is unusable.
//
// Audio files of the folder itself, which no class's folder holds, are read with the table of labels beside
// them that begins with their name, if there is one (as Audacity's and Raven's).
void readClassFolders(const std::filesystem::path& folder, std::vector<FoundClip>& found,
                      std::vector<Problem>& problems, const TableChoice& choice = {});
void readClipTable(RecordingFinder table, std::vector<FoundClip>& found, std::vector<Problem>& problems,
                   const TableChoice& choice = {});

} // namespace earshot::training
