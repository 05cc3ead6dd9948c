#include "Core/Training/Run/Trainer.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/TrainingTools.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

using namespace earshot;
using training::ParameterLayout;
using training::Trainer;
using training::TrainerSettings;

namespace {

TrainerSettings quickSettings() {
    TrainerSettings settings;
    settings.batch = 8;
    settings.microBatch = 2;
    settings.steps = 12;
    settings.warmUp = 3;
    settings.threads = 2;
    settings.peakRate = 2e-3;
    return settings;
}

std::vector<float> copied(std::span<const float> values) { return {values.begin(), values.end()}; }

struct Outcome {
    std::vector<float> values, average, mean;
    double loss = 0.0;
    bool operator==(const Outcome&) const = default;
};

Outcome outcomeOf(Trainer& trainer, std::int64_t steps) {
    double loss = 0.0;
    while (trainer.stepsDone() < steps) loss = trainer.step().loss;
    return {copied(trainer.parameters()), copied(trainer.averagedParameters()), trainer.statistics().mean,
            loss};
}

class BrokenExamples : public training::ExampleSource {
    class Maker : public training::ExampleMaker {
        void make(std::uint64_t, training::Example&) override { throw Error("a disk went away"); }
    };
    std::unique_ptr<training::ExampleMaker> newMaker() const override { return std::make_unique<Maker>(); }
};

// The examples of another source, each with a sound that a teacher knows: its embedding tells the class.
class TaughtExamples : public training::ExampleSource {
  public:
    explicit TaughtExamples(const ExampleSource& source)
        : source_(source) {
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t j = 0; j < 4; ++j) embeddings_[c][j] = j == c ? 1.5f : -0.5f;
        for (std::size_t c = 0; c < 3; ++c) rows_[c].embedding = embeddings_[c].data();
    }
    std::unique_ptr<training::ExampleMaker> newMaker() const override {
        return std::make_unique<Maker>(*this);
    }

  private:
    class Maker : public training::ExampleMaker {
      public:
        explicit Maker(const TaughtExamples& owner)
            : owner_(owner)
            , maker_(owner.source_.newMaker()) {}
        void make(std::uint64_t index, training::Example& example) override {
            maker_->make(index, example);
            const auto on = std::ranges::find(example.targets, 1.0f) - example.targets.begin();
            training::TaughtSound sound{
                .teachers = {&owner_.rows_[static_cast<std::size_t>(on % 3)], nullptr}, .steps = {}};
            for (std::size_t i = static_cast<std::size_t>(on % 3); i < example.targets.size(); i += 3)
                if (example.targets[i] == 1.0f) sound.steps.push_back(static_cast<int>(i / 3));
            example.taught = {sound};
        }

      private:
        const TaughtExamples& owner_;
        std::unique_ptr<training::ExampleMaker> maker_;
    };

    const ExampleSource& source_;
    std::array<std::array<float, 4>, 3> embeddings_{};
    std::array<training::TeacherRow, 3> rows_{};
};

} // namespace

TEST_CASE("features learn to tell a teacher's embeddings, with the same result after a stop",
          "[unit][threads]") {
    const test::TemporaryDirectory folder;
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples bands(config);
    const TaughtExamples examples(bands);
    auto settings = quickSettings();
    settings.steps = 60;
    settings.embeddingWidth = 4;
    Trainer whole(layout, examples, settings, initialParameters(layout, 1), {});
    const double first = whole.step().embeddingError;
    double last = 0.0;
    for (int i = 1; i < 60; ++i) last = whole.step().embeddingError;
    CHECK(first > 0.5);
    CHECK(last < 0.6 * first);
    auto without = settings;
    without.embeddingWidth = 0;
    Trainer plain(layout, examples, without, initialParameters(layout, 1), {});
    while (plain.stepsDone() < 60) CHECK(plain.step().embeddingError == 0.0);
    CHECK(copied(plain.parameters()) != copied(whole.parameters()));

    const auto file = folder / "stopped.safetensors";
    Trainer early(layout, examples, settings, initialParameters(layout, 1), {});
    outcomeOf(early, 25);
    early.save(file, {});
    Trainer late(layout, examples, settings, initialParameters(layout, 2), {});
    late.resume(file);
    outcomeOf(late, 60);
    CHECK(copied(late.parameters()) == copied(whole.parameters()));

    Trainer unlike(layout, examples, without, initialParameters(layout, 1), {});
    REQUIRE_THROWS_WITH(unlike.resume(file), ContainsSubstring("was trained with values of an embedding 4"));
    plain.save(file, {});
    Trainer taught(layout, examples, settings, initialParameters(layout, 1), {});
    REQUIRE_THROWS_WITH(taught.resume(file),
                        ContainsSubstring("was trained without values of an embedding 4"));
}

