#include "Core/Training/Run/SebbFit.h"

#include "Core/Evaluation/Scores.h"
#include "Support/Catch.h"

#include <random>

using namespace earshot;

namespace {

constexpr int classes = 2;

// Sounds of 2 to 5 s whose probability comes and goes slowly: at 0.2 they seem a second too long on either
// side, at 0.5 they are right. Class 1 is never there, as loud as it seems.
std::vector<evaluation::Scored> scenes(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<evaluation::Scored> recordings(count);
    for (auto& recording : recordings) {
        constexpr std::size_t columns = 94;
        recording.duration = static_cast<double>(columns) * recording.columnSeconds;
        recording.probabilities.assign(columns * classes, 0.01f);
        std::vector<evaluation::Annotation> annotations;
        for (std::size_t label = 0; label < classes; ++label)
            for (std::size_t at = 5 + random() % 20; at + 25 < columns; at += 30 + random() % 20) {
                const std::size_t length = 7 + random() % 9;
                for (std::size_t i = at - 3; i < at + length + 3; ++i)
                    recording.probabilities[i * classes + label] =
                        i < at || i >= at + length ? 0.3f : 0.6f + 0.1f * static_cast<float>(random() % 4);
                if (label == 0)
                    annotations.push_back({static_cast<double>(at) * recording.columnSeconds,
                                           static_cast<double>(at + length) * recording.columnSeconds, 0});
            }
        evaluation::annotate(recording, annotations);
    }
    return recordings;
}

} // namespace

TEST_CASE("boxes are learnt: which times are right, and which class is never there", "[unit]") {
    const auto known = scenes(40, 1), others = scenes(40, 2);
    const auto scorer = training::fitSebbs(known, classes, 1);
    REQUIRE(scorer != nullptr);
    CHECK(scorer->minConfidence() >= 0.05f);
    CHECK(scorer->minConfidence() <= 0.6f);

    evaluation::EvaluationSettings settings;
    settings.psds = false;
    settings.detector.sebbs = scorer;
    const std::vector<float> least(classes, scorer->minConfidence());
    const auto sebbs = evaluation::evaluate(others, classes, least, settings);
    CHECK(sebbs.looseEvents.f1() > 0.98);

    // A threshold of 0.4, which is released at 0.2, reaches too far.
    settings.detector.sebbs = nullptr;
    const auto thresholds =
        evaluation::evaluate(others, classes, std::vector<float>(classes, 0.4f), settings);
    CHECK(thresholds.looseEvents.f1() < 0.5);
}

TEST_CASE("the same seed learns the same boxes", "[unit]") {
    const auto known = scenes(12, 3);
    const auto once = training::fitSebbs(known, classes, 5);
    const auto again = training::fitSebbs(known, classes, 5);
    REQUIRE(once != nullptr);
    REQUIRE(again != nullptr);
    CHECK(once->metadata() == again->metadata());
    const auto other = training::fitSebbs(known, classes, 6);
    REQUIRE(other != nullptr);
    CHECK(once->metadata() != other->metadata());
}

TEST_CASE("from too little no boxes are learnt", "[unit]") {
    CHECK(training::fitSebbs({}, classes, 1) == nullptr);
    CHECK(training::fitSebbs(scenes(1, 4), classes, 1) == nullptr);
    auto weak = scenes(12, 3);
    for (auto& recording : weak) recording.strong = false;
    CHECK(training::fitSebbs(weak, classes, 1) == nullptr);
}
