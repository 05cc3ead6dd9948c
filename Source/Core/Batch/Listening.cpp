#include "Core/Batch/Listening.h"

namespace earshot::batch {

formats::RecordingEvents recordingEvents(const std::string& file, const audio::AudioFile& audio,
                                         const detection::RecordingResult& result,
                                         const Listening& listening) {
    formats::RecordingEvents recording;
    recording.file = file;
    recording.seconds = result.summary.seconds;
    recording.sampleRate = audio.sampleRate();
    recording.channels = audio.channels();
    recording.complete = !result.summary.failure && !result.summary.stopped;
    recording.lowestHz = listening.lowestHz;
    recording.highestHz = listening.highestHz;
    recording.events.reserve(result.found.events.size());
    for (const detection::Event& event : result.found.events)
        recording.events.push_back({.onset = event.onset,
                                    .offset = event.offset,
                                    .label = listening.labels[static_cast<std::size_t>(event.classIndex)],
                                    .classIndex = event.classIndex,
                                    .peak = event.peak,
                                    .mean = event.mean,
                                    .confidence = event.confidence});
    return recording;
}

} // namespace earshot::batch
