// Events as boxes: of all stretches in which a class's probability stays at or above one of some levels,
// those that a BoxScorer is surest of, none within another's reach. A threshold decides for all events alike
// where they begin and end; here a faint event may be found by a low level and two loud ones be kept apart by
// a high one. Pure functions: any thread. A ClassBoxStream belongs to one thread at a time.
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

// How surely a box, a stretch of columns in which a class may sound, is an event with these very times: from
// how the class's probability runs within it and at its sides, by a small network that a model's training
// fits (Training/Run/BoxFit) on scenes whose events are known. After the confidences of "sound event bounding
// boxes": Ebbers, Germain, Wichern and Le Roux, "Sound Event Bounding Boxes", Interspeech 2024; theirs follow
// from the probabilities alone, this one is learnt. Immutable: any thread.
inline constexpr std::size_t boxFeatureCount = 10;
using BoxFeatures = std::array<float, boxFeatureCount>; // made by Boxes.h, in the order given there

// A hidden layer of tanh, and a bias for each class. Plain values.
struct BoxNetwork {
    BoxFeatures mean{};  // of features, subtracted;
    BoxFeatures scale{}; // they are divided by these
    std::vector<BoxFeatures> hiddenWeights;
    std::vector<float> hiddenBiases;
    std::vector<float> outputWeights; // (hidden)
    float outputBias = 0.0f;
    std::vector<float> classBiases; // (classes)
};

class BoxScorer {
  public:
    // leastConfidence: from which on a box is an event, unless the user says otherwise. Throws earshot::Error
    // when sizes do not agree, or values are not finite, or out of range.
    BoxScorer(BoxNetwork network, float leastConfidence);

    // The scorer in a model's metadata (`earshot.boxes`), or null where there is none. Throws earshot::Error.
    static std::shared_ptr<const BoxScorer> read(const std::map<std::string, std::string>& metadata,
                                                 const std::filesystem::path& modelFile, int classes);
    // What read() reads.
    std::string metadata() const;

    // Probability, 0 to 1, that it is an event, with its onset within 0.5 s and its offset within 0.5 s or
    // half its length.
    float confidence(const BoxFeatures& features, int classIndex) const;
    float leastConfidence() const { return leastConfidence_; }
    const BoxNetwork& network() const { return network_; }

  private:
    BoxNetwork network_;
    float leastConfidence_;
};

// Below the first nothing is looked for.
inline constexpr std::array boxLevels = {0.05f, 0.1f, 0.15f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f};

struct BoxCandidate {
    Run columns;
    float peak = 0.0f;
    float mean = 0.0f;
    BoxFeatures features{};
};

// Columns of a class that boxes may lie in, and what lies beside them.
struct BoxSpan {
    std::span<const float> values;
    std::int64_t first = 0;        // column of values[0]
    const float* before = nullptr; // the column before; null at the recording's beginning
    const float* after = nullptr;  // likewise
};

// For every level the stretches at or above it, those less than mergeGap seconds apart joined; equal ones
// once. Features: the logits of the largest, the mean and the least probability; the logarithm of the length
// in seconds; the logits of the level, of the first and the last column, and of those before and after (0
// beyond the recording); mergeGap.
std::vector<BoxCandidate> boxCandidates(const BoxSpan& span, double secondsPerColumn, double mergeGap);

// Column by column, in memory that grows with the stretch going on: boxes are chosen when the probability has
// stayed below the lowest level for longer than the merge gap.
class ClassBoxStream {
  public:
    // rule: `on` is the least confidence; mergeGap and minDuration hold as for thresholds.
    ClassBoxStream(int classIndex, double secondsPerColumn, const EventRule& rule,
                   std::shared_ptr<const BoxScorer> scorer, bool nearMisses);

    int classIndex() const { return classIndex_; }
    // The next column.
    void add(float value, EventList& found);
    // After the last; duration: seconds, at which what reaches that far ends.
    void finish(double duration, EventList& found);

  private:
    void choose(const float* after, EventList& found);

    int classIndex_;
    double secondsPerColumn_;
    EventRule rule_;
    std::shared_ptr<const BoxScorer> scorer_;
    bool nearMisses_;
    std::optional<double> duration_;

    std::int64_t columns_ = 0;  // so far
    std::int64_t first_ = 0;    // column of values_[0]
    float before_ = 0.0f;       // the column before that
    std::vector<float> values_; // of the stretch going on, and the gap behind it
    std::size_t sounding_ = 0;  // of these, up to the last at or above the lowest level
};

} // namespace earshot::detection
