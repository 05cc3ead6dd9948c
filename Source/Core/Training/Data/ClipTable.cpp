// readClipTable() of DataSetReaders.h: the rows of a table of labels, by recording.
#include "Core/Training/Data/DataSetReaders.h"

#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Training/Data/LabelTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace earshot::training {

namespace {

// AudioSet's two million clips need half of it.
constexpr std::uint64_t maxTableBytes = 1u << 28;

std::optional<Split> parseSplit(std::string_view text) {
    const std::string name = lowerCase(text);
    if (name.empty()) return std::nullopt;
    if (name == "train" || name == "training") return Split::train;
    if (name == "valid" || name == "val" || name == "validation") return Split::valid;
    return Split::unused;
}

ClipKind parseKind(std::string_view text) {
    const std::string name = lowerCase(text);
    if (name == "background") return ClipKind::background;
    if (name == "rir") return ClipKind::room;
    if (name == "unlabelled" || name == "unlabeled") return ClipKind::unlabelled;
    return ClipKind::sound;
}

std::string_view nameOf(ClipKind kind) {
    switch (kind) {
    case ClipKind::background:
        return "a background";
    case ClipKind::room:
        return "an impulse response";
    case ClipKind::unlabelled:
        return "a sound without labels";
    case ClipKind::sound:
        break;
    }
    return "a sound";
}

class TableReader {
  public:
    TableReader(RecordingFinder finder, std::vector<FoundClip>& found, std::vector<Problem>& problems)
        : file_(finder.table())
        , finder_(std::move(finder))
        , found_(found)
        , problems_(problems) {}

    void read(const TableChoice& choice) {
        keepsMoments_ = choice.keepsMoments;
        const std::string text = readWholeFile(file_, maxTableBytes, "table of labelled files");
        if (isEmptyTrack(text)) return addSilence();
        table_ = parseLabelTable(text, file_, choice.labelColumn);
        std::ranges::move(table_.problems, std::back_inserter(problems_));
        if (!table_.namesFiles && table_.rows.empty()) return addSilence();
        if (table_.namesFiles)
            findFiles();
        else
            nameRows();
        noteEncoding(text);
        for (const LabelRow& row : table_.rows) add(row);
        std::erase_if(clips_, [this](FoundClip& clip) { return !finish(clip); });
        std::ranges::move(clips_, std::back_inserter(found_));
    }

  private:
    struct Place {
        std::filesystem::path file;
        bool moved = false; // not where the table says
    };

    void complain(int line, std::string what, bool leftOut = true) {
        problems_.push_back({fmt::format("{}, {} {}", displayName(file_.filename()), table_.unit, line),
                             std::move(what), leftOut});
    }

    void note(std::string what) {
        problems_.push_back({displayName(file_.filename()), std::move(what), false});
    }

    // A label track without labels, of a recording that is there.
    bool isEmptyTrack(std::string_view text) const {
        return trimmed(text).empty() && lowerCase(file_.extension().string()) == ".txt" &&
               finder_.namesakes().size() == 1;
    }

    // The recording of a table that names none.
    std::filesystem::path ownRecording() {
        auto files = finder_.namesakes();
        const bool named = !files.empty();
        if (!named) files = finder_.recordings().files;
        if (files.size() != 1)
            throw Error(fmt::format(
                "{}: names no recordings, and {} its name lie{} beside it; give it the name of its "
                "recording, as walk.txt for walk.wav",
                displayName(file_), named ? "several of" : "none of", named ? "" : "s"));
        if (!named)
            note(fmt::format("names no recording; {}, the only one beside it, is taken",
                             displayName(files.front().filename())));
        return files.front();
    }

    void nameRows() {
        const auto file = ownRecording();
        const std::string name = file.filename().string();
        for (LabelRow& row : table_.rows) row.file = name;
        places_[name] = Place{file, false};
    }

    void addSilence() {
        FoundClip clip;
        clip.file = ownRecording();
        clip.group = clip.file.filename().string();
        clip.where = printable(clip.group);
        clip.strong = true;
        found_.push_back(std::move(clip));
    }

    void findFiles() {
        std::map<std::string, int> names; // by the file that they lead to
        for (const LabelRow& row : table_.rows) {
            if (row.file.empty()) continue;
            const auto [place, isNew] = places_.try_emplace(row.file);
            if (!isNew) continue;
            const auto own = finder_.find(row.file, false);
            const auto other = own || !row.mayHaveMoved ? std::nullopt : finder_.find(row.file, true);
            if (own || other) place->second = Place{own ? *own : *other, !own};
            if (place->second) ++names[place->second->file.lexically_normal().string()];
        }
        dropSharedPlaces(names);
    }

