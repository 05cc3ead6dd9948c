// Scores a network in training on the validation scenes, quickly enough for every epoch. The spectra of the
// scenes are computed once and stored (a quarter of a megabyte each). One thread at a time; uses threads of
// its own.
#pragma once

#include "Core/Evaluation/Scores.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Network/Learner.h"

#include <memory>
#include <span>
#include <vector>

namespace earshot::training {

struct ValidationScores {
    double loss = 0.0;
    double eventF1 = 0.0; // micro; onset within 0.5 s, offset within 0.5 s or half the length
    double segmentF1 = 0.0;
    double meanAveragePrecision = 0.0;
    std::vector<float> thresholds; // chosen on these scenes
};

class SceneValidator {
  public:
    // Uses examples 0 to count - 1 of the source. Their onsets and offsets are known to a token.
    SceneValidator(const ParameterLayout& layout, const ExampleSource& source, std::size_t count, int threads,
                   int microBatch, Arithmetic arithmetic);

    ValidationScores validate(std::span<const float> parameters, const BandStatistics& statistics);

  private:
    const ParameterLayout& layout_;
    int microBatch_;
    tensor::ThreadPool team_;
    std::vector<std::unique_ptr<TrainingNetwork>> networks_; // one for each thread
    std::vector<Example> examples_;
    std::vector<evaluation::Scored> recordings_;
};

} // namespace earshot::training
