#include "Plugin/Recordings/ClipRequests.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace earshot::plugin {

std::filesystem::path pathOf(const juce::File& file) { return file.getFullPathName().toStdString(); }

batch::CutSettings settingsFor(const ui::ClipRequest& request) {
    batch::CutSettings settings;
    settings.folder = pathOf(request.folder);
    settings.handles = request.handles;
    settings.format = request.format == ui::ClipFormat::wav    ? batch::ClipFormat::wav
                      : request.format == ui::ClipFormat::flac ? batch::ClipFormat::flac
                                                               : batch::ClipFormat::asRecording;
    settings.inputs = {pathOf(request.recording)};
    return settings;
}

std::vector<batch::CutEvent> eventsOf(const ui::ClipRequest& request) {
    const auto known = [](float value) { return value > 0.0f ? std::optional<double>(value) : std::nullopt; };
    std::vector<batch::CutEvent> events;
    for (const auto& event : request.events)
        events.push_back(
            {event.onset, event.offset, event.label, known(event.peak), known(event.confidence)});
    std::ranges::stable_sort(events, {}, &batch::CutEvent::onset);
    for (std::size_t i = 0; i < events.size(); ++i) events[i].number = i + 1;
    return events;
}

} // namespace earshot::plugin
