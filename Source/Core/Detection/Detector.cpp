#include "Core/Detection/Detector.h"

#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Tensor/Threads.h"

#include <memory>
#include <utility>

namespace earshot::detection {

ListeningModel openModel(const model::ModelSource& source, const QueryChoice& queries,
                         model::Precision precision, const StopToken& stop) {
    return makeListeningModel(loadWeights(source, precision, stop), queries, stop);
}

std::shared_ptr<const CoarseBound> boundOf(const ListeningModel& model, const DetectorOptions& options) {
    return options.thorough ? nullptr : coarseBound(model.labels, options.events, options.mode);
}

RecordingQuestion Detector::question(bool nearMisses) const {
    return {.settings = how.events, .reported = how.reported, .observers = {}, .nearMisses = nearMisses};
}

Detector makeDetector(ListeningModel model, DetectorOptions options) {
    Detector detector;
    const auto make = [weights = model.weights, makeTokenModel = model.makeTokenModel, mode = options.mode,
                       hop = options.hop](int threads, std::shared_ptr<const CoarseBound> coarse) {
        tensor::setThreadCount(threads);
        return std::make_unique<Analyzer>(
            makeTokenModel(), logMelSettings(*weights),
            AnalyzerSettings{
                .mode = mode, .hopTokens = hop, .threads = threads, .coarse = std::move(coarse)});
    };
    detector.makeAnalyzer = [make, coarse = boundOf(model, options)](int threads) {
        return make(threads, coarse);
    };
    detector.makeLiveAnalyzer = [make] { return make(1, nullptr); };
    detector.modelRate = model.weights->config().sampleRate;
    detector.labels = model.labels.names();
    const auto range = heardRange(*model.weights);
    detector.minHz = range.lowest;
    detector.maxHz = range.highest;
    detector.model = std::move(model);
    detector.how = std::move(options);
    return detector;
}

std::vector<formats::TimedEvent> timedEvents(std::span<const Event> events,
                                             const std::vector<std::string>& labels) {
    std::vector<formats::TimedEvent> timed;
    timed.reserve(events.size());
    for (const Event& event : events)
        timed.push_back({.onset = event.onset,
                         .offset = event.offset,
                         .label = labels[static_cast<std::size_t>(event.classIndex)],
                         .classIndex = event.classIndex,
                         .peak = event.peak,
                         .mean = event.mean,
                         .confidence = event.confidence,
                         .channel = event.channel});
    return timed;
}

formats::RecordingEvents recordingEvents(formats::RecordingEvents recording, const RecordingResult& result,
                                         const std::vector<std::string>& labels) {
    const auto named = [&](auto sound) {
        sound.label = labels[static_cast<std::size_t>(sound.classIndex)];
        return sound;
    };
    recording.seconds = result.summary.seconds;
    recording.complete = recording.complete && !result.summary.failure && !result.summary.stopped;
    recording.events = timedEvents(result.found.events, labels);
    for (const formats::SoundScore& sound : result.top) recording.top.push_back(named(sound));
    for (const NearMiss& miss : result.found.nearMisses)
        recording.nearMisses.push_back({timedEvents({&miss.event, 1}, labels).front(), explain(miss)});
    if (result.nearest) recording.nearest = named(*result.nearest);
    recording.level = result.summary.level;
    return recording;
}

std::optional<int> hopTokens(const ListeningModel& model, Mode mode, std::optional<double> seconds) {
    if (!seconds) return usualHop(model.shape, mode);
    const int longest = maxHop(model.shape, mode);
    const double tokens = *seconds / model.secondsPerToken();
    constexpr double tolerance = 1e-6;
    if (!(tokens > 0.0 && tokens <= longest + tolerance)) return std::nullopt;
    return hopOf(*seconds, model.secondsPerToken(), longest);
}

} // namespace earshot::detection
