// Training of the head alone (`--freeze encoder`). The encoder runs once over each scene, its features stay
// in memory, and the head trains on them epoch after epoch, which takes seconds. Runs on the calling thread
// and `threads - 1` of its own. The same settings, data and thread count give the same head, also after a
// resume.
#pragma once

#include "Core/Training/Data/Example.h"
#include "Core/Training/Network/Learner.h"

#include <functional>
#include <memory>

namespace earshot::training {

class HeadTrainer : public Learner {
  public:
    // Encodes examples 0 to scenes - 1 of the source and calls progress(done, scenes) on the calling thread.
    // If that returns false, it stops and throws earshot::Error "stopped". Mixup, stochastic depth and
    // unfreezing do not apply to this training, so those settings are cleared. A step takes `batch` of the
    // scenes, which are shuffled again after each pass over all.
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
