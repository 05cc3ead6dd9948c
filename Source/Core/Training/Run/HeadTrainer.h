// Training of the head alone (`--freeze encoder`): the encoder hears each scene once, its features are kept
// in memory, and the head sees them epoch after epoch, which takes seconds. Runs on the calling thread and
// `threads - 1` of its own. The same settings, data and thread count give the same head, also when resumed.
#pragma once

#include "Core/Training/Data/Example.h"
#include "Core/Training/Run/Learner.h"

#include <functional>
#include <memory>

namespace earshot::training {

class HeadTrainer : public Learner {
  public:
    // Hears examples 0 to scenes - 1 of the source; progress(done, scenes) on the calling thread: returning
    // false stops (throws earshot::Error "stopped"). Mixup, stochastic depth and unfreezing are no part of
    // this training, and those settings are cleared. A step is `batch` of the scenes, shuffled anew each
    // time all were seen.
    HeadTrainer(const ParameterLayout& layout, const ExampleSource& source, std::size_t scenes,
                TrainerSettings settings, std::vector<float> initialParameters, BandStatistics statistics,
                const std::function<bool(std::size_t, std::size_t)>& progress);
    ~HeadTrainer() override;
    HeadTrainer(const HeadTrainer&) = delete;
    HeadTrainer& operator=(const HeadTrainer&) = delete;

    StepReport step() override;

  private:
    LearnerProgress& progress() const override;
    void spreadParameters() override;

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::training
