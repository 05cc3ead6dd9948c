#include "Core/Training/Network/TrainingNetwork.h"

#include <algorithm>
#include <cassert>

namespace earshot::training {

BandMoments::BandMoments(int melBands)
    : sums_(static_cast<std::size_t>(melBands))
    , squares_(static_cast<std::size_t>(melBands)) {}

void BandMoments::add(std::span<const float> logMel) {
    assert(logMel.size() % sums_.size() == 0);
    for (std::size_t first = 0; first < logMel.size(); first += sums_.size())
        for (std::size_t band = 0; band < sums_.size(); ++band) {
            const double value = logMel[first + band];
            sums_[band] += value;
            squares_[band] += value * value;
        }
    frames_ += static_cast<std::int64_t>(logMel.size() / sums_.size());
}

void BandMoments::add(const BandMoments& other) {
    assert(other.sums_.size() == sums_.size());
    for (std::size_t band = 0; band < sums_.size(); ++band) {
        sums_[band] += other.sums_[band];
        squares_[band] += other.squares_[band];
    }
    frames_ += other.frames_;
}

BandStatistics BandMoments::result() const {
    assert(frames_ > 0);
    BandStatistics statistics;
    const auto count = static_cast<double>(frames_);
    for (std::size_t band = 0; band < sums_.size(); ++band) {
        const double mean = sums_[band] / count;
        statistics.mean.push_back(static_cast<float>(mean));
        statistics.variance.push_back(
            static_cast<float>(std::max(squares_[band] / count - mean * mean, 0.0)));
    }
    return statistics;
}

} // namespace earshot::training
