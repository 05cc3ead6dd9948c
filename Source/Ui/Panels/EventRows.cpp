#include "Ui/Panels/EventRows.h"

#include <algorithm>

namespace earshot::ui {

namespace {

using detection::Event;

// By the column alone; events arrive by onset, and a stable sort keeps that among equals.
void sortBy(std::vector<Event>& rows, const detection::Labels* labels, EventOrder order) {
    const auto sort = [&](auto value) {
        if (order.descending)
            std::stable_sort(rows.begin(), rows.end(),
                             [&](const Event& a, const Event& b) { return value(a) > value(b); });
        else
            std::stable_sort(rows.begin(), rows.end(),
                             [&](const Event& a, const Event& b) { return value(a) < value(b); });
    };
    switch (order.column) {
    case EventColumn::time:
        if (order.descending) std::reverse(rows.begin(), rows.end());
        break;
    case EventColumn::sound: {
        // Each class's place in the alphabet, so that a hundred thousand names are not compared.
        std::vector<int> classes(labels != nullptr ? static_cast<std::size_t>(labels->count()) : 0);
        for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<int>(i);
        std::stable_sort(classes.begin(), classes.end(),
                         [&](int a, int b) { return labels->name(a) < labels->name(b); });
        std::vector<int> place(classes.size());
        for (std::size_t i = 0; i < classes.size(); ++i)
            place[static_cast<std::size_t>(classes[i])] = static_cast<int>(i);
        sort([&](const Event& event) {
            const auto index = static_cast<std::size_t>(event.classIndex);
            return index < place.size() ? place[index] : event.classIndex;
        });
        break;
    }
    case EventColumn::length:
        sort([](const Event& event) { return event.offset - event.onset; });
        break;
    case EventColumn::peak:
        sort([](const Event& event) { return event.peak; });
        break;
    }
}

bool same(const Event& a, const Event& b) {
    return EventRows::key(a) == EventRows::key(b) && a.offset == b.offset && a.peak == b.peak;
}

} // namespace

bool EventRows::update(std::span<const Event> events, const detection::Labels* labels,
                       const std::vector<bool>& shown, EventOrder order) {
    std::vector<Event> rows;
    rows.reserve(events.size());
    for (const Event& event : events) {
        const auto index = static_cast<std::size_t>(event.classIndex);
        if (index < shown.size() && shown[index]) rows.push_back(event);
    }
    sortBy(rows, labels, order);

    const auto limit = std::min(rows.size(), rows_.size());
    std::size_t equal = 0;
    bool differs = rows.size() != rows_.size();
    while (equal < limit && key(rows[equal]) == key(rows_[equal])) {
        differs = differs || !same(rows[equal], rows_[equal]);
        ++equal;
    }
    unchanged_ = static_cast<int>(equal);
    rows_ = std::move(rows);
    return differs || equal < limit;
}

} // namespace earshot::ui
