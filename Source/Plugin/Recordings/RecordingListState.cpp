#include "Plugin/Recordings/RecordingListState.h"

#include "Ui/Panels/Widgets.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// How often the events are copied for the views.
constexpr std::chrono::seconds eventsEvery{1};

} // namespace

ListRow* DroppedFolder::find(const std::string& name) {
    const auto row = std::ranges::lower_bound(rows, name, {}, &ListRow::name);
    return row != rows.end() && row->input.name == name ? &*row : nullptr;
}

ui::RecordingList RecordingListState::view() {
    showRows();
    showEvents();
    ui::RecordingList list;
    list.possible = true;
    list.hearing = hearing;
    list.progress = progress;
    list.doing = searches > 0 && !hearing ? juce::String("Looking for recordings") : ui::toText(doing);
    list.hint = ui::toText(hint);
    list.canAgain = std::ranges::any_of(folders, &DroppedFolder::otherSettings);
    list.table = table;
    list.recordings = rowsShown;
    list.events = eventsShown;
    return list;
}

DroppedFolder* RecordingListState::find(const fs::path& folder) {
    const auto found = std::ranges::find(folders, folder, &DroppedFolder::folder);
    return found == folders.end() ? nullptr : &*found;
}

void RecordingListState::forgetEvents(const std::set<int>& ids) {
    if (std::erase_if(events, [&](const auto& event) { return ids.contains(event.recording); }) > 0)
        eventsChanged = true;
    if (events.empty()) sebbs = false;
}

void RecordingListState::listEvents(int id, const std::vector<formats::TimedEvent>& found) {
    for (const auto& event : found) {
        if (!(event.onset >= 0.0 && event.offset >= event.onset && event.offset < latestMoment)) continue;
        if (events.size() >= ui::ListedEvents::most) break;
        const auto [place, isNew] = soundPlaces.try_emplace(event.label, static_cast<int>(sounds.size()));
        if (isNew) sounds.push_back(event.label);
        events.push_back(
            {id, place->second, event.onset, event.offset, formats::certainty(event), event.channel});
        sebbs = sebbs || event.confidence > 0.0f;
    }
    if (!found.empty()) eventsChanged = true;
}

void RecordingListState::rest() {
    hearing = false;
    current.clear();
    doing.clear();
    for (auto& folder : folders)
        for (auto& row : folder.rows)
            if (row.shown.state == ui::ListedRecording::State::hearing)
                row.shown.state = ui::ListedRecording::State::waiting;
    rowsChanged = true;
    rowsMade = eventsMade = {};
}

void RecordingListState::showRows() {
    const auto now = SteadyClock::now();
    if (!rowsChanged || now - rowsMade < rowsEvery) return;
    auto rows = std::make_shared<std::vector<ui::ListedRecording>>();
    for (const auto& folder : folders)
        for (const auto& row : folder.rows) rows->push_back(row.shown);
    rowsShown = std::move(rows);
    rowsChanged = false;
    rowsMade = now;
}

void RecordingListState::showEvents() {
    const auto now = SteadyClock::now();
    if (!eventsChanged || now - eventsMade < eventsEvery) return;
    auto shown = std::make_shared<ui::ListedEvents>();
    shown->sounds = sounds;
    shown->events = events;
    shown->sebbs = sebbs;
    std::int64_t all = 0;
    for (const auto& folder : folders)
        for (const auto& row : folder.rows) all += row.shown.events;
    shown->more = std::max<std::int64_t>(0, all - std::ssize(events));
    eventsShown = std::move(shown);
    eventsChanged = false;
    eventsMade = now;
}

} // namespace earshot::plugin
