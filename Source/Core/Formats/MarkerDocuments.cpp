#include "Core/Formats/Documents.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Unicode.h"
#include "Core/Formats/Fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::formats {

namespace {

struct Mark {
    std::int64_t begin = 0; // milliseconds
    std::int64_t end = 1;   // after `begin`
    std::string name;
    float peak = 0.0f;
};

std::vector<Mark> marksOf(const RecordingEvents& recording) {
    std::vector<Mark> marks;
    for (const TimedEvent& event : recording.events) {
        const std::int64_t begin = milliseconds(event.onset);
        marks.push_back({.begin = begin,
                         .end = std::max(begin + 1, milliseconds(event.offset)),
                         .name = oneLine(labelWithChannel(event)),
                         .peak = event.peak});
    }
    return marks;
}

std::string reaperLines(const RecordingEvents& recording) {
    std::string lines;
    int number = 0;
    for (const Mark& mark : marksOf(recording))
        lines += fmt::format("R{},{},{},{},{},\n", ++number, csvField(mark.name), clockTime(mark.begin),
                             clockTime(mark.end), clockTime(mark.end - mark.begin));
    return lines;
}

std::string auditionLines(const RecordingEvents& recording) {
    std::string lines;
    for (const Mark& mark : marksOf(recording))
        lines += fmt::format("{}\t{}\t{}\tdecimal\tCue\tpeak {:.3f}\n", spreadsheetText(mark.name),
                             clockTime(mark.begin), clockTime(mark.end - mark.begin), finite(mark.peak));
    return lines;
}

std::string vttTime(std::int64_t milliseconds) {
    const auto seconds = milliseconds / 1000;
    return fmt::format("{:02}:{:02}:{:02}.{:03}", seconds / 3600, seconds / 60 % 60, seconds % 60,
                       milliseconds % 1000);
}

std::string webvttCues(const RecordingEvents& recording) {
    auto marks = marksOf(recording);
    std::ranges::stable_sort(marks, {}, &Mark::begin);
    std::string cues;
    int number = 0;
    for (const Mark& mark : marks)
        cues += fmt::format("{}\n{} --> {}\n{}\n\n", ++number, vttTime(mark.begin), vttTime(mark.end),
                            markupText(mark.name));
    return cues;
}

} // namespace

std::unique_ptr<ResultDocument> reaperDocument(const MidiMap&) {
    return lineDocument("#,Name,Start,End,Length,Color\n", reaperLines);
}
std::unique_ptr<ResultDocument> auditionDocument(const MidiMap&) {
    return lineDocument("Name\tStart\tDuration\tTime Format\tType\tDescription\n", auditionLines);
}
std::unique_ptr<ResultDocument> webvttDocument(const MidiMap&) {
    return lineDocument("WEBVTT\n\n", webvttCues);
}

} // namespace earshot::formats
