// A model with sounds that were taught to it: the network it was, to the bit, with a row of the head's last
// layer for each new sound. The metadata `earshot.taught` says so, and how many classes the model had before.
// A part of it is what was taught: with the model from before it gives the same file again.
// One thread at a time.
#pragma once

#include "Core/Teaching/ClassRow.h"
#include "Core/Training/Network/ParameterLayout.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::detection {
class SebbScorer;
}

namespace earshot::teaching {

// What the metadata say.
struct TaughtNote {
    int classes = 0;      // of the model before anything was taught
    std::string model;    // its name
    std::string base;     // identifies it (TeachableModel::base()); empty in files of older versions
    std::string examples; // identifies the examples that were learnt from; may be empty

    bool operator==(const TaughtNote&) const = default;

    // Nothing for a model that was not taught. Throws earshot::Error when the entry is malformed.
    static std::optional<TaughtNote> read(const std::map<std::string, std::string>& metadata,
                                          const std::filesystem::path& file);
    std::string metadata() const;
};

struct TaughtSound {
    std::string name;
    ClassRow row;
    float threshold = 0.0f; // probability
    std::optional<float> boxBias =
        {}; // of its boxes (detection::SebbNetwork); null: that of an average class

    bool operator==(const TaughtSound&) const = default;
};

// All that was taught to a model.
struct TaughtPart {
    static constexpr std::size_t maxSounds = 256;
    static constexpr std::size_t maxLicenceLength = 10'000; // bytes
    static constexpr float maxValue = 1e9f;                 // so that no sum overflows

    TaughtNote note;
    std::string licence; // of the examples
    std::vector<TaughtSound> sounds;

    // Whether it keeps to the limits, and its sounds have names, and rows of one width. Parts of strangers
    // may not.
    bool valid() const;
    // 64 hexadecimal digits; changes with all of it.
    std::string fingerprint() const;
    // Nothing for a model that was not taught, or whose part is not valid. Throws earshot::Error for a file
    // that is no such model.
    static std::optional<TaughtPart> read(const std::filesystem::path& file);

    bool operator==(const TaughtPart&) const = default;
};

class TeachableModel {
  public:
    // Reads a model without what it was taught before. Throws earshot::Error for a file that is no such
    // model, and for a network without a head for each step (a pooled one).
    explicit TeachableModel(const model::ModelSource& source);

    const model::Config& config() const { return layout_->config(); }
    const std::vector<std::string>& names() const { return names_; } // of its own classes
    const std::string& name() const { return name_; }                // of the model before it was taught
    std::vector<float> thresholds() const; // (own classes): probabilities from which they are detected

    const std::string& licence() const { return licence_; } // of the model before; may be empty
    // 64 hexadecimal digits that change with the network, its classes and how they are judged, wherever the
    // file lies. A taught model has those of the model before.
    const std::string& base() const { return base_; }

    TaughtNote note(const std::string& examples) const; // for what is taught to it
    // Whether the part was taught to this model, so that write() gives the taught model again.
    bool isBaseOf(const TaughtPart& part) const;
    // Writes the model with the part's sounds behind its own. Their rows must have the width of the head's. A
    // file that is there is replaced; it appears whole or not at all.
    void write(const std::filesystem::path& file, const TaughtPart& part) const;

  private:
    std::map<std::string, std::string> metadataWith(const TaughtPart& part) const;
    std::string computedBase() const;

    std::string name_;
    std::string base_;
    std::vector<std::string> names_;
    std::vector<std::optional<float>> thresholds_;
    std::string licence_;
    std::shared_ptr<const detection::SebbScorer> sebbs_; // of all classes in the file; may be null
    std::map<std::string, std::string> metadata_;
    std::unique_ptr<const training::ParameterLayout> layout_; // with the model's own classes
    std::vector<float> values_;
    training::BandStatistics statistics_;
    std::vector<float> melFilters_;
    training::Storage storage_ = training::Storage::float16;
};

} // namespace earshot::teaching
