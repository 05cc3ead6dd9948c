#include "Core/Training/Run/HeadTrainer.h"

#include "Core/Base/Clock.h"
#include "Core/Base/Error.h"
#include "Core/Model/Network/Head.h"
#include "Core/Tensor/BFloat16.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Training/Network/LearnerProgress.h"
#include "Core/Training/Network/Optimiser.h"
#include "Core/Training/Network/TrainedHead.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <limits>
#include <numeric>
#include <random>

namespace earshot::training {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t shufflePurpose = 0x686561642e736875; // of seedFor

// Clears the settings that do not apply, and keeps the encoder unchanged.
TrainerSettings forHead(TrainerSettings settings, int stageCount) {
    settings.mixup = 0.0f;
    settings.dropPath = 0.0f;
    settings.unfreezeAt.assign(static_cast<std::size_t>(stageCount) + 2,
                               std::numeric_limits<std::int64_t>::max());
    settings.unfreezeAt.back() = 0;
    return settings;
}

std::size_t countBefore(std::size_t count, int part, int parts) {
    return count * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts);
}

} // namespace

struct HeadTrainer::Impl : LearnerProgress {
    struct Worker {
        std::unique_ptr<Head> head;
        tensor::Tensor gradients;                 // (layout.size()), of which the head's are used
        std::vector<std::vector<float>> features; // for each stage: (microBatch, grid^2, C)
        std::vector<const float*> stages;         // the same
        std::vector<float> logitGradients;        // (microBatch, tokens, classes)
        double loss = 0.0;                        // summed over its examples
    };

    Impl(const ParameterLayout& theLayout, std::size_t scenes, TrainerSettings theSettings,
         std::span<const float> initial, BandStatistics statistics)
        : LearnerProgress(theLayout, forHead(std::move(theSettings), theLayout.config().stageCount()),
                          initial, std::move(statistics))
        , team(settings.threads)
        , labels(scenes)
        , order(scenes) {
        assert(scenes > 0);
        const model::Config& config = layout.config();
        for (const int stage : model::headStages(config)) {
            const auto grid = static_cast<std::size_t>(config.stageGrid(stage));
            stageSizes.push_back(grid * grid * static_cast<std::size_t>(config.stageDim(stage)));
        }
        featuresPerScene = std::reduce(stageSizes.begin(), stageSizes.end());
        logitsPerScene =
            static_cast<std::size_t>(config.stepsPerWindow()) * static_cast<std::size_t>(config.classes);
        features.resize(scenes * featuresPerScene);
        headRange = {layout.size(), layout.size()};
        for (const Parameter& parameter : layout.parameters())
            if (parameter.ofHead()) headRange.begin = std::min(headRange.begin, parameter.offset);
    }

    void analyse(const ExampleSource& source, const std::function<bool(std::size_t, std::size_t)>& progress) {
        std::atomic<std::size_t> done = 0;
        std::atomic<bool> stopped = false;
        team.run([&](int thread) {
            const auto samples = static_cast<std::size_t>(settings.microBatch);
            const auto maker = source.newMaker();
            TrainingNetwork network(layout, settings.microBatch, settings.arithmetic);
            network.setParameters(optimiser.values.values());
            const std::size_t end = countBefore(labels.size(), thread + 1, team.threads());
            Example example;
            std::vector<float> inputs;
            std::vector<std::vector<Stripe>> stripes(samples);
            for (std::size_t i = countBefore(labels.size(), thread, team.threads()); i < end; i += samples) {
                const std::size_t count = std::min(samples, end - i);
                for (std::size_t s = 0; s < count; ++s) {
                    maker->make(i + s, example);
                    inputs.resize(samples * example.logMel.size());
                    std::copy(example.logMel.begin(), example.logMel.end(),
                              inputs.begin() + static_cast<std::ptrdiff_t>(s * example.logMel.size()));
                    stripes[s] = example.stripes;
                    labels[i + s] = {{}, example.targets, example.weak, example.known, {}, {}};
                }
                NetworkInput input;
                input.logMel = inputs;
                input.stripes = stripes;
                input.statistics = &state.statistics;
                network.forward(input);
                tensor::BFloat16* kept = features.data() + i * featuresPerScene;
                for (std::size_t s = 0; s < count; ++s)
                    for (std::size_t stage = 0; stage < stageSizes.size(); ++stage) {
                        const float* const heard = network.features()[stage] + s * stageSizes[stage];
                        kept = std::transform(heard, heard + stageSizes[stage], kept,
                                              [](float x) { return tensor::BFloat16(x); });
                    }
                done += count;
                if (thread == 0 && progress && !progress(done, labels.size())) stopped = true;
                if (stopped) return;
            }
        });
        if (stopped) throw Error("stopped");
    }

