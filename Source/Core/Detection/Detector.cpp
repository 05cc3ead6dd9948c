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

Detector makeDetector(const ListeningModel& model, const DetectorOptions& options) {
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
    detector.reading = options.reading;
    detector.settings = options.events;
    detector.reported = options.reported;
    detector.labels = model.labels.names();
    const auto range = heardRange(*model.weights);
    detector.minHz = range.lowest;
    detector.maxHz = range.highest;
    return detector;
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
