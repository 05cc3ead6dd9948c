// Finds events as boxes. A box is a run of columns in which a class's probability stays at or above one of
// several levels. The boxes in which a SebbScorer has most confidence become events, at least a merge gap
// apart. One threshold sets where all events begin and end; with boxes a low level can find a faint event,
// and a high level can separate two loud ones.
// Functions are pure: any thread. ClassSebbStream: one thread at a time.
#pragma once

#include "Core/Detection/Events/Events.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::detection {

inline constexpr std::size_t boxFeatureCount = 10;
using SebbFeatures = std::array<float, boxFeatureCount>; // in the order that boxCandidates() states

// The weights of a SebbScorer: one hidden layer with tanh, one output, and a bias for each class. The input
// is (features - mean) / scale.
struct SebbNetwork {
    SebbFeatures mean{};
    SebbFeatures scale{};
    std::vector<SebbFeatures> hiddenWeights;
    std::vector<float> hiddenBiases;
    std::vector<float> outputWeights; // (hidden)
    float outputBias = 0.0f;
    std::vector<float> classBiases; // (classes)
};

// Computes how likely a box is an event with the same onset and offset. A small network decides by the
// class's probabilities inside the box and beside it. A model's training fits the network
// (Training/Run/SebbFit) on scenes whose events are known. The idea follows Ebbers, Germain, Wichern and Le
// Roux, "Sound Event Bounding Boxes", Interspeech 2024; their confidences come from the probabilities alone,
// these are learnt. Immutable: any thread.
class SebbScorer {
  public:
    // minConfidence: the default for the least confidence of an event. Throws earshot::Error when sizes do
    // not agree, or values are not finite or out of range.
    SebbScorer(SebbNetwork network, float minConfidence);

    // Reads the scorer from a model's metadata (`earshot.boxes`); null: there is none. Throws earshot::Error
    // when the entry is malformed.
    static std::shared_ptr<const SebbScorer> read(const std::map<std::string, std::string>& metadata,
                                                  const std::filesystem::path& modelFile, int classes);
    // Returns the text that read() reads.
    std::string metadata() const;

    // Returns the probability that a box is an event: that an event of the class begins within 0.5 s of the
    // box's onset and ends within 0.5 s, or half the event's length, of the box's offset.
    float confidence(const SebbFeatures& features, int classIndex) const;
    float minConfidence() const { return minConfidence_; }
    const SebbNetwork& network() const { return network_; }

  private:
    SebbNetwork network_;
    float minConfidence_;
};

// No box lies below the first level.
inline constexpr std::array sebbLevels = {0.05f, 0.1f, 0.15f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f};

struct SebbCandidate {
    Run columns;
    float peak = 0.0f;
    float mean = 0.0f;
    SebbFeatures features{};
};

// Columns of a class that may contain boxes, and their neighbours.
struct SebbSpan {
    std::span<const float> values;
    std::int64_t first = 0; // column of values[0]
    // The columns before and after values, at most columnsBeside(); fewer where the recording begins or ends.
    std::span<const float> before = {}, after = {};
};

// A box is compared with the 0.32 s on both sides of each of its ends, at least a column each.
std::size_t columnsBeside(double secondsPerColumn);

// Finds the runs at or above each level. Runs less than mergeGap seconds apart are joined; equal runs are
// listed once. Features: logits of the maximum, the mean and the minimum probability; logarithm of the length
// in seconds; logits of the level, and of the mean probabilities of its first and last columns and of those
// before and after it, as many as columnsBeside() (0 beyond the recording); mergeGap, at most 2 s.
std::vector<SebbCandidate> boxCandidates(const SebbSpan& span, double secondsPerColumn, double mergeGap);

// Finds the boxes of one class column by column. It keeps the columns since one reached the lowest level, and
// chooses boxes when the probability has stayed below that level for the merge gap, and for columnsBeside().
class ClassSebbStream {
  public:
    // rule.on is the least confidence; mergeGap and minDuration apply as for thresholds. first: the first
    // column that step() gets.
    ClassSebbStream(int classIndex, double secondsPerColumn, const EventRule& rule,
                    std::shared_ptr<const SebbScorer> scorer, bool nearMisses, std::int64_t first = 0);

    int classIndex() const { return classIndex_; }
    std::int64_t columns() const { return columns_; } // how many step() got, plus those before the first
    // Returns whether columns below the lowest level will find nothing.
    bool idle() const { return values_.empty(); }
    // The first column of the earliest event that may still come.
    std::int64_t openSince() const { return values_.empty() ? columns_ : first_; }
    // Takes the next column.
    void step(float value, EventList& found);
    // Ends the recording. duration: seconds; no event ends later.
    void finish(double duration, EventList& found);

  private:
    void choose(EventList& found);

    int classIndex_;
    double secondsPerColumn_;
    EventRule rule_;
    std::shared_ptr<const SebbScorer> scorer_;
    bool nearMisses_;
    std::optional<double> duration_;

    std::int64_t columns_;      // so far, including those before the first
    std::int64_t first_ = 0;    // column of values_[0]
    std::size_t beside_;        // columnsBeside()
    std::vector<float> before_; // the columns before values_[0], at most beside_
    std::vector<float> values_; // the columns since one reached the lowest level
    std::size_t sounding_ = 0;  // how many of values_ there are up to the last that reaches that level
};

} // namespace earshot::detection
