#include "Core/Formats/Documents.h"

#include "Core/Base/Csv.h"
#include "Core/Formats/Fields.h"

#include <fmt/format.h>

#include <string>

namespace earshot::formats {

namespace {

// Returns an empty text if thresholds decided.
std::string confidence(const TimedEvent& event) {
    return event.confidence > 0.0f ? fmt::format("{:.6f}", finite(event.confidence)) : std::string();
}

// Returns an empty text for the mix.
std::string channel(const TimedEvent& event) {
    return event.channel > 0 ? std::to_string(event.channel) : std::string();
}

// Returns an empty text if the recording's start is not known.
std::string timeText(const RecordingEvents& recording, const TimedEvent& event) {
    const auto time = timeOf(recording, event);
    return time ? isoText(*time) : std::string();
}

std::string jsonObject(const RecordingEvents& recording, const TimedEvent& event) {
    const std::string certain = confidence(event), time = timeText(recording, event);
    return fmt::format(
        R"({{"file": {}, "onset_s": {:.3f}, "offset_s": {:.3f}, "label": {}, "class_index": {}, "peak": {:.6f}, "mean": {:.6f}{}{}{}}})",
        jsonString(recording.file), finite(event.onset), finite(event.offset), jsonString(event.label),
        event.classIndex, finite(event.peak), finite(event.mean),
        certain.empty() ? certain : R"(, "confidence": )" + certain,
        event.channel > 0 ? R"(, "channel": )" + channel(event) : std::string(),
        time.empty() ? time : R"(, "onset_time": ")" + time + '"');
}

std::string csvLines(const RecordingEvents& recording) {
    const std::string file = csvField(recording.file);
    std::string lines;
    for (const TimedEvent& event : recording.events)
        lines +=
            fmt::format("{},{:.3f},{:.3f},{},{},{:.6f},{:.6f},{},{},{}\n", file, finite(event.onset),
                        finite(event.offset), csvField(event.label), event.classIndex, finite(event.peak),
                        finite(event.mean), confidence(event), channel(event), timeText(recording, event));
    return lines;
}

class JsonDocument : public ResultDocument {
  public:
    std::string begin() override { return "["; }

    std::string add(const RecordingEvents& recording) override {
        std::string objects;
        for (const TimedEvent& event : recording.events) {
            objects += (empty_ ? "\n  " : ",\n  ") + jsonObject(recording, event);
            empty_ = false;
        }
        return objects;
    }

    std::string end() override { return empty_ ? "]\n" : "\n]\n"; }

  private:
    bool empty_ = true; // no event was written yet
};

std::string jsonLines(const RecordingEvents& recording) {
    std::string lines;
    for (const TimedEvent& event : recording.events) lines += jsonObject(recording, event) + '\n';
    return lines;
}

} // namespace

std::unique_ptr<ResultDocument> csvDocument(const MidiMap&) {
    return lineDocument("file,onset_s,offset_s,label,class_index,peak,mean,confidence,channel,onset_time\n",
                        csvLines);
}
std::unique_ptr<ResultDocument> jsonDocument(const MidiMap&) { return std::make_unique<JsonDocument>(); }
std::unique_ptr<ResultDocument> jsonLinesDocument(const MidiMap&) { return lineDocument("", jsonLines); }

} // namespace earshot::formats
