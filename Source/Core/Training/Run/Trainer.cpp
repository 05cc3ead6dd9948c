#include "Core/Training/Run/Trainer.h"

#include "Core/Base/Clock.h"
#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Training/Data/Augment.h"
#include "Core/Training/Network/LearnerProgress.h"
#include "Core/Training/Network/Optimiser.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>

namespace earshot::training {

namespace {

using Clock = std::chrono::steady_clock;

// Purposes of seedFor; those of a scene mixer are different.
constexpr std::uint64_t mixupPurpose = 0x747261696e2e6d69;
constexpr std::uint64_t dropSeedPurpose = 0x747261696e2e6472;

} // namespace

struct Trainer::Impl : LearnerProgress {
    // The working memory of one thread.
    struct Worker {
        std::unique_ptr<ExampleMaker> maker;
        std::unique_ptr<TrainingNetwork> network;
        tensor::Tensor gradients;          // (layout.size())
        std::vector<float> logitGradients; // (microBatch, tokens, classes)
        std::vector<std::vector<Stripe>> stripes;
        std::vector<std::uint64_t> seeds;
        BandMoments moments{1};
        std::vector<float> featureGradients; // (microBatch, last stage's grid^2, latentDim), of embeddings
        EmbeddingRegression::Sums embedding;
        double loss = 0.0; // summed over its examples
        double makeSeconds = 0.0;
    };

    Impl(const ParameterLayout& theLayout, const ExampleSource& source, TrainerSettings theSettings,
         std::span<const float> initial, BandStatistics statistics)
        : LearnerProgress(theLayout, std::move(theSettings), initial, std::move(statistics))
        , team(settings.threads)
        , examples(static_cast<std::size_t>(settings.batch))
        , mixed(examples.size())
        , isFresh(state.statistics.mean.empty()) {
        const model::Config& config = layout.config();
        const auto bands = static_cast<std::size_t>(config.melBands);
        if (isFresh) state.statistics = {std::vector<float>(bands, 0.0f), std::vector<float>(bands, 1.0f)};
        inputs = tensor::Tensor({settings.batch, config.windowFrames(), config.melBands});
        workers.resize(static_cast<std::size_t>(settings.threads));
        team.run([&](int thread) { prepare(workers[static_cast<std::size_t>(thread)], source); });
        for (Worker& worker : workers) gradients.push_back(worker.gradients.values());
    }

    void prepare(Worker& worker, const ExampleSource& source) {
        const model::Config& config = layout.config();
        const auto samples = static_cast<std::size_t>(settings.microBatch);
        worker.maker = source.newMaker();
        worker.network = std::make_unique<TrainingNetwork>(layout, settings.microBatch, settings.arithmetic);
        worker.network->setParameters(optimiser.values.values());
        worker.gradients = tensor::Tensor({static_cast<std::int64_t>(layout.size())});
        worker.logitGradients.resize(samples * logitsPerWindow());
        worker.stripes.resize(samples);
        worker.seeds.resize(samples);
        worker.moments = BandMoments(config.melBands);
        if (!embedding) return;
        worker.featureGradients.resize(samples * featuresPerWindow());
        worker.embedding = embedding->newSums();
    }

    std::size_t logitsPerWindow() const {
        return static_cast<std::size_t>(layout.config().stepsPerWindow()) *
               static_cast<std::size_t>(layout.config().classes);
    }
    std::size_t featuresPerWindow() const {
        const model::Config& config = layout.config();
        const auto grid = static_cast<std::size_t>(config.stageGrid(config.stageCount() - 1));
        return grid * grid * static_cast<std::size_t>(config.latentDim());
    }
    std::size_t inputSize() const { return inputs.size() / examples.size(); }
    std::uint64_t exampleIndex(std::size_t i) const {
        return static_cast<std::uint64_t>(state.step) * examples.size() + i;
    }
    // A thread's own examples, the same in every step.
    Range ownExamples(int thread) const {
        const std::size_t share = examples.size() / workers.size();
        return {static_cast<std::size_t>(thread) * share, (static_cast<std::size_t>(thread) + 1) * share};
    }

    // Any free thread makes the next example, because an example does not depend on its maker.
    void makeExamples() {
        std::atomic<std::size_t> next = 0;
        team.run([&](int thread) {
            Worker& worker = workers[static_cast<std::size_t>(thread)];
            const auto start = Clock::now();
            for (std::size_t i = next++; i < examples.size(); i = next++)
                worker.maker->make(exampleIndex(i), examples[i]);
            worker.makeSeconds = secondsSince(start);
        });
    }

    void mixExamples() {
        const auto mixes =
            chooseMixes(examples.size(), settings.mixup, settings.mixupAlpha,
                        seedFor(settings.seed, mixupPurpose, static_cast<std::uint64_t>(state.step)));
        team.run([&](int thread) {
            Worker& worker = workers[static_cast<std::size_t>(thread)];
            worker.moments = BandMoments(layout.config().melBands);
            const auto [begin, end] = ownExamples(thread);
            for (std::size_t i = begin; i < end; ++i) {
                const Example& own = examples[i];
                const Example& other = examples[mixes[i].other];
                const auto input = inputs.values().subspan(i * inputSize(), inputSize());
                mix(own, other, canMix(own, other) ? mixes[i].share : 0.0f, input, mixed[i]);
                worker.moments.add(input);
            }
        });
    }

