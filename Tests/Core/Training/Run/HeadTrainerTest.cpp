#include "Core/Training/Run/HeadTrainer.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"
#include "Support/TrainingTools.h"

using namespace earshot;
using training::HeadTrainer;
using training::ParameterLayout;

namespace {

training::TrainerSettings headSettings(std::int64_t steps) {
    training::TrainerSettings settings;
    settings.threads = 2;
    settings.batch = 16;
    settings.microBatch = 4;
    settings.steps = steps;
    settings.warmUp = 5;
    settings.peakRate = 1e-2;
    return settings;
}

const training::BandStatistics statistics{std::vector<float>(16, -52.0f), std::vector<float>(16, 120.0f)};

std::vector<float> copied(std::span<const float> values) { return {values.begin(), values.end()}; }

// Three stages, of which the head reads two.
model::Config withFineHead(model::Config config) {
    config.depths = {1, 1, 1};
    config.heads = {2, 2, 2};
    return test::withHead(config, model::HeadKind::fine);
}

} // namespace

TEST_CASE("a head learns on kept features, and nothing else changes", "[slow][threads]") {
    auto config = test::tinyTrainingConfig();
    SECTION("TSCAM") {}
    SECTION("a fine head") { config = withFineHead(config); }
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    const auto initial = initialParameters(layout, 1);
    std::size_t heard = 0;
    HeadTrainer trainer(layout, examples, 101, headSettings(200), initial, statistics,
                        [&](std::size_t done, std::size_t total) {
                            CHECK(total == 101);
                            CHECK(done >= heard);
                            heard = done;
                            return true;
                        });
    const double first = trainer.step().loss;
    double last = first;
    while (trainer.stepsDone() < 200) last = trainer.step().loss;
    CHECK(last < 0.6 * first);
    for (const auto& parameter : layout.parameters()) {
        CAPTURE(parameter.name);
        const auto now = trainer.parameters().subspan(parameter.offset, parameter.size);
        const bool same = std::equal(now.begin(), now.end(),
                                     initial.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
        CHECK(same == !parameter.ofHead());
    }
}

TEST_CASE("a head's training repeats itself and resumes", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    auto config = test::tinyTrainingConfig();
    SECTION("TSCAM") {}
    SECTION("a fine head") { config = withFineHead(config); }
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    const auto make = [&] {
        return HeadTrainer(layout, examples, 37, headSettings(20), initialParameters(layout, 1), statistics,
                           {});
    };
    auto whole = make();
    while (whole.stepsDone() < 20) whole.step();
    auto first = make();
    while (first.stepsDone() < 9) first.step();
    first.save(folder / "head.safetensors", {});
    auto second = make();
    second.resume(folder / "head.safetensors");
    while (second.stepsDone() < 20) second.step();
    CHECK(copied(second.parameters()) == copied(whole.parameters()));
    CHECK(copied(second.averagedParameters()) == copied(whole.averagedParameters()));
}

TEST_CASE("hearing the scenes can be stopped", "[unit][threads]") {
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    REQUIRE_THROWS_WITH(HeadTrainer(layout, examples, 64, headSettings(5), initialParameters(layout, 1),
                                    statistics, [](std::size_t, std::size_t) { return false; }),
                        ContainsSubstring("stopped"));
}
