#include "Core/Training/Network/EmbeddingRegression.h"

#include "Core/Model/Network/Head.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/TrainingTools.h"

#include <array>
#include <cmath>

using namespace earshot;
using namespace earshot::training;

namespace {

constexpr int width = 5;

struct Rig {
    Rig() {
        config = test::tinyTrainingConfig();
        channels = static_cast<std::size_t>(config.latentDim());
        const auto grid = static_cast<std::size_t>(config.stageGrid(config.stageCount() - 1));
        features = test::randomValues(grid * grid * channels, 3);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            embeddings[i] = test::randomValues(width, 20 + static_cast<unsigned>(i));
            rows[i].embedding = embeddings[i].data();
        }
        example.taught = {{.teachers = {&rows[0], nullptr}, .steps = {3, 4, 5, 9}},
                          {.teachers = {&rows[1], &rows[2]}, .steps = {4}},
                          {.teachers = {&silent, nullptr}, .steps = {1}}}; // soft labels alone
    }

    // As the header defines it, in double precision.
    double loss(std::span<const float> layer) const {
        const int last = config.stageCount() - 1,
                  stepsPerColumn = config.stepsPerWindow() / config.gridColumns(last);
        double sum = 0.0;
        for (std::size_t s = 0; s < 2; ++s) {
            std::vector<double> pooled(channels);
            std::vector<bool> isIn(static_cast<std::size_t>(config.gridColumns(last)));
            for (const int step : example.taught[s].steps)
                isIn[static_cast<std::size_t>(step / stepsPerColumn)] = true;
            double places = 0.0;
            for (int column = 0; column < config.gridColumns(last); ++column)
                for (int row = 0; row < model::frequencyRows(config, last); ++row) {
                    if (!isIn[static_cast<std::size_t>(column)]) continue;
                    ++places;
                    const auto at =
                        static_cast<std::size_t>(model::tokenIndex(config, last, column, row)) * channels;
                    for (std::size_t c = 0; c < channels; ++c)
                        pooled[c] += static_cast<double>(features[at + c]);
                }
            for (std::size_t j = 0; j < width; ++j) {
                const float* weights = layer.data() + j * (channels + 1);
                double value = static_cast<double>(weights[channels]);
                for (std::size_t c = 0; c < channels; ++c)
                    value += static_cast<double>(weights[c]) * pooled[c] / places;
                const double wanted = s == 0 ? static_cast<double>(embeddings[0][j])
                                             : 0.5 * (static_cast<double>(embeddings[1][j]) +
                                                      static_cast<double>(embeddings[2][j]));
                sum += (value - wanted) * (value - wanted) / width;
            }
        }
        return sum;
    }

    model::Config config;
    std::size_t channels = 0;
    std::vector<float> features;
    std::array<std::vector<float>, 3> embeddings;
    std::array<TeacherRow, 3> rows;
    TeacherRow silent;
    Example example;
};

// Gives the layer some values: a few steps on other features.
void warm(EmbeddingRegression& task, const Rig& rig) {
    auto sums = task.newSums();
    std::vector<float> gradient(rig.features.size());
    TrainerSettings settings;
    settings.warmUp = 1;
    EmbeddingRegression::Sums* all[] = {&sums};
    for (int i = 0; i < 40; ++i) {
        std::ranges::fill(gradient, 0.0f);
        task.pass(rig.features, rig.example, 1.0f, gradient, sums);
        task.update(all, settings, i);
    }
}

} // namespace

TEST_CASE("the embedding task's gradients are the slopes of its loss", "[unit][training]") {
    Rig rig;
    EmbeddingRegression task(rig.config, width, 1.0);
    warm(task, rig);
    constexpr float share = 0.25f;
    auto sums = task.newSums();
    std::vector<float> gradient(rig.features.size());
    task.pass(rig.features, rig.example, share, gradient, sums);
    std::vector<float> layer(task.values().begin(), task.values().end());
    CHECK(sums.sounds == 2);
    CHECK(sums.squaredError == Approx(rig.loss(layer)).epsilon(1e-5));

    const auto check = [&](std::vector<float>& values, std::span<const float> slopes) {
        int moving = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const float before = values[i];
            constexpr float step = 1e-2f; // the loss is a parabola: any step gives its slope
            values[i] = before + step;
            const double ahead = rig.loss(layer);
            values[i] = before - step;
            const double behind = rig.loss(layer);
            values[i] = before;
            const double slope =
                static_cast<double>(share) * (ahead - behind) / (2.0 * static_cast<double>(step));
            if (slope != 0.0) ++moving;
            REQUIRE(std::abs(slope - static_cast<double>(slopes[i])) <= 1e-4 * (1.0 + std::abs(slope)));
        }
        CHECK(moving > 0);
        return moving;
    };
    check(layer, sums.gradient);
    const int moving = check(rig.features, gradient);
    CHECK(moving < static_cast<int>(rig.features.size())); // where no sound is taught, nothing moves
}

TEST_CASE("the embedding task learns, and its gradient keeps to its weight", "[unit][training]") {
    const Rig rig;
    constexpr double weight = 0.01;
    EmbeddingRegression task(rig.config, width, weight);
    CHECK(task.scale() == 0.0f); // it tells nothing yet
    auto sums = task.newSums();
    std::vector<float> gradient(rig.features.size());
    TrainerSettings settings;
    settings.warmUp = 1;
    settings.peakRate = 1.0;
    EmbeddingRegression::Sums* all[] = {&sums};
    double first = 0.0, last = 0.0, own = 0.0;
    for (int i = 0; i < 400; ++i) {
        std::ranges::fill(gradient, 0.0f);
        task.pass(rig.features, rig.example, 1.0f, gradient, sums);
        own = 0.0;
        for (const float g : gradient) own += static_cast<double>(g) * static_cast<double>(g);
        sums.ownSquares = own;
        sums.labelSquares = 4.0;
        last = task.update(all, settings, 0);
        if (i == 0) first = last;
    }
    CHECK(last < 0.5 * first);
    CHECK(sums.sounds == 0); // the sums of a step are cleared
    CHECK(task.scale() > 0.0f);
    CHECK(task.scale() <= 0.1f);
}

TEST_CASE("a stopped embedding task goes on as it was", "[unit][training]") {
    const Rig rig;
    EmbeddingRegression task(rig.config, width, 1.0), other(rig.config, width, 1.0);
    warm(task, rig);
    for (const auto& [name, block] : task.tensors()) {
        const auto target = other.tensors().at(name);
        std::copy(block->values().begin(), block->values().end(), target->values().begin());
    }
    REQUIRE(other.setNorms(task.norms()));
    CHECK(other.norms() == task.norms());
    CHECK(other.scale() == task.scale());
    warm(task, rig);
    warm(other, rig);
    CHECK(std::ranges::equal(task.values(), other.values()));
    for (const std::string text :
         {"", "[]", "{\"labels\": 1}", "{\"labels\": \"x\", \"embeddings\": 1, \"updates\": 1}",
          "{\"labels\": 1, \"embeddings\": 1, \"updates\": -1}"})
        CHECK_FALSE(other.setNorms(text));
}
