#include "Cli/DocumentWriter.h"

namespace earshot::cli {

formats::RecordingEvents recordingEvents(const FileResult& result, const std::vector<std::string>& labels) {
    formats::RecordingEvents recording{.file = result.name,
                                       .seconds = result.seconds,
                                       .sampleRate = result.sampleRate,
                                       .channels = result.channels,
                                       .complete = result.complete,
                                       .events = {}};
    for (const detection::Event& event : result.found.events)
        recording.events.push_back({.file = result.name,
                                    .onset = event.onset,
                                    .offset = event.offset,
                                    .label = labels[static_cast<std::size_t>(event.classIndex)],
                                    .classIndex = event.classIndex,
                                    .peak = event.peak,
                                    .mean = event.mean});
    return recording;
}

void DocumentWriter::begin() { write(document_->begin()); }

void DocumentWriter::write(const FileResult& result) {
    write(document_->add(recordingEvents(result, labels_)));
}

void DocumentWriter::end() { write(document_->end()); }

// What is done can be read at once.
void DocumentWriter::write(const std::string& text) {
    output_.write(text);
    output_.flush();
}

} // namespace earshot::cli