    // Statistics of the whole batch while the band norm trains; running ones while it is frozen.
    BandStatistics batchStatistics(int firstStage) {
        if (firstStage > -1) return state.statistics;
        BandMoments moments(layout.config().melBands);
        for (const Worker& worker : workers) moments.add(worker.moments);
        auto batch = moments.result();
        const double slowest = 0.01;
        const double momentum =
            isFresh ? std::max(slowest, 1.0 / static_cast<double>(state.step + 1)) : slowest;
        const auto approach = [momentum](std::vector<float>& running, const std::vector<float>& now) {
            for (std::size_t i = 0; i < running.size(); ++i)
                running[i] += static_cast<float>(momentum * (static_cast<double>(now[i]) - running[i]));
        };
        nextStatistics = state.statistics;
        approach(nextStatistics.mean, batch.mean);
        approach(nextStatistics.variance, batch.variance);
        return batch;
    }

    void passes(const BandStatistics& statistics, int firstStage) {
        const auto samples = static_cast<std::size_t>(settings.microBatch);
        const auto logits = logitsPerWindow();
        team.run([&](int thread) {
            Worker& worker = workers[static_cast<std::size_t>(thread)];
            std::fill(worker.gradients.values().begin(), worker.gradients.values().end(), 0.0f);
            worker.loss = 0.0;
            const auto [begin, end] = ownExamples(thread);
            for (std::size_t first = begin; first < end; first += samples) {
                for (std::size_t s = 0; s < samples; ++s) {
                    worker.stripes[s] = examples[first + s].stripes;
                    worker.seeds[s] = seedFor(settings.seed, dropSeedPurpose, exampleIndex(first + s));
                }
                NetworkInput input;
                input.logMel = inputs.values().subspan(first * inputSize(), samples * inputSize());
                input.stripes = worker.stripes;
                input.statistics = &statistics;
                input.dropPath = settings.dropPath;
                input.seeds = worker.seeds;
                const auto output = worker.network->forward(input);
                for (std::size_t s = 0; s < samples; ++s)
                    worker.loss += lossAndGradient(
                        output.subspan(s * logits, logits), mixed[first + s], layout.config().classes,
                        settings.loss, 1.0f / static_cast<float>(examples.size()),
                        std::span(worker.logitGradients).subspan(s * logits, logits));
                if (embedding) teachEmbeddings(worker, first);
                worker.network->backward(worker.logitGradients, worker.gradients.values(), firstStage,
                                         worker.featureGradients);
                worker.embedding.labelSquares += worker.network->headGradientSquares();
            }
        });
    }

    // Sets the feature gradients of the pass over the examples from `first` on.
    void teachEmbeddings(Worker& worker, std::size_t first) {
        auto& gradients = worker.featureGradients;
        std::ranges::fill(gradients, 0.0f);
        const auto size = featuresPerWindow();
        const std::span features(worker.network->features().back(), gradients.size());
        for (std::size_t s = 0; s * size < gradients.size(); ++s)
            embedding->pass(features.subspan(s * size, size), mixed[first + s],
                            1.0f / static_cast<float>(examples.size()),
                            std::span(gradients).subspan(s * size, size), worker.embedding);
        worker.embedding.ownSquares += tensor::optimiserKernels().sumOfSquares(
            gradients.data(), static_cast<std::int64_t>(gradients.size()));
        const float scale = embedding->scale();
        for (float& gradient : gradients) gradient *= scale;
    }

    // The mean squared error of this step's embeddings.
    double updateEmbedding() {
        if (!embedding) return 0.0;
        std::vector<EmbeddingRegression::Sums*> sums;
        for (Worker& worker : workers) sums.push_back(&worker.embedding);
        return embedding->update(sums, settings, state.step);
    }

    void spreadParameters() {
        team.run([&](int thread) {
            workers[static_cast<std::size_t>(thread)].network->setParameters(optimiser.values.values());
        });
    }

    StepReport step() {
        const auto start = Clock::now();
        const int firstStage = firstTrainedStage(settings, layout.config().stageCount(), state.step);
        makeExamples();
        mixExamples();
        nextStatistics = state.statistics;
        const auto statistics = batchStatistics(firstStage);
        passes(statistics, firstStage);
        const Range whole = {0, layout.size()};
        const double norm = sumGradients(team, optimiser, gradients, whole, firstStage);
        double loss = 0.0;
        for (const Worker& worker : workers) loss += worker.loss;
        loss /= static_cast<double>(examples.size());
        // before anything changes, so that the last checkpoint stays good
        requireFinite(loss, norm, state.step);
        update(team, optimiser, settings, state.step, gradients.front(), norm, whole);
        spreadParameters();
        StepReport report;
        report.embeddingError = updateEmbedding();
        report.loss = loss;
        report.rate = learningRate(settings, state.step);
        report.gradientNorm = norm;
        for (const Worker& worker : workers)
            report.makeSeconds = std::max(report.makeSeconds, worker.makeSeconds);
        report.passSeconds = secondsSince(start) - report.makeSeconds;
        state.statistics = nextStatistics;
        report.step = ++state.step;
        return report;
    }

    BandStatistics nextStatistics; // after this step
    tensor::ThreadPool team;
    std::vector<Worker> workers;
    std::vector<std::span<float>> gradients; // the workers'
    std::vector<Example> examples;           // of the batch
    std::vector<Example> mixed;              // their labels after mixup
    tensor::Tensor inputs;                   // (batch, windowFrames, melBands) after mixup
    bool isFresh;                            // no statistics from an earlier training
};

Trainer::Trainer(const ParameterLayout& layout, const ExampleSource& source, TrainerSettings settings,
                 std::vector<float> initialParameters, BandStatistics initialStatistics)
    : impl_(std::make_unique<Impl>(layout, source, std::move(settings), initialParameters,
                                   std::move(initialStatistics))) {}

Trainer::~Trainer() = default;

StepReport Trainer::step() { return impl_->step(); }
LearnerProgress& Trainer::progress() const { return *impl_; }
void Trainer::spreadParameters() { impl_->spreadParameters(); }

} // namespace earshot::training
