#include "Core/Formats/EventFormats.h"

#include "Core/Formats/MidiFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace earshot::formats {

namespace {

std::string csvField(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

// With quotes; bytes that are not UTF-8 become U+FFFD.
std::string jsonString(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A label's own tabs and line ends would break the line's fields.
std::string audacityLine(const TimedEvent& event) {
    std::string label = event.label;
    for (char& c : label)
        if (c == '\t' || c == '\r' || c == '\n' || c == '\0') c = ' ';
    return fmt::format("{:.6f}\t{:.6f}\t{}\n", event.onset, event.offset, label);
}

std::string csvDocument(std::span<const TimedEvent> events) {
    std::string text = csvHeader();
    for (const TimedEvent& event : events) text += csvLine(event);
    return text;
}

std::string jsonDocument(std::span<const TimedEvent> events) {
    std::string text = "[";
    for (const TimedEvent& event : events) text += (text.size() == 1 ? "\n  " : ",\n  ") + jsonObject(event);
    return text + (events.empty() ? "]\n" : "\n]\n");
}

std::string audacityDocument(std::span<const TimedEvent> events) {
    std::string text;
    for (const TimedEvent& event : events) text += audacityLine(event);
    return text;
}

} // namespace

const char* extension(EventFormat format) {
    switch (format) {
    case EventFormat::csv:
        return ".csv";
    case EventFormat::json:
        return ".json";
    case EventFormat::audacity:
        return ".txt";
    case EventFormat::midi:
        return ".mid";
    }
    return "";
}

std::string document(EventFormat format, std::span<const TimedEvent> events, const MidiMap& map) {
    switch (format) {
    case EventFormat::csv:
        return csvDocument(events);
    case EventFormat::json:
        return jsonDocument(events);
    case EventFormat::audacity:
        return audacityDocument(events);
    case EventFormat::midi:
        return midiFile(events, map);
    }
    return {};
}

std::string csvHeader() { return "file,onset_s,offset_s,label,class_index,peak,mean\n"; }

std::string csvLine(const TimedEvent& event) {
    return fmt::format("{},{:.3f},{:.3f},{},{},{:.6f},{:.6f}\n", csvField(event.file), event.onset,
                       event.offset, csvField(event.label), event.classIndex, event.peak, event.mean);
}

std::string jsonObject(const TimedEvent& event) {
    return fmt::format(
        R"({{"file": {}, "onset_s": {:.3f}, "offset_s": {:.3f}, "label": {}, "class_index": {}, "peak": {:.6f}, "mean": {:.6f}}})",
        jsonString(event.file), event.onset, event.offset, jsonString(event.label), event.classIndex,
        event.peak, event.mean);
}

} // namespace earshot::formats
