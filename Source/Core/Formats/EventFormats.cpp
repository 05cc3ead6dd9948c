#include "Core/Formats/EventFormats.h"

#include "Core/Formats/Documents.h"

#include <algorithm>
#include <array>
#include <string>

namespace earshot::formats {

namespace {

constexpr std::array table = {
    EventFormat{"csv", ".csv", true, csvDocument, "CSV"},
    EventFormat{"json", ".json", true, jsonDocument, "JSON"},
    EventFormat{"jsonl", ".jsonl", true, jsonLinesDocument, "JSON lines"},
    EventFormat{"audacity", ".audacity.txt", false, audacityDocument, "Audacity labels"},
    EventFormat{"raven", ".raven.txt", true, ravenDocument, "Raven selection table"},
    EventFormat{"dcase", ".dcase.tsv", true, dcaseDocument, "DCASE"},
    EventFormat{"kaleidoscope", ".kaleidoscope.csv", true, kaleidoscopeDocument, "Kaleidoscope"},
    EventFormat{"reaper", ".reaper.csv", false, reaperDocument, "REAPER regions"},
    EventFormat{"audition", ".audition.csv", false, auditionDocument, "Audition markers"},
    EventFormat{"webvtt", ".vtt", false, webvttDocument, "WebVTT"},
    EventFormat{"midi", ".mid", false, midiDocument, "MIDI"},
};

class LineDocument : public ResultDocument {
  public:
    using Lines = std::string (*)(const RecordingEvents& recording);

    LineDocument(std::string_view header, Lines lines)
        : header_(header)
        , lines_(lines) {}

    std::string begin() override { return header_; }
    std::string add(const RecordingEvents& recording) override { return lines_(recording); }

  private:
    std::string header_;
    Lines lines_;
};

} // namespace

std::unique_ptr<ResultDocument> lineDocument(std::string_view header,
                                             std::string (*lines)(const RecordingEvents& recording)) {
    return std::make_unique<LineDocument>(header, lines);
}

std::string labelWithChannel(const TimedEvent& event) {
    return event.channel > 0 ? event.label + " (channel " + std::to_string(event.channel) + ")" : event.label;
}

std::span<const EventFormat> allFormats() { return table; }

std::vector<std::string> formatNames() {
    std::vector<std::string> names;
    names.reserve(table.size());
    for (const EventFormat& format : table) names.emplace_back(format.name);
    return names;
}

const EventFormat* formatNamed(std::string_view name) {
    const auto* const found = std::ranges::find(table, name, &EventFormat::name);
    return found == table.end() ? nullptr : &*found;
}

std::string document(const EventFormat& format, const RecordingEvents& recording, const MidiMap& map) {
    const auto document = format.makeDocument(map);
    std::string text = document->begin();
    text += document->add(recording);
    return text + document->end();
}

} // namespace earshot::formats
