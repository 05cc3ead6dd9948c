// A user's folder of examples, from which a class is taught: clips in FLAC and one CSV, `examples.csv`, in
// the columns that `earshot train --data FOLDER/examples.csv` reads (Training/Data/DataSet.h), and three
// more. An example has a label. A counter-example ("this is not a dog") has none, so that training takes its
// clip as a sound of no class; the column `not` has the label, and `not_onset` and `not_offset` have the
// marked stretch (a row with a time and without a label would be left out of training).
//
//     FOLDER/examples.csv file,onset,offset,label,group,source_type,licence,author,not,not_onset,not_offset
//     FOLDER/clips/          what add() wrote: creaky-door-2026-11-26-093012-1.flac (in UTC)
//     FOLDER/forgotten/      the clips of forgotten classes
//     FOLDER/.lock           held while the folder is changed, so that two programs lose no row of each other
//
// Other people and programs may write the CSV, too. Rows that are not understood, rows whose file is missing,
// comments and unknown columns stay in it, and problems() lists what is not counted. Each file appears whole
// or not at all, nothing is overwritten, and no clip is ever deleted. "dog" and "Dog" are one class, spelled
// as it came first, as in training.
//
// Times are seconds. One thread at a time; two collections of one folder may be in two threads or programs.
// What cannot be read or is no such CSV throws earshot::Error, what cannot be written WriteError. After
// either the folder is as it was, and so is the collection.
#pragma once

#include "Core/Base/StoredNames.h"
#include "Core/Training/Data/DataSet.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::teaching {

class ExampleTable;

struct Example {
    std::filesystem::path file;
    std::optional<double> onset, offset; // seconds; null: all of the clip, or somewhere in it
    std::string label;                   // empty: a counter-example, or a sound of no class
    std::string against;                 // what it is not; may be empty
    std::string group;                   // the recording or stream that it comes from; may be empty
    std::string licence, author;
};

struct NewExample {
    std::span<const float> samples; // mono, with what was heard before and after the marked stretch
    int sampleRate = 0;             // Hz
    double onset = 0.0;             // of the marked stretch, seconds within the samples
    double offset = 0.0;
    std::string label;   // either this
    std::string against; // or this
    std::string group;   // what tells one recording or stream from others
    std::string licence, author;
};

struct ClassSummary {
    std::string label;
    int examples = 0;
    int counterExamples = 0;
    double seconds = 0.0; // marked stretches of its examples; a clip without a mark counts whole
    int groups = 0;       // different recordings or streams that its examples come from
};

// A sentence for the user if no class can have this name (blanks at both ends do not count), else "". Names
// have 1 to 100 characters that can be seen.
std::string validName(std::string_view name);

class Collection {
  public:
    // What a change did.
    struct Edit {
        std::size_t at = 0;         // bytes of the table before what was replaced
        std::string removed, added; // bytes of the table
        std::string table;          // SHA-256 of all of it after the change
        std::vector<std::pair<std::filesystem::path, std::filesystem::path>> moved; // clips: from, to
    };

    // Reads the folder. Without folder or CSV the collection is empty, and nothing is made before the first
    // add().
    explicit Collection(std::filesystem::path folder);

    const std::filesystem::path& folder() const { return folder_; }
    std::filesystem::path table() const; // examples.csv
    // In the order of the CSV. A row with several labels ("dog;cat") is an example for each of them.
    const std::vector<Example>& examples() const { return examples_; }
    const std::vector<training::Problem>& problems() const { return problems_; }
    // Reads the folder again, after others may have changed it.
    void reload();

    // Writes a clip and its row.
    Example add(const NewExample& example);
    // Adds the clips of a folder of class folders, or those of a table of labels, as `earshot train --data`
    // reads them, where they lie: nothing is copied. Clips that are known already are left out. Returns how
    // many were added.
    std::size_t addFolder(const std::filesystem::path& source);
    // Gives a class another name. The name of another class unites the two.
    void rename(const std::string& label, const std::string& name);
    // Removes the rows of a class, those against it too, and moves their clips to `forgotten`. Clips of other
    // rows, and those outside of the folder, stay where they are. A clip that cannot be moved stays, too, and
    // is named by a WriteError; its row is gone then.
    void forget(const std::string& label);

    const Edit& lastEdit() const { return lastEdit_; } // of this object; empty before the first
    // Takes a change back; lastEdit() then makes it again. A clip that loses its row so goes to `forgotten`.
    // Throws earshot::Error, and changes nothing, where the table or those clips were changed since.
    void revert(const Edit& edit);

    std::vector<ClassSummary> summaries() const; // sorted by name; reads headers of clips without a mark
    // Changes with the examples: their files, times, labels and groups, in any order. 64 hexadecimal digits.
    std::string fingerprint() const;

  private:
    struct Length {
        std::uint64_t size = 0;   // of the file, bytes
        std::int64_t changed = 0; // as FileStatus::changed
        double seconds = 0.0;
    };

    void write(const ExampleTable& changed, const std::string& before);
    void moveAway(const std::set<std::filesystem::path>& clips);
    void take(const ExampleTable& read);
    void takeRow(const ExampleTable& read, std::size_t row, StoredNames& stored,
                 std::map<std::string, std::string>& spellings);
    void complain(int line, std::string what);
    double lengthOf(const std::filesystem::path& file) const;

    std::filesystem::path folder_;
    std::vector<Example> examples_;
    std::vector<std::string> written_; // (examples_), the file of each as the CSV has it
    std::vector<training::Problem> problems_;
    Edit lastEdit_;
    mutable std::map<std::filesystem::path, Length> lengths_; // of clips whose header was read
};

} // namespace earshot::teaching
