// A model with sounds that were taught to it: the network it was, to the bit, with a row of the head's last
// layer for each new sound. The metadata `earshot.taught` says so, and how many classes the model had before.
// One thread at a time.
#pragma once

#include "Core/Teaching/ClassRow.h"
#include "Core/Training/Network/ParameterLayout.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::detection {
class BoxScorer;
}

namespace earshot::teaching {

// What the metadata say.
struct TaughtNote {
    int classes = 0;      // of the model before anything was taught
    std::string model;    // its name
    std::string examples; // identifies the examples that were learnt from; may be empty

    // Nothing for a model that was not taught. Throws earshot::Error when the entry is malformed.
    static std::optional<TaughtNote> read(const std::map<std::string, std::string>& metadata,
                                          const std::filesystem::path& file);
    std::string metadata() const;
};

struct TaughtSound {
    std::string name;
    ClassRow row;
    float threshold = 0.0f; // probability
};

class TeachableModel {
  public:
    // Reads a model without what it was taught before. Throws earshot::Error for a file that is no such
    // model, and for a network without a head for each step (a pooled one).
    explicit TeachableModel(const std::filesystem::path& file);

    const model::Config& config() const { return layout_->config(); }
    const std::vector<std::string>& names() const { return names_; } // of its own classes
    const std::string& name() const { return name_; }                // of the model before it was taught

    const std::string& licence() const { return licence_; } // of the model before; may be empty

    // Writes the model with these sounds behind its own. A file that is there is replaced; it appears whole
    // or not at all. licence: of the examples. examples: see TaughtNote.
    void write(const std::filesystem::path& file, std::span<const TaughtSound> sounds,
               const std::string& licence, const std::string& examples) const;

  private:
    std::map<std::string, std::string> metadataWith(std::span<const TaughtSound> sounds,
                                                    const std::string& licence,
                                                    const std::string& examples) const;

    std::string name_;
    std::vector<std::string> names_;
    std::vector<std::optional<float>> thresholds_;
    std::string licence_;
    std::shared_ptr<const detection::BoxScorer> boxes_; // of all classes in the file; may be null
    std::map<std::string, std::string> metadata_;
    std::unique_ptr<const training::ParameterLayout> layout_; // with the model's own classes
    std::vector<float> values_;
    training::BandStatistics statistics_;
    std::vector<float> melFilters_;
    training::Storage storage_ = training::Storage::float16;
};

} // namespace earshot::teaching
