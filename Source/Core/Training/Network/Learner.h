// The interface of a training run to what it trains, step by step: the whole network (Trainer) or the head
// alone (HeadTrainer). One thread at a time.
#pragma once

#include "Core/Training/Network/Loss.h"
#include "Core/Training/Network/ParameterLayout.h"
#include "Core/Training/Network/TrainingNetwork.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace earshot::training {

struct TrainerSettings {
    int threads = 1;
    Arithmetic arithmetic = Arithmetic::float32;
    int batch = 32;     // examples per step
    int microBatch = 4; // windows per pass of a thread
    std::int64_t steps = 1000;
    std::int64_t warmUp = 100; // steps
    double peakRate = 1e-3;
    double finalRate = 1e-5; // at the end of the cosine
    double weightDecay = 0.05;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double clipNorm = 1.0;  // of the whole gradient
    double average = 0.999; // per step, of the averaged weights (bias-corrected by a warm-up of its own)
    float dropPath = 0.1f;
    float mixup = 0.5f;      // share of examples that are mixed with another of the batch
    float mixupAlpha = 0.5f; // of the Beta distribution
    int embeddingWidth = 0;  // of a teacher; 0: there is none (EmbeddingRegression.h)
    double embeddingWeight = 1.0;
    LossSettings loss;
    // Fine-tuning: the step from which each stage trains. Empty: everything trains from step 0. unfreezeAt[s
    // + 1] is for Parameter::stage s (the first entry is stage -1).
    std::vector<std::int64_t> unfreezeAt;
    std::uint64_t seed = 1;

    // Leaves out threads that would have nothing to do, and rounds the batch up to whole passes of all
    // threads.
    void completeBatch();
};

struct StepReport {
    std::int64_t step = 0; // steps done
    double loss = 0.0;     // mean of this step's batch
    double rate = 0.0;
    double gradientNorm = 0.0;   // before clipping
    double embeddingError = 0.0; // mean square, of the embeddings of this step's sounds
    double makeSeconds = 0.0;    // time for making examples, of the slowest thread
    double passSeconds = 0.0;    // in forward, backward and the update
};

struct LearnerProgress; // the state that both trainings share (LearnerProgress.h)

class Learner {
  public:
    virtual ~Learner() = default;

    const TrainerSettings& settings() const;
    std::int64_t stepsDone() const;
    // Runs one step. Throws earshot::Error, with advice, when the loss is not finite.
    virtual StepReport step() = 0;

    std::span<const float> parameters() const;
    std::span<const float> averagedParameters() const; // these are validated and shipped
    const BandStatistics& statistics() const;          // running

    // Writes everything that a resumed run needs as safetensors (parameters, moments, averages, statistics,
    // step, settings), with `metadata`. The file appears whole or not at all.
    void save(const std::filesystem::path& file, const std::map<std::string, std::string>& metadata) const;
    // Throws earshot::Error when the file is damaged, or has another layout or settings that change the
    // result.
    void resume(const std::filesystem::path& file);

  protected:
    virtual LearnerProgress& progress() const = 0;
    virtual void spreadParameters() = 0; // Copies changed parameters to every thread's network.
};

} // namespace earshot::training
