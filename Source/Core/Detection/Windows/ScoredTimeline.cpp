#include "Core/Detection/Windows/ScoredTimeline.h"

#include "Core/Base/Error.h"
#include "Core/Base/Float16.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::detection {

ScoredTimeline::ScoredTimeline(std::shared_ptr<const ColumnScorer> scorer, double secondsPerColumn)
    : scorer_(std::move(scorer))
    , timeline_(scorer_->classes(), secondsPerColumn)
    , rounded_(static_cast<std::size_t>(scorer_->values()))
    , probabilities_(static_cast<std::size_t>(scorer_->classes())) {}

void ScoredTimeline::follow(const Timeline& vectors) {
    if (timeline_.columns() == 0) timeline_.beginAt(vectors.firstKept());
    for (std::int64_t column = timeline_.settled(); column < vectors.columns(); ++column) {
        std::ranges::transform(vectors.column(column), rounded_.begin(),
                               [](float value) { return fromFloat16(toFloat16(value)); });
        if (std::ranges::all_of(rounded_, [](float value) { return value == 0.0f; }))
            std::ranges::fill(probabilities_, 0.0f);
        else
            scorer_->score(rounded_, probabilities_);
        timeline_.replace(column, probabilities_, vectors.provisional(column));
    }
    timeline_.settle(vectors.settled());
    if (vectors.duration() && !timeline_.duration()) timeline_.finish(*vectors.duration());
}

} // namespace earshot::detection
