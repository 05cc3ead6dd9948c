// How a network in training does on the validation scenes: quick enough for every epoch. The scenes' spectra
// are made once and kept (a quarter of a megabyte each). One thread at a time; uses threads of its own.
#pragma once

#include "Core/Evaluation/Scores.h"
#include "Core/Tensor/Team.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Run/Learner.h"

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
    // Examples 0 to count - 1 of the source; where their sounds begin and end is known to a token.
    SceneValidator(const ParameterLayout& layout, const ExampleSource& source, std::size_t count, int threads,
                   int microBatch, Arithmetic arithmetic);

    ValidationScores validate(std::span<const float> parameters, const BandStatistics& statistics);

  private:
    const ParameterLayout& layout_;
    int microBatch_;
    tensor::Team team_;
    std::vector<std::unique_ptr<TrainingNetwork>> networks_; // one per thread
    std::vector<Example> examples_;
    std::vector<evaluation::Scored> recordings_;
};

} // namespace earshot::training