TEST_CASE("a tiny network learns eight examples by heart", "[slow]") {
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config, 8);
    auto settings = quickSettings();
    settings.steps = 300;
    settings.warmUp = 20;
    settings.peakRate = 3e-3;
    settings.weightDecay = 0.0;
    settings.dropPath = 0.0f;
    settings.mixup = 0.0f;
    Trainer trainer(layout, examples, settings, initialParameters(layout, 1), {});
    const double first = trainer.step().loss;
    double last = first;
    while (trainer.stepsDone() < settings.steps) last = trainer.step().loss;
    CHECK(first > 0.1);
    CHECK(last < 0.002);
}

TEST_CASE("what was learnt holds for the averaged weights and running statistics too", "[slow]") {
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    auto settings = quickSettings();
    settings.steps = 250;
    settings.average = 0.98;
    settings.mixup = 0.3f;
    Trainer trainer(layout, examples, settings, initialParameters(layout, 1), {});
    while (trainer.stepsDone() < settings.steps) trainer.step();

    training::TrainingNetwork network(layout, 1, training::Arithmetic::float32);
    network.setParameters(trainer.averagedParameters());
    const auto maker = examples.newMaker();
    training::Example example;
    double loss = 0.0;
    for (std::uint64_t i = 0; i < 16; ++i) {
        maker->make(1'000'000 + i, example);
        training::NetworkInput input;
        input.logMel = example.logMel;
        input.statistics = &trainer.statistics();
        const auto logits = network.forward(input);
        std::vector<float> gradient(logits.size());
        loss += lossAndGradient(logits, example, config.classes, {}, 1.0f, gradient) / 16.0;
    }
    CHECK(loss < 0.05);
}

TEST_CASE("the same settings give the same model, on one thread and on two", "[unit][threads]") {
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    auto settings = quickSettings();
    for (const auto arithmetic : {training::Arithmetic::float32, training::bestArithmetic()})
        for (const int threads : {1, 2}) {
            CAPTURE(threads);
            settings.arithmetic = arithmetic;
            settings.threads = threads;
            Trainer a(layout, examples, settings, initialParameters(layout, 1), {});
            Trainer b(layout, examples, settings, initialParameters(layout, 1), {});
            const auto outcome = outcomeOf(a, 6);
            CHECK(outcome == outcomeOf(b, 6));
            settings.seed = 2; // other mixtures, other paths dropped
            Trainer c(layout, examples, settings, initialParameters(layout, 1), {});
            CHECK(outcome.values != outcomeOf(c, 6).values);
            settings.seed = 1;
        }
}

TEST_CASE("no more threads learn than have something to do, and all have as much", "[unit][threads]") {
    const auto complete = [](int threads, int batch, int microBatch) {
        TrainerSettings settings;
        settings.threads = threads;
        settings.batch = batch;
        settings.microBatch = microBatch;
        settings.completeBatch();
        return std::pair(settings.threads, settings.batch);
    };
    CHECK(complete(2, 8, 4) == std::pair(2, 8));
    CHECK(complete(64, 8, 1) == std::pair(8, 8));
    CHECK(complete(3, 8, 2) == std::pair(3, 12));
    CHECK(complete(4, 5, 4) == std::pair(2, 8));
    CHECK(complete(1, 1, 4) == std::pair(1, 4));
}

TEST_CASE("threads share the work and hardly change the result", "[unit][threads]") {
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    auto settings = quickSettings();
    settings.threads = 1;
    Trainer one(layout, examples, settings, initialParameters(layout, 1), {});
    settings.threads = 4;
    Trainer four(layout, examples, settings, initialParameters(layout, 1), {});
    for (int i = 0; i < 3; ++i) {
        const auto a = one.step();
        const auto b = four.step();
        CHECK(a.loss == Approx(b.loss).epsilon(1e-4));
        CHECK(a.gradientNorm == Approx(b.gradientNorm).epsilon(1e-3));
    }
}

