#include "Core/Detection/Windows/CoarseBound.h"

#include "Core/Detection/Windows/CoarseBoundChoice.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace earshot::detection {

float shareOfOdds(float probability, float share) {
    if (probability >= 1.0f) return share > 0.0f ? 1.0f : 0.0f;
    const double odds = static_cast<double>(share) * static_cast<double>(probability) /
                        (1.0 - static_cast<double>(probability));
    return static_cast<float>(odds / (1.0 + odds));
}

CoarseBound::CoarseBound(const EventSettings& settings, int classes, float bound) {
    assert(bound >= 0.0f && bound <= 1.0f);
    for (int i = 0; i < classes; ++i) {
        const EventRule& rule = settings.ruleFor(i);
        begin.push_back(shareOfOdds(rule.on, bound));
        extend.push_back(std::min(shareOfOdds(rule.off, bound), begin.back()));
    }
}

std::vector<bool> CoarseBound::suspects(std::span<const float> columns) const {
    const std::size_t classes = begin.size(), count = columns.size() / classes;
    assert(columns.size() == count * classes);
    std::vector<bool> marked(count);
    for (std::size_t c = 0; c < classes; ++c) {
        const auto at = [&](std::size_t column) { return columns[column * classes + c]; };
        for (std::size_t first = 0; first < count; ++first) {
            bool reached = false;
            std::size_t end = first;
            for (; end < count && at(end) >= extend[c]; ++end) reached = reached || at(end) >= begin[c];
            if (reached)
                std::fill(marked.begin() + static_cast<std::ptrdiff_t>(first),
                          marked.begin() + static_cast<std::ptrdiff_t>(end), true);
            first = end; // the column at `end` is below, if there is one
        }
    }
    return marked;
}

std::shared_ptr<const CoarseBound> coarseBound(const Labels& labels, const EventSettings& settings,
                                               Mode mode) {
    if (!labels.coarseBound() || settings.sebbs || mode == Mode::repeat) return nullptr;
    return std::make_shared<const CoarseBound>(settings, labels.count(), *labels.coarseBound());
}

namespace {

double oddsOf(float probability) {
    constexpr double most = 1.0 - 1e-7;
    const double p = std::min(static_cast<double>(probability), most);
    return p / (1.0 - p);
}

} // namespace

void CoarseBoundChoice::add(std::span<const Event> events, std::span<const float> looks, double columnSeconds,
                            std::span<const float> thresholds) {
    const std::size_t classes = thresholds.size(), columns = looks.size() / classes;
    for (const Event& event : events) {
        const auto c = static_cast<std::size_t>(event.classIndex);
        if (thresholds[c] <= 0.0f) continue; // all columns are events, whatever the bound
        const auto columnAt = [&](double seconds) {
            return std::min(static_cast<std::size_t>(std::max(0.0, std::round(seconds / columnSeconds))),
                            columns);
        };
        float peak = 0.0f;
        for (auto i = columnAt(event.onset); i < columnAt(event.offset); ++i)
            peak = std::max(peak, looks[i * classes + c]);
        shares_.push_back(std::min(1.0, oddsOf(peak) / oddsOf(thresholds[c])));
    }
}

std::optional<float> CoarseBoundChoice::bound() const {
    if (shares_.size() < minEvents) return std::nullopt;
    auto sorted = shares_;
    const auto lost =
        static_cast<std::ptrdiff_t>((1.0 - keptEvents) * static_cast<double>(sorted.size()) + 1e-9);
    std::ranges::nth_element(sorted, sorted.begin() + lost);
    const double share = margin * sorted[static_cast<std::size_t>(lost)];
    return static_cast<float>(std::floor(share * 1000.0) / 1000.0);
}

} // namespace earshot::detection
