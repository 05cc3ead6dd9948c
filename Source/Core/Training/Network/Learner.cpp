#include "Core/Training/Network/Learner.h"

#include "Core/Training/Network/LearnerProgress.h"

#include <algorithm>
#include <cassert>

namespace earshot::training {

void TrainerSettings::completeBatch() {
    assert(threads >= 1 && microBatch >= 1 && batch >= 1);
    threads = std::min(threads, (batch + microBatch - 1) / microBatch);
    const int unit = threads * microBatch;
    batch = (batch + unit - 1) / unit * unit;
}

const TrainerSettings& Learner::settings() const { return progress().settings; }
std::int64_t Learner::stepsDone() const { return progress().state.step; }
std::span<const float> Learner::parameters() const { return progress().optimiser.values.values(); }
std::span<const float> Learner::averagedParameters() const { return progress().optimiser.average.values(); }
const BandStatistics& Learner::statistics() const { return progress().state.statistics; }

void Learner::save(const std::filesystem::path& file,
                   const std::map<std::string, std::string>& metadata) const {
    const LearnerProgress& now = progress();
    saveTraining(file, now.layout, now.settings, now.optimiser, now.state, now.embedding.get(), metadata);
}

void Learner::resume(const std::filesystem::path& file) {
    LearnerProgress& now = progress();
    now.state = loadTraining(file, now.layout, now.settings, now.optimiser, now.embedding.get());
    spreadParameters();
}

} // namespace earshot::training
