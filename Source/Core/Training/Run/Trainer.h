// The training loop. Batches of examples run through one TrainingNetwork on each core, their gradients are
// summed in a fixed order, then come AdamW and weight averaging. The same settings, data and thread count
// give the same model, also after a stop and a resume. Runs on the calling thread and `threads - 1` of its
// own.
#pragma once

#include "Core/Training/Data/Example.h"
#include "Core/Training/Network/Learner.h"
#include "Core/Training/Network/ParameterLayout.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::training {

class Trainer : public Learner {
  public:
    Trainer(const ParameterLayout& layout, const ExampleSource& source, TrainerSettings settings,
            std::vector<float> initialParameters, BandStatistics initialStatistics);
    ~Trainer() override;
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    StepReport step() override;

  private:
    LearnerProgress& progress() const override;
    void spreadParameters() override;

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::training
