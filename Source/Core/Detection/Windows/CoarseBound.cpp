#include "Core/Detection/Windows/CoarseBound.h"

#include <algorithm>
#include <cassert>
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
    if (!labels.coarseBound() || settings.boxes || mode == Mode::repeat) return nullptr;
    return std::make_shared<const CoarseBound>(settings, labels.count(), *labels.coarseBound());
}

} // namespace earshot::detection
