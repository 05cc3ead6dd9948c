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
    const bool narrow = recording.highestHz <= 0.0 || (top > 0.0 && top < recording.highestHz);
    const double highest = narrow ? top : recording.highestHz;
    return {.lowest = std::min(recording.lowestHz, highest), .highest = highest};
}

class RavenDocument : public ResultDocument {
  public:
    std::string begin() override {
        return "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\t"
               "Begin File\tBegin Path\tFile Offset (s)\tAnnotation\tConfidence\n";
    }

    std::string add(const RecordingEvents& recording) override {
        const auto [lowest, highest] = rangeOf(recording);
        const std::string path = tableText(recording.file);
        std::string lines;
        for (const TimedEvent& event : recording.events) {
            const Span span = spanOf(event);
            lines += fmt::format(
                "{}\tSpectrogram 1\t{}\t{:.3f}\t{:.3f}\t{:.1f}\t{:.1f}\t{}\t{}\t{:.3f}\t{}\t{:.6f}\n",
                ++selections_, std::max(1, event.channel), before_ + span.begin, before_ + span.end, lowest,
                highest, split(path).name, path, span.begin, tableText(event.label),
                finite(certainty(event)));
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

std::string kaleidoscopeLines(const RecordingEvents& recording) {
    const std::string path = oneLine(recording.file);
    const auto [folder, name] = split(path);
    const auto [above, below] = split(folder);
    std::string lines;
    for (const TimedEvent& event : recording.events) {
        const Span span = spanOf(event);
        lines +=
            fmt::format("{},{},{},{},{:.3f},{:.3f},{},{:.6f},\n", csvField(above), csvField(below),
                        csvField(name), std::max(0, event.channel - 1), span.begin, span.end - span.begin,
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
    return lineDocument("INDIR,FOLDER,IN FILE,CHANNEL,OFFSET,DURATION,TOP1MATCH,TOP1DIST,MANUAL ID\n",
                        kaleidoscopeLines);
}

} // namespace earshot::formats
