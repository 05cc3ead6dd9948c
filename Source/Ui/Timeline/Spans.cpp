#include "Ui/Timeline/Spans.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace earshot::ui {

std::optional<detection::Event> spanAt(const HistoryViewModel& viewModel, int classIndex, double seconds) {
    if (classIndex < 0) return std::nullopt;
    if (const auto* event = viewModel.events().eventAt(classIndex, seconds)) return *event;
    if (const auto* miss = viewModel.events().nearMissAt(classIndex, seconds)) return miss->event;
    return std::nullopt;
}

std::optional<detection::Event> nextSpan(const HistoryViewModel& viewModel, int classIndex, double seconds,
                                         bool after) {
    const auto& list = viewModel.events().list();
    std::vector<detection::Event> spans;
    for (const auto& event : list.events)
        if (event.classIndex == classIndex) spans.push_back(event);
    for (const auto& miss : list.nearMisses)
        if (miss.event.classIndex == classIndex) spans.push_back(miss.event);
    std::ranges::sort(spans, {}, &detection::Event::onset);
    const auto place = after ? std::ranges::upper_bound(spans, seconds, {}, &detection::Event::onset)
                             : std::ranges::lower_bound(spans, seconds, {}, &detection::Event::onset);
    if (place == (after ? spans.end() : spans.begin())) return std::nullopt;
    return after ? *place : *std::prev(place);
}

} // namespace earshot::ui