TEST_CASE("a stopped and resumed training ends like one that was not", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    auto settings = quickSettings();
    settings.unfreezeAt = {5, 4, 2, 0};
    const training::BandStatistics statistics{std::vector<float>(16, -55.0f), std::vector<float>(16, 90.0f)};
    Trainer whole(layout, examples, settings, initialParameters(layout, 1), statistics);
    const auto expected = outcomeOf(whole, settings.steps);
    for (const std::int64_t stop : {0, 3, 7}) {
        CAPTURE(stop);
        const auto file = folder / "stopped.safetensors";
        Trainer first(layout, examples, settings, initialParameters(layout, 1), statistics);
        outcomeOf(first, stop);
        first.save(file, {{"note", "travels along"}});
        Trainer second(layout, examples, settings, std::vector<float>(layout.size(), 0.5f), {{0.0f}, {0.0f}});
        second.resume(file);
        CHECK(second.stepsDone() == stop);
        CHECK(outcomeOf(second, settings.steps) == expected);
        CHECK(model::Checkpoint::open(file)->metadata().at("note") == "travels along");
    }
}

TEST_CASE("resuming refuses other settings, other networks and other files", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    const auto settings = quickSettings();
    Trainer trainer(layout, examples, settings, initialParameters(layout, 1), {});
    const auto file = folder / "stopped.safetensors";
    trainer.save(file, {});

    auto other = settings;
    other.peakRate = 1e-4;
    Trainer otherRate(layout, examples, other, initialParameters(layout, 1), {});
    REQUIRE_THROWS_WITH(otherRate.resume(file), ContainsSubstring("stopped.safetensors") &&
                                                    ContainsSubstring("rate 0.002, not 0.0001") &&
                                                    ContainsSubstring("same options"));
    auto wide = config;
    wide.classes = 4;
    const ParameterLayout otherLayout(wide);
    Trainer otherNetwork(otherLayout, examples, settings, initialParameters(otherLayout, 1), {});
    REQUIRE_THROWS_WITH(otherNetwork.resume(file), ContainsSubstring("another shape"));

    training::writeModel(folder / "model.safetensors", layout, trainer.parameters(), trainer.statistics(),
                         training::Storage::float32, {});
    REQUIRE_THROWS_WITH(trainer.resume(folder / "model.safetensors"),
                        ContainsSubstring("no file of a stopped training"));
    test::truncate(file, 0.5);
    REQUIRE_THROWS_AS(trainer.resume(file), Error);
}

TEST_CASE("frozen stages stay as they are until their time", "[unit]") {
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    auto settings = quickSettings();
    constexpr auto never = std::numeric_limits<std::int64_t>::max();
    settings.unfreezeAt = {never, 4, 2, 0};
    const auto initial = initialParameters(layout, 1);
    const training::BandStatistics statistics{std::vector<float>(16, -55.0f), std::vector<float>(16, 90.0f)};
    Trainer trainer(layout, examples, settings, initial, statistics);
    const auto changed = [&](int stage) {
        for (const auto& parameter : layout.parameters())
            if (parameter.stage == stage)
                for (std::size_t i = parameter.offset; i < parameter.offset + parameter.size; ++i)
                    if (trainer.parameters()[i] != initial[i] ||
                        trainer.averagedParameters()[i] != initial[i])
                        return true;
        return false;
    };
    for (const int expectedFirst : {2, 2, 1, 1, 0, 0}) {
        trainer.step();
        for (int stage = -1; stage <= 2; ++stage) {
            CAPTURE(trainer.stepsDone(), stage);
            CHECK(changed(stage) == (stage >= expectedFirst));
        }
    }
    CHECK(trainer.statistics().mean == statistics.mean); // the band norm is frozen with the input
}

TEST_CASE("trouble in training says what to do, and is caught where it belongs", "[unit]") {
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    auto broken = initialParameters(layout, 1);
    broken[layout.find("norm.bias").offset] = std::numeric_limits<float>::quiet_NaN();
    Trainer diverging(layout, examples, quickSettings(), broken, {});
    REQUIRE_THROWS_WITH(diverging.step(),
                        ContainsSubstring("diverged at step 1") && ContainsSubstring("lower --rate"));
    CHECK(diverging.stepsDone() == 0);

    Trainer noData(layout, BrokenExamples(), quickSettings(), initialParameters(layout, 1), {});
    REQUIRE_THROWS_WITH(noData.step(), ContainsSubstring("a disk went away"));
}

TEST_CASE("batches are rounded up to what the threads share", "[unit][threads]") {
    const auto config = test::tinyTrainingConfig();
    const ParameterLayout layout(config);
    const test::BandExamples examples(config);
    auto settings = quickSettings();
    settings.batch = 5;
    CHECK(Trainer(layout, examples, settings, initialParameters(layout, 1), {}).settings().batch == 8);
}
