// Events as the files that other programs open. A document is text (or bytes) made recording by recording, so
// that a batch of any size is written as it goes: begin(), add() for each recording (one alone where the
// format does not join), end(). What each format holds, and what becomes of text that would break it, stands
// in DataDocuments.h, AnnotationDocuments.h, MarkerDocuments.h and MidiFile.h. Any thread, one at a time for
// each document.
#pragma once

#include "Core/Formats/EventFormats.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::formats {

// One recording and what was heard in it.
struct RecordingEvents {
    std::string file;     // as results name it
    double seconds = 0.0; // of audio
    int sampleRate = 0;   // Hz
    int channels = 0;
    bool complete = true;  // false: damaged, or stopped
    double lowestHz = 0.0; // what the model hears of it, for formats whose events have a frequency range
    double highestHz = 0.0;
    std::vector<TimedEvent> events; // by onset; `file` as above
};

struct FormatTraits {
    EventFormat format;
    std::string_view name;    // on the command line: "audacity"
    std::string_view suffix;  // of a recording's own file: ".audacity.txt"
    std::string_view program; // for people: "Audacity label track"
    bool joins;               // one document can hold several recordings
};

std::span<const FormatTraits> allFormats();
const FormatTraits& traits(EventFormat format);
std::optional<EventFormat> formatNamed(std::string_view name);

class ResultDocument {
  public:
    virtual ~ResultDocument() = default;

    virtual std::string begin() { return {}; }
    virtual std::string add(const RecordingEvents& recording) = 0;
    virtual std::string end() { return {}; }
};

// `map` is for midi alone.
std::unique_ptr<ResultDocument> makeDocument(EventFormat format, const MidiMap& map = {});

} // namespace earshot::formats
