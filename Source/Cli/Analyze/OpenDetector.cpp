#include "Cli/Analyze/OpenDetector.h"

#include "Cli/EventChoice.h"
#include "Cli/Opening.h"
#include "Core/Tensor/Threads.h"

#include <utility>

namespace earshot::cli {

detection::Detector openDetector(const AnalyzeOptions& options) {
    const auto queries = chooseQueries(options.queries, options.confidence);
    const auto weights = loadModel(locateModel(options.model), options.precision, options.quiet);
    tensor::setThreadCount(options.threads); // of texts
    auto model = listenFor(weights, queries, options.quiet);
    auto choice = chooseEvents(options, model.labels);
    if (options.confidence) chooseByConfidence(options, model.labels, choice.settings);
    detection::DetectorOptions how{.mode = options.mode,
                                   .hop = chooseHop(options.hop, options.mode, model),
                                   .events = std::move(choice.settings),
                                   .reported = {},
                                   .reading = options.reading,
                                   .thorough = options.thorough || options.explain};
    for (int i = 0; !choice.only.empty() && i < model.labels.count(); ++i)
        how.reported.push_back(choice.reports(i));
    return detection::makeDetector(std::move(model), std::move(how));
}

} // namespace earshot::cli
