#include "Core/Formats/Documents.h"

#include "Core/Base/Csv.h"
#include "Core/Formats/Fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::formats {

namespace {

struct Span {
    double begin = 0.0; // seconds, at least 0
    double end = 0.0;   // not before `begin`
};

Span spanOf(const TimedEvent& event) {
    const double begin = std::max(0.0, finite(event.onset));
    return {.begin = begin, .end = std::max(begin, finite(event.offset))};
}

// When the span begins; null if the recording's start is not known.
std::optional<WallTime> clockOf(const RecordingEvents& recording, const Span& span) {
    return recording.start ? std::optional(later(*recording.start, span.begin)) : std::nullopt;
}

// The text before the last slash and after it. The root's own slash stays.
struct Path {
    std::string_view folder;
    std::string_view name;
};

Path split(std::string_view path) {
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos) return {.folder = {}, .name = path};
    return {.folder = path.substr(0, std::max<std::size_t>(slash, 1)), .name = path.substr(slash + 1)};
}

// Replaces double quotes: readers of tab-separated tables (pandas, R) take text in double quotes for one
// field.
std::string tableText(std::string_view text) {
    std::string line = oneLine(text);
    std::ranges::replace(line, '"', '\'');
    return line;
}

std::string audacityLines(const RecordingEvents& recording) {
    std::string lines;
    for (const TimedEvent& event : recording.events)
        lines += fmt::format("{:.6f}\t{:.6f}\t{}\n", finite(event.onset), finite(event.offset),
                             oneLine(labelWithChannel(event)));
    return lines;
}

struct Range {
    double lowest = 0.0; // Hz
    double highest = 0.0;
};

// The frequencies that the model receives of this recording. A spectrogram of it has no others.
Range rangeOf(const RecordingEvents& recording) {
    const double top = recording.sampleRate / 2.0; // 0 if it is not known
    const bool narrow = recording.maxHz <= 0.0 || (top > 0.0 && top < recording.maxHz);
    const double highest = narrow ? top : recording.maxHz;
    return {.lowest = std::min(recording.minHz, highest), .highest = highest};
}

class RavenDocument : public ResultDocument {
  public:
    std::string begin() override {
        return "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\t"
               "Begin File\tBegin Path\tFile Offset (s)\tAnnotation\tConfidence\tBegin Date\tBegin Clock "
               "Time\n";
    }

    std::string add(const RecordingEvents& recording) override {
        const auto [lowest, highest] = rangeOf(recording);
        const std::string path = tableText(recording.path.empty() ? recording.file : recording.path);
        std::string lines;
        for (const TimedEvent& event : recording.events) {
            const Span span = spanOf(event);
            const auto time = clockOf(recording, span);
            lines += fmt::format(
                "{}\tSpectrogram 1\t{}\t{:.3f}\t{:.3f}\t{:.1f}\t{:.1f}\t{}\t{}\t{:.3f}\t{}\t{:.6f}\t{}\t{}\n",
                ++selections_, std::max(1, event.channel), before_ + span.begin, before_ + span.end, lowest,
                highest, split(path).name, path, span.begin, tableText(event.label), finite(certainty(event)),
                time ? dateText(*time, '/') : std::string(), time ? timeText(*time, true) : std::string());
        }
        before_ += std::max(0.0, finite(recording.seconds));
        return lines;
    }

  private:
    std::int64_t selections_ = 0; // written so far
    double before_ = 0.0;         // total length of the recordings so far, in seconds
};

std::string dcaseLines(const RecordingEvents& recording) {
    const std::string file = tableText(recording.file);
    std::string lines;
    for (const TimedEvent& event : recording.events) {
        const Span span = spanOf(event);
        lines += fmt::format("{}\t{:.3f}\t{:.3f}\t{}\n", file, span.begin, span.end,
                             tableText(labelWithChannel(event)));
    }
    return lines;
}

// Where Kaleidoscope looks for a recording: base/folder/name.
struct Place {
    std::string base;
    std::string folder;
    std::string name;
};

Place placeOf(const RecordingEvents& recording) {
    const auto below = [&]() -> std::string_view {
        const std::string_view path = recording.path, base = recording.folder;
        if (base.empty() || !path.starts_with(base)) return {};
        const auto rest = path.substr(base.size());
        if (base.ends_with('/')) return rest;
        return rest.starts_with('/') ? rest.substr(1) : std::string_view();
    }();
    const auto [folder, name] = split(below.empty() ? std::string_view(recording.file) : below);
    if (!below.empty()) return {oneLine(recording.folder), oneLine(folder), oneLine(name)};
    const auto [above, last] = split(folder);
    return {oneLine(above), oneLine(last), oneLine(name)};
}

// DATE, TIME and HOUR.
std::string clockFields(const std::optional<WallTime>& time) {
    if (!time) return ",,";
    return fmt::format("{},{},{}", dateText(*time), timeText(*time), fieldsOf(*time).hour);
}

std::string kaleidoscopeLines(const RecordingEvents& recording) {
    const Place place = placeOf(recording);
    std::string lines;
    for (const TimedEvent& event : recording.events) {
        const Span span = spanOf(event);
        lines += fmt::format("{},{},{},{},{:.3f},{:.3f},{},{},{:.6f},\n", csvField(place.base),
                             csvField(place.folder), csvField(place.name), std::max(0, event.channel - 1),
                             span.begin, span.end - span.begin, clockFields(clockOf(recording, span)),
                             csvField(oneLine(event.label)), 1.0 - finite(certainty(event)));
    }
    return lines;
}

} // namespace

std::unique_ptr<ResultDocument> audacityDocument(const MidiMap&) { return lineDocument("", audacityLines); }
std::unique_ptr<ResultDocument> ravenDocument(const MidiMap&) { return std::make_unique<RavenDocument>(); }
std::unique_ptr<ResultDocument> dcaseDocument(const MidiMap&) {
    return lineDocument("filename\tonset\toffset\tevent_label\n", dcaseLines);
}
std::unique_ptr<ResultDocument> kaleidoscopeDocument(const MidiMap&) {
    return lineDocument(
        "INDIR,FOLDER,IN FILE,CHANNEL,OFFSET,DURATION,DATE,TIME,HOUR,TOP1MATCH,TOP1DIST,MANUAL ID\n",
        kaleidoscopeLines);
}

} // namespace earshot::formats
