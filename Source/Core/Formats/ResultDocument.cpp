#include "Core/Formats/ResultDocument.h"

#include "Core/Formats/AnnotationDocuments.h"
#include "Core/Formats/DataDocuments.h"
#include "Core/Formats/MarkerDocuments.h"

#include <algorithm>
#include <array>

namespace earshot::formats {

namespace {

constexpr std::array formats = {
    FormatTraits{EventFormat::csv, "csv", ".csv", "CSV table", true},
    FormatTraits{EventFormat::json, "json", ".json", "JSON array", true},
    FormatTraits{EventFormat::jsonl, "jsonl", ".jsonl", "JSON Lines", true},
    FormatTraits{EventFormat::audacity, "audacity", ".audacity.txt", "Audacity label track", false},
    FormatTraits{EventFormat::raven, "raven", ".raven.txt", "Raven selection table", true},
    FormatTraits{EventFormat::dcase, "dcase", ".dcase.tsv", "DCASE and sed_eval event list", true},
    FormatTraits{EventFormat::kaleidoscope, "kaleidoscope", ".kaleidoscope.csv", "Kaleidoscope table", true},
    FormatTraits{EventFormat::reaper, "reaper", ".reaper.csv", "REAPER regions", false},
    FormatTraits{EventFormat::audition, "audition", ".audition.csv", "Adobe Audition markers", false},
    FormatTraits{EventFormat::webvtt, "webvtt", ".vtt", "WebVTT captions", false},
    FormatTraits{EventFormat::midi, "midi", ".mid", "MIDI file", false},
};

} // namespace

std::span<const FormatTraits> allFormats() { return formats; }

// The table is in the enumeration's order.
const FormatTraits& traits(EventFormat format) { return formats.at(static_cast<std::size_t>(format)); }

std::optional<EventFormat> formatNamed(std::string_view name) {
    const auto found = std::ranges::find(formats, name, &FormatTraits::name);
    if (found == formats.end()) return std::nullopt;
    return found->format;
}

std::unique_ptr<ResultDocument> makeDocument(EventFormat format, const MidiMap& map) {
    switch (format) {
    case EventFormat::csv:
        return csvDocument();
    case EventFormat::json:
        return jsonDocument();
    case EventFormat::jsonl:
        return jsonLinesDocument();
    case EventFormat::audacity:
        return audacityDocument();
    case EventFormat::raven:
        return ravenDocument();
    case EventFormat::dcase:
        return dcaseDocument();
    case EventFormat::kaleidoscope:
        return kaleidoscopeDocument();
    case EventFormat::reaper:
        return reaperDocument();
    case EventFormat::audition:
        return auditionDocument();
    case EventFormat::webvtt:
        return webvttDocument();
    case EventFormat::midi:
        return midiDocument(map);
    }
    return csvDocument();
}

} // namespace earshot::formats
