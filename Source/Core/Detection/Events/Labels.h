// The names of a model's classes, and the rules for events that the model's author chose for them.
//
// Names come from the first source that exists: the model's metadata (`earshot.labels`, a JSON array); a CSV
// beside the model (NAME.csv, NAME.labels.csv or labels.csv for NAME.safetensors); AudioSet's names if the
// model has 527 classes; "class 0", "class 1", ... Immutable once read: any thread.
#pragma once

#include "Core/Formats/MidiMap.h"
#include "Core/Model/ModelLocator.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::detection {

class SebbScorer;

// What the author found best for the events of all classes (`earshot.rules`).
struct AuthorRules {
    // Where an event ends, as a share of its class's threshold, 0 to 1; none: defaultRelease.
    std::optional<float> release;
    double mergeGap = 0.0; // seconds; shorter pauses are part of a sound, because the model's steps flicker

    // Returns the text that Labels::read() reads.
    std::string metadata() const;
    bool operator==(const AuthorRules&) const = default;
};
inline constexpr double maxAuthorsGap = 10.0; // seconds

class Labels {
  public:
    // metadata: the checkpoint's, see model::Checkpoint::metadata(). Throws earshot::Error if names,
    // thresholds, rules or boxes are malformed, or their number differs from the model's classes.
    static Labels read(const std::map<std::string, std::string>& metadata,
                       const std::filesystem::path& modelFile, int classes);

    // Makes labels from the names of queries, which replace a model's classes.
    // source: the origin of the names, for users. The licence is the model's.
    static Labels named(std::vector<std::string> names, const std::map<std::string, std::string>& metadata,
                        std::string source);

    // Appends the names of words that are listened for beside those classes; a name that a class has already
    // gets " (text)". ids: their numbers, 1 or more; none: notes know them by their index. There are no boxes
    // then.
    static Labels withWords(Labels labels, const std::vector<std::string>& names, std::vector<int> ids);

    int count() const { return static_cast<int>(names_.size()); }
    const std::string& name(int classIndex) const { return names_[static_cast<std::size_t>(classIndex)]; }
    const std::vector<std::string>& names() const { return names_; }
    // Finds a class by its name, as stored or as printable() shows it; ignores case (ASCII).
    std::optional<int> find(std::string_view name) const;

    // What a MidiMap knows the class by: its index and name, or for a word a number alone, which stays its
    // own when words come and go (firstWordKey + id, whose default notes are on channel 16).
    formats::MidiKey key(int classIndex) const;
    int wordId(int classIndex) const; // 0: it is no word with a number
    static constexpr int firstWordKey = 64 * 1024 + 15 * 64;

    // The author's threshold of a class (`earshot.thresholds`), 0 to 1, if there is one.
    std::optional<float> threshold(int classIndex) const;
    const AuthorRules& rules() const { return rules_; }
    // How near to its threshold a class must come for overlapping windows to run, as a share of the
    // threshold's odds, 0 to 1 (`earshot.coarse_bound`, Windows/CoarseBound.h); none: they always run.
    std::optional<float> coarseBound() const { return coarseBound_; }
    // What chooses events by the model's own confidence (`earshot.boxes`, Boxes.h); null: the model has none,
    // or other sounds than its own classes are listened for.
    const std::shared_ptr<const SebbScorer>& sebbs() const { return sebbs_; }
    // `earshot.licence` of the weights; empty if the file has none.
    const std::string& licence() const { return licence_; }
    // The origin of the names, for users: "the model", "labels.csv", "AudioSet", "numbers".
    const std::string& source() const { return source_; }

  private:
    void readLicence(const std::map<std::string, std::string>& metadata);
    void readThresholds(const std::string& json, const std::string& file);
    void readRules(const std::string& json, const std::string& file);
    void readCoarseBound(const std::string& json, const std::string& file);

    std::vector<std::string> names_;
    std::map<int, float> thresholds_; // by class index
    AuthorRules rules_;
    std::optional<float> coarseBound_;
    std::shared_ptr<const SebbScorer> sebbs_;
    std::string licence_;
    std::string source_;
    std::vector<int> wordIds_; // of the last names
};

// The functions below read class names from each of the possible sources; Labels::read() chooses among them.
// Each returns exactly `classes` names or throws earshot::Error. Any thread.
inline constexpr int audioSetClasses = 527;

// json: an array of strings. Here and below, messages begin with `file`.
std::vector<std::string> labelsFromJson(const std::string& json, const std::string& file, int classes);
// csv: a header with a column display_name, label or name, and optionally one named index; then one row per
// class.
std::vector<std::string> labelsFromCsv(std::string_view csv, const std::string& file, int classes);
using model::labelFileBeside;
std::vector<std::string> labelsFromFile(const std::filesystem::path& csvFile, int classes);
// AudioSet's 527 classes, compiled in from Resources/audioset_classes.csv.
std::vector<std::string> audioSetLabels();

} // namespace earshot::detection
