// How surely a box, a stretch of columns in which a class may sound, is an event with these very times: from
// how the class's probability runs within it and at its sides, by a small network that a model's training
// fits (Training/Run/BoxFit) on scenes whose events are known. After the confidences of "sound event bounding
// boxes": Ebbers, Germain, Wichern and Le Roux, "Sound Event Bounding Boxes", Interspeech 2024; theirs follow
// from the probabilities alone, this one is learnt. Immutable: any thread.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace earshot::detection {

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

} // namespace earshot::detection
