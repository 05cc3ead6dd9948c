// The scores beside those of the field's tools, of the same recordings: sed_scores_eval 0.0.4 (commit
// c7a3b71), sed_eval 0.2.1 and scikit-learn 1.2.1, by Tests/Support/field_scores.py.
#include "Core/Evaluation/Scores.h"
#include "Support/Catch.h"

#include <cmath>
#include <cstdint>

using namespace earshot::evaluation;

namespace {

constexpr int classes = 5, annotatedClasses = 4;
constexpr double step = 0.32; // seconds

// The same as in field_scores.py.
class Numbers {
  public:
    std::uint32_t below(std::uint32_t n) {
        state_ = 1664525u * state_ + 1013904223u;
        return (state_ >> 16) % n;
    }

  private:
    std::uint32_t state_ = 1;
};

struct Sound {
    std::uint32_t onset, offset; // milliseconds
    int label;
    std::uint32_t level;
};

std::vector<Sound> soundsUntil(std::uint32_t end, Numbers& numbers) {
    std::vector<Sound> sounds;
    for (int c = 0; c < annotatedClasses; ++c) {
        std::uint32_t at = numbers.below(30000);
        while (at < end - 1500 && numbers.below(4) > 0) {
            const std::uint32_t offset = std::min(at + 300 + numbers.below(4000), end);
            sounds.push_back({at, offset, c, numbers.below(600)});
            at = offset + 700 + numbers.below(15000);
        }
    }
    return sounds;
}

std::vector<Scored> fieldRecordings() {
    Numbers numbers;
    std::vector<Scored> recordings(8);
    for (Scored& recording : recordings) {
        const std::uint32_t columns = 150 + numbers.below(100);
        const auto sounds = soundsUntil(columns * 320, numbers);
        recording.columnSeconds = step;
        recording.duration = columns * step;
        for (std::uint32_t i = 0; i < columns; ++i) {
            std::array<std::uint32_t, classes> heard{};
            for (auto& level : heard) level = numbers.below(250);
            for (const Sound& sound : sounds) {
                if (i * 320 + 160 < sound.onset || i * 320 + 160 >= sound.offset) continue;
                heard[static_cast<std::size_t>(sound.label)] += sound.level;
                heard[static_cast<std::size_t>((sound.label + 4) % classes)] += sound.level / 2;
            }
            for (const auto level : heard)
                recording.probabilities.push_back(static_cast<float>(std::min(level, 1023u)) / 1024.0f);
        }
        std::vector<Annotation> annotations;
        for (const Sound& sound : sounds)
            annotations.push_back({sound.onset / 1000.0, sound.offset / 1000.0, sound.label});
        annotate(recording, annotations);
    }
    return recordings;
}

void checkEqual(double score, double ofTool) { CHECK(std::abs(score - ofTool) <= 1e-6); }

} // namespace

TEST_CASE("scores equal those of sed_scores_eval, sed_eval and scikit-learn", "[unit]") {
    const auto recordings = fieldRecordings();
    const Scores scores = evaluate(recordings, classes, std::vector<float>(classes, 0.4f),
                                   {.detector = {.release = 1.0f}, .psds = true});
    // sed_scores_eval
    checkEqual(scores.psds1, 0.243046828);
    checkEqual(scores.psds2, 0.432794035);
    // sed_eval: EventBasedMetrics (matching "optimal") and SegmentBasedMetrics; macro over annotated classes
    checkEqual(scores.events.f1(), 0.273684211);
    checkEqual(scores.eventMacroF1, 0.286513201);
    checkEqual(scores.looseEvents.f1(), 0.305263158);
    checkEqual(scores.looseEventMacroF1, 0.319700266);
    checkEqual(scores.segments.f1(), 0.680952381);
    checkEqual(scores.segmentMacroF1, 0.678095314);
    checkEqual(scores.eventErrors.rate(), 1.826666667);
    checkEqual(scores.looseEventErrors.rate(), 1.746666667);
    checkEqual(scores.segmentErrors.rate(), 0.563318777);
    CHECK(scores.eventErrors == Errors{1, 48, 88, 75});
    CHECK(scores.looseEventErrors == Errors{1, 45, 85, 75});
    CHECK(scores.segmentErrors == Errors{5, 81, 43, 229});
    // scikit-learn: average_precision_score of the largest score of a recording
    checkEqual(scores.meanAveragePrecision, 0.977678571);
    // The last class is detected, and nobody annotated it.
    CHECK(scores.classes.back().segments.falsePositives > 0);
    CHECK(scores.classes.back().annotated == 0);
}
