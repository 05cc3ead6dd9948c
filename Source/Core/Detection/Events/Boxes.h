// Events as boxes. The candidates are all stretches in which a class's probability stays at or above one of
// some levels. The result are those of which a BoxScorer is surest and that do not overlap. A threshold
// decides for all events alike where they begin and end. Here a low level may find a faint event, and a high
// one may keep two loud events apart. Pure functions: any thread. A ClassBoxStream belongs to one thread at a
// time.
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

// How surely a box (a stretch of columns) is an event with these very times. A small network estimates it
// from the class's probability within the box and at its sides. Training fits that network
// (Training/Run/BoxFit) on scenes with known events. The idea is that of Ebbers, Germain, Wichern and Le
// Roux, "Sound Event Bounding Boxes", Interspeech 2024; their confidences follow from the probabilities
// alone, this one is learnt. Immutable: any thread.
inline constexpr std::size_t boxFeatureCount = 10;
using BoxFeatures = std::array<float, boxFeatureCount>; // computed in Boxes.cpp, in the order given there

// One hidden layer with tanh, and a bias for each class. Plain values.
struct BoxNetwork {
    BoxFeatures mean{};  // subtracted from the features
    BoxFeatures scale{}; // the features are divided by it then
    std::vector<BoxFeatures> hiddenWeights;
    std::vector<float> hiddenBiases;
    std::vector<float> outputWeights; // (hidden)
    float outputBias = 0.0f;
    std::vector<float> classBiases; // (classes)
};

class BoxScorer {
  public:
    // leastConfidence: the confidence from which a box is an event, unless the user sets another. Throws
    // earshot::Error when sizes do not agree, or values are not finite or out of range.
    BoxScorer(BoxNetwork network, float leastConfidence);

    // The scorer in a model's metadata (`earshot.boxes`); null if there is none. Throws earshot::Error.
    static std::shared_ptr<const BoxScorer> read(const std::map<std::string, std::string>& metadata,
                                                 const std::filesystem::path& modelFile, int classes);
    // The text that read() reads.
    std::string metadata() const;

    // The probability, 0 to 1, that the box is an event whose onset lies within 0.5 s, and whose offset lies
    // within 0.5 s or half its length.
    float confidence(const BoxFeatures& features, int classIndex) const;
    float leastConfidence() const { return leastConfidence_; }
    const BoxNetwork& network() const { return network_; }

  private:
    BoxNetwork network_;
    float leastConfidence_;
};

// The lowest one limits the candidates.
inline constexpr std::array boxLevels = {0.05f, 0.1f, 0.15f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f};

struct BoxCandidate {
    Run columns;
    float peak = 0.0f;
    float mean = 0.0f;
    BoxFeatures features{};
};

// Columns of a class in which boxes may lie, and the columns beside them.
struct BoxSpan {
    std::span<const float> values;
    std::int64_t first = 0;        // column of values[0]
    const float* before = nullptr; // the column before; null at the beginning of the recording
    const float* after = nullptr;  // the column after, likewise
};

// All boxes: for every level the stretches at or above it, with stretches less than mergeGap seconds apart
// joined. Equal boxes appear once. Features: the logits of the largest, the mean and the least probability;
// the logarithm of the length in seconds; the logits of the level, of the first and the last column, and of
// those before and after (0 beyond the recording); mergeGap.
std::vector<BoxCandidate> boxCandidates(const BoxSpan& span, double secondsPerColumn, double mergeGap);

// Finds boxes column by column. Memory grows with the current stretch only: boxes are chosen as soon as the
// probability has stayed below the lowest level for longer than the merge gap.
class ClassBoxStream {
  public:
    // rule: `on` is the least confidence; mergeGap and minDuration mean the same as with thresholds.
    ClassBoxStream(int classIndex, double secondsPerColumn, const EventRule& rule,
                   std::shared_ptr<const BoxScorer> scorer, bool nearMisses);

    int classIndex() const { return classIndex_; }
    // The next column.
    void add(float value, EventList& found);
    // Call it after the last column. duration: seconds of the recording, where boxes that reach its end end.
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
    std::vector<float> values_; // of the current stretch, and of the gap behind it
    std::size_t sounding_ = 0;  // of these, up to the last one at or above the lowest level
};

} // namespace earshot::detection