    // Where two names lead to one file beside the table, neither is known to be it.
    void dropSharedPlaces(const std::map<std::string, int>& names) {
        std::string moved; // one of the others
        for (auto& [name, place] : places_) {
            if (!place || !place->moved) continue;
            if (names.at(place->file.lexically_normal().string()) > 1) {
                place.reset();
                sharedNames_.insert(name);
            } else {
                moved = name;
            }
        }
        if (!moved.empty())
            note(fmt::format(
                "its folders are not here (as in {}); the files of these names beside it are taken",
                printable(moved)));
    }

    // Letters that are not UTF-8 are shown as question marks, and do not meet those of other sources.
    void noteEncoding(std::string_view text) {
        if (validUtf8(text) != text)
            note("is not in UTF-8, and some of its letters are not known; save it in UTF-8 (in Excel: \"CSV "
                 "UTF-8\")");
    }

    void add(const LabelRow& row) {
        if (row.file.empty()) return complain(row.line, "names no file; the row is left out");
        FoundClip* clip = clipOf(row);
        if (clip == nullptr) return;
        if (!row.span) {
            clip->labels.insert(clip->labels.end(), row.labels.begin(), row.labels.end());
            return;
        }
        clip->strong = true;
        if (!row.span->problem.empty() && !(row.span->isMoment && keepsMoments_))
            return complain(row.line, row.span->problem + "; the row is left out");
        if (row.labels.empty()) return complain(row.line, "has a time but no label; the row is left out");
        for (const auto& label : row.labels)
            clip->spans.push_back({row.span->onset, row.span->offset, label});
    }

    // Returns whether the clip can be used.
    bool finish(FoundClip& clip) {
        if (clip.kind != ClipKind::sound && !(clip.labels.empty() && clip.spans.empty())) {
            problems_.push_back(
                {clip.where, fmt::format("is {}, and its label is ignored", nameOf(clip.kind)), false});
            clip.labels.clear();
            clip.spans.clear();
            clip.strong = false;
        }
        if (clip.strong) {
            if (!clip.labels.empty())
                problems_.push_back({clip.where,
                                     fmt::format("\"{}\" has no onset and offset there, other sounds "
                                                 "have; it is taken not to sound",
                                                 printable(clip.labels.front())),
                                     false});
            if (clip.spans.empty())
                problems_.push_back({clip.where, "none of its sounds can be used; it is left out"});
            clip.labels.clear();
            for (const auto& span : clip.spans) clip.labels.push_back(span.label);
        }
        std::ranges::sort(clip.labels);
        clip.labels.erase(std::unique(clip.labels.begin(), clip.labels.end()), clip.labels.end());
        const bool usable = !clip.strong || !clip.spans.empty();
        // In a table of times, rows without a time and a label say that the file holds no sound. Those of a
        // collection say what it is not.
        if (clip.kind == ClipKind::sound && clip.labels.empty() && table_.timed && !table_.counterExamples)
            clip.strong = true;
        return usable;
    }

    void complainOfMissing(const LabelRow& row) {
        if (!missing_.insert(row.file).second) return;
        const char* advice =
            sharedNames_.contains(row.file)
                ? "and other rows name another that ends so; put the folders of the recordings "
                  "beside the table"
                : "files are looked for beside the table";
        complain(row.line, fmt::format("there is no file {}; {}", printable(row.file), advice));
    }

    // The clip to which this file's rows belong; null if there is no such file.
    FoundClip* clipOf(const LabelRow& row) {
        const auto& place = places_.at(row.file);
        if (!place) {
            complainOfMissing(row);
            return nullptr;
        }
        const auto split = parseSplit(row.split);
        const std::string& group = row.group.empty() ? row.file : row.group;
        const auto [known, isNew] = indexOf_.try_emplace(place->file.string(), clips_.size());
        if (!isNew) {
            FoundClip& clip = clips_[known->second];
            if (clip.split != split || (clip.group != group && composed(clip.group) != composed(group)))
                complain(row.line, "gives this file another split or group than its first row, which counts",
                         false);
            return &clip;
        }
        FoundClip clip;
        clip.file = place->file;
        clip.where = printable(row.file);
        clip.split = split;
        clip.group = group;
        clip.setKind(parseKind(row.kind));
        clip.licence = row.licence;
        clip.author = row.author;
        clip.source = row.source;
        return &clips_.emplace_back(std::move(clip));
    }

    std::filesystem::path file_;
    RecordingFinder finder_;
    std::vector<FoundClip>& found_;
    std::vector<Problem>& problems_;
    LabelTable table_;
    bool keepsMoments_ = false;
    std::vector<FoundClip> clips_;
    std::map<std::string, std::optional<Place>> places_; // by file as it is written; null: there is none
    std::set<std::string> sharedNames_;                  // names whose file several rows may mean
    std::set<std::string> missing_;                      // that were listed
    std::map<std::string, std::size_t> indexOf_;         // of clips, by path
};

} // namespace

void readClipTable(RecordingFinder table, std::vector<FoundClip>& found, std::vector<Problem>& problems,
                   const TableChoice& choice) {
    TableReader(std::move(table), found, problems).read(choice);
}

} // namespace earshot::training
