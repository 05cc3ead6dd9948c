// Labelled recordings as a user has them: folders of class-named clips, or a CSV. Reading looks at names and
// headers only; the audio is decoded by ClipStore. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace earshot::training {

struct LabelledSpan {
    double onset = 0.0;  // seconds from the start of the file
    double offset = 0.0; // seconds
    int label = 0;       // index into DataSet::labels
};

enum class Split { train, valid, unused };

struct Clip {
    std::filesystem::path file;
    std::vector<int> labels;         // classes in it, ascending; empty: a sound of no class (a distractor)
    std::vector<LabelledSpan> spans; // strong labels; empty when only `labels` is known
    bool strong = false;             // `spans` is the whole truth of this file
    std::string group;               // clips of one recording or session; the file itself when nobody says
    Split split = Split::train;
    std::string licence, author, source; // for the model card; empty when nobody says
};

// Something that is wrong with one file or row: it is listed and left out, and training goes on.
struct Problem {
    std::string where; // "dog/3.wav", "labels.csv, line 7"
    std::string what;  // "holds no samples"
};

struct DataSet {
    std::vector<std::string> labels; // sorted
    std::vector<Clip> clips;
    std::vector<Problem> problems;
    std::vector<std::filesystem::path> files; // all that the sources name, also those that are left out
};

struct DataChoice {
    std::vector<std::filesystem::path> sources; // folders or CSV files, each as below
    std::vector<std::string> distractors;       // labels whose clips become sounds of no class
    std::vector<std::string> only;              // when not empty: labels to learn; all others are left out
    double validShare = 0.2;                    // of each class's clips, where the data names no split
    int fewestClips = 4;                        // a class with fewer to learn from is an error
    std::uint64_t seed = 1;
};

// A folder: every folder in it is a class by its name ("_background", "_other": sounds of no class); audio
// files below belong to it. A CSV with a header: `file,onset,offset,label` (strong; a row per sound; without
// onset and offset the file is weak) or `file,label` (several labels: rows, or "a;b"; no label: a sound of no
// class), and optionally `split` (train, valid, empty: to be decided; anything else is left out), `group`,
// `licence`, `author`, `source_repo`, and any others, ignored. Files are relative to the CSV.
//
// Groups never cross a split: a group that the data has in both goes to train. Where no split is named,
// groups are drawn for valid until each class has about validShare of its clips there; a class with two
// groups or more has at least one on each side. The clips drawn count among the fewestClips.
//
// Throws earshot::Error when a source cannot be read at all, or nothing can be learnt: nothing found, or a
// class with too few clips ("Dog: 2 clips to learn from, at least 4 are needed; ...").
DataSet readDataSet(const DataChoice& choice);

} // namespace earshot::training
