#include "Core/Formats/EventFormats.h"

#include "Core/Formats/ResultDocument.h"

namespace earshot::formats {

const char* extension(EventFormat format) {
    const std::string_view suffix = traits(format).suffix; // of a literal, which ends with a null
    return suffix.data() + suffix.rfind('.');
}

std::string document(EventFormat format, std::span<const TimedEvent> events, const MidiMap& map) {
    RecordingEvents recording;
    if (!events.empty()) recording.file = events.front().file;
    recording.events.assign(events.begin(), events.end());
    const auto document = makeDocument(format, map);
    std::string text = document->begin();
    text += document->add(recording);
    return text + document->end();
}

} // namespace earshot::formats
