// Labelled recordings in the form in which users have them: folders of clips named by class, or tables. This
// reads names and headers only; ClipStore decodes the audio. One thread at a time.
#pragma once

#include "Core/Audio/ReadOptions.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::training {

struct LabelledSpan {
    double onset = 0.0;  // seconds from the start of the file
    double offset = 0.0; // seconds
    int label = 0;       // index into DataSet::labels
};

enum class Split { train, valid, unused };

// What a recording is in scenes. Only sounds have labels.
enum class ClipKind {
    sound,
    background, // what is heard behind sounds: a room, a street, a forest
    room,       // the impulse response of a room, from the direct sound on
    unlabelled, // a sound that a teacher alone names (TeacherTable.h); always of Split::train
};

struct Clip {
    std::filesystem::path file;
    ClipKind kind = ClipKind::sound;
    std::vector<int> labels;         // classes in it, ascending; empty: a sound of no class (a distractor)
    std::vector<LabelledSpan> spans; // strong labels; empty when only `labels` is known
    bool strong = false;             // `spans` are all sounds of this file; empty: it holds none
    // The stretch of the file that is used, in seconds; `spans` count from its beginning.
    double begin = 0.0;
    std::optional<double> end; // none: the file's
    std::string group;         // clips of one recording or session; by default the file itself
    Split split = Split::train;
    std::string licence, author, source; // for the model card; may be empty
    audio::ReadOptions reading;          // DataChoice's
};

// A problem with one file or row. It is listed, and training goes on.
struct Problem {
    std::string where;               // "dog/3.wav", "labels.csv, line 7"
    std::string what;                // "holds no samples"
    bool leftOut = true;             // the file or row; otherwise it is used as `what` says
    bool unread = false;             // it is a recording that cannot be read
    std::filesystem::path twin = {}; // a file of the same sound that is labelled otherwise

    std::string line() const; // "left out: dog/3.wav: holds no samples", or "note: ..."
};

struct DataSet {
    std::vector<std::string> labels; // sorted
    std::vector<Clip> clips;
    std::vector<Problem> problems;
    std::vector<std::filesystem::path> files; // all files of the sources, with those that are left out
};

struct DataChoice {
    std::vector<std::filesystem::path> sources; // folders or tables, each as below
    // Labels whose clips become sounds of no class. A clip without times that has one of these, or one that
    // `only` leaves out, beside a label to learn is of Split::unused, and listed.
    std::vector<std::string> distractors;
    std::vector<std::string> only;            // if not empty: the labels to learn; all others are left out
    std::vector<std::string> withoutLicences; // recordings whose licence has one of these texts are left out
    std::string labelColumn;                  // of tables; empty: the first that is known to have labels
    audio::ReadOptions reading;               // of the recordings; not each channel: labels name none
    // Whether sounds of no length are spans, too: they can be scored, and nothing can be learnt from them.
    bool keepsMoments = false;
    double validShare = 0.2; // of each class's clips, where the data names no split
    // A class with fewer clips to learn from is an error. With 0 there need be no class: recordings of which
    // the data says that they hold no sound are enough.
    int minClips = 4;
    std::uint64_t seed = 1;
};

// A folder: each folder in it is a class of that name, and the audio files below belong to it. "_other" holds
// sounds of no class, "_background" backgrounds, "_rooms" impulse responses and "_unlabelled" sounds that a
// teacher alone names. Recordings beside these
// folders have a table of labels of their name each, or are left out. A table has the columns
// `file,onset,offset,label` (strong; a row for each sound; a file without onset and offset is weak, and one
// without a label too holds no sound) or `file,label` (several labels: several rows, or "a;b"; no label: a
// sound of no class), or is of one of the kinds that LabelTable.h lists. Optional columns are `split` (train,
// valid, or empty for an undecided one; files of other splits are left out), `group`, `source_type`
// ("background", "rir": an impulse response; all else is a sound), `licence`, `author` and `source_repo`;
// others are ignored. Paths are relative to the table.
//
// A group is never in both splits: a group that the data names in both goes to train. If the data names no
// split, groups are drawn for valid until each class has about validShare of its clips there. A class with
// two groups or more has at least one in each split. The drawn clips count among the minClips.
//
// Throws earshot::Error when a source cannot be read at all, or when nothing can be learnt: nothing was
// found (with the reasons, by row), or a class has too few clips ("Dog: 2 clips to learn from, at least 4 are
// needed; ...").
DataSet readDataSet(const DataChoice& choice);

} // namespace earshot::training
