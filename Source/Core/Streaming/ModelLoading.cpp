#include "Core/Base/Error.h"
#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/Weights.h"
#include "Core/Streaming/Session.h"

#include <fmt/format.h>

#include <utility>

namespace earshot::streaming {

void checkLabels(const LoadedModel& model, int classes) {
    const int names = model.labels ? model.labels->count() : 0;
    if (!model.labels || names != classes)
        throw Error(fmt::format("{}: expected {} names of sounds, found {}", model.name, classes, names));
}

ModelLoader loaderFor(std::filesystem::path modelFile) {
    return [file = std::move(modelFile)](const StopToken& stop) {
        const auto weights = detection::loadWeights(file, model::Precision::automatic, stop);
        return LoadedModel{.network = detection::makeNetworkTokenModel(weights),
                           .frontend = detection::logMelSettings(*weights),
                           .labels = std::make_shared<detection::Labels>(
                               detection::Labels::read(weights->metadata(), file, weights->config().classes)),
                           .name = file.stem().string(),
                           .notice = {},
                           .precision = std::string(model::plainName(weights->precision()))};
    };
}

} // namespace earshot::streaming