    void prepareHeads() {
        const auto samples = static_cast<std::size_t>(settings.microBatch);
        workers.resize(static_cast<std::size_t>(settings.threads));
        team.run([&](int thread) {
            Worker& worker = workers[static_cast<std::size_t>(thread)];
            worker.head = std::make_unique<Head>(layout, settings.microBatch, settings.arithmetic);
            worker.gradients = tensor::Tensor({static_cast<std::int64_t>(layout.size())});
            for (const std::size_t size : stageSizes) worker.features.emplace_back(samples * size);
            for (const auto& stage : worker.features) worker.stages.push_back(stage.data());
            worker.logitGradients.resize(samples * logitsPerScene);
        });
        for (Worker& worker : workers) gradients.push_back(worker.gradients.values());
        spreadParameters();
    }

    void spreadParameters() {
        team.run([&](int thread) {
            workers[static_cast<std::size_t>(thread)].head->setParameters(optimiser.values.values());
        });
    }

    // The scene at a position of the endless sequence of shuffled passes.
    std::size_t sceneAt(std::uint64_t place) {
        const std::uint64_t pass = place / order.size();
        if (shuffledPass != pass) {
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::mt19937_64 generator(seedFor(settings.seed, shufflePurpose, pass));
            for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
            shuffledPass = pass;
        }
        return order[place % order.size()];
    }

    void passes(std::span<const std::size_t> batch) {
        const auto samples = static_cast<std::size_t>(settings.microBatch);
        const std::size_t share = batch.size() / workers.size();
        team.run([&](int thread) {
            Worker& worker = workers[static_cast<std::size_t>(thread)];
            const auto used = worker.gradients.values().subspan(headRange.begin);
            std::fill(used.begin(), used.end(), 0.0f);
            worker.loss = 0.0;
            const std::size_t begin = static_cast<std::size_t>(thread) * share;
            for (std::size_t first = begin; first < begin + share; first += samples) {
                for (std::size_t s = 0; s < samples; ++s) {
                    const auto* kept = features.data() + batch[first + s] * featuresPerScene;
                    for (std::size_t stage = 0; stage < stageSizes.size(); ++stage) {
                        float* const wide = worker.features[stage].data() + s * stageSizes[stage];
                        for (std::size_t k = 0; k < stageSizes[stage]; ++k)
                            wide[k] = static_cast<float>(*kept++);
                    }
                }
                const auto output = worker.head->forward(worker.stages);
                for (std::size_t s = 0; s < samples; ++s)
                    worker.loss += lossAndGradient(
                        output.subspan(s * logitsPerScene, logitsPerScene), labels[batch[first + s]],
                        layout.config().classes, settings.loss, 1.0f / static_cast<float>(batch.size()),
                        std::span(worker.logitGradients).subspan(s * logitsPerScene, logitsPerScene));
                worker.head->backward(worker.logitGradients, worker.gradients.values());
            }
        });
    }

    StepReport step() {
        const auto start = Clock::now();
        std::vector<std::size_t> batch(static_cast<std::size_t>(settings.batch));
        for (std::size_t i = 0; i < batch.size(); ++i)
            batch[i] = sceneAt(static_cast<std::uint64_t>(state.step) * batch.size() + i);
        passes(batch);
        const double norm = sumGradients(team, optimiser, gradients, headRange, layout.config().stageCount());
        double loss = 0.0;
        for (const Worker& worker : workers) loss += worker.loss;
        loss /= static_cast<double>(batch.size());
        requireFinite(loss, norm, state.step);
        update(team, optimiser, settings, state.step, gradients.front(), norm, headRange);
        spreadParameters();
        StepReport report;
        report.loss = loss;
        report.rate = learningRate(settings, state.step);
        report.gradientNorm = norm;
        report.passSeconds = secondsSince(start);
        report.step = ++state.step;
        return report;
    }

    tensor::ThreadPool team;
    std::vector<Worker> workers;
    std::vector<std::span<float>> gradients; // the workers'
    Range headRange;                         // of the parameter block
    std::vector<std::size_t> stageSizes;     // features of a scene from each of model::headStages()
    std::size_t featuresPerScene = 0;
    std::size_t logitsPerScene = 0;
    std::vector<tensor::BFloat16> features; // (scenes, featuresPerScene)
    std::vector<Example> labels;            // of the scenes, without spectrograms
    std::vector<std::size_t> order;         // scenes as shuffled for a pass
    std::uint64_t shuffledPass = std::numeric_limits<std::uint64_t>::max();
};

HeadTrainer::HeadTrainer(const ParameterLayout& layout, const ExampleSource& source, std::size_t scenes,
                         TrainerSettings settings, std::vector<float> initialParameters,
                         BandStatistics statistics,
                         const std::function<bool(std::size_t, std::size_t)>& progress)
    : impl_(std::make_unique<Impl>(layout, scenes, std::move(settings), initialParameters,
                                   std::move(statistics))) {
    impl_->analyse(source, progress);
    impl_->prepareHeads();
}

HeadTrainer::~HeadTrainer() = default;

StepReport HeadTrainer::step() { return impl_->step(); }
LearnerProgress& HeadTrainer::progress() const { return *impl_; }
void HeadTrainer::spreadParameters() { impl_->spreadParameters(); }

} // namespace earshot::training
