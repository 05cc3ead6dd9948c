#include "Core/Streaming/Loaders.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Detector.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/ModelNotes.h"
#include "Core/Model/Weights.h"

#include <fmt/format.h>

namespace earshot::streaming {

namespace {

// How the file was read, if a user might expect otherwise.
std::string noticeOn(const model::Weights& weights) {
    std::string notice;
    for (const auto& note : model::notesOn(weights.layout(), weights.source().choice))
        notice += (notice.empty() ? displayName(weights.file().filename()) + ": " : "; ") + note.what;
    return notice;
}

} // namespace

void checkLabels(const LoadedModel& model, int classes) {
    const int names = model.labels ? model.labels->count() : 0;
    if (!model.labels || names != classes)
        throw Error(fmt::format("{}: expected {} names of sounds, found {}", model.name, classes, names));
}

ModelLoader loaderFor(std::filesystem::path modelFile, detection::QueryChoice choice) {
    return [file = std::move(modelFile), choice = std::move(choice)](const StopToken& stop) {
        auto model = detection::openModel(file, choice, model::Precision::automatic, stop);
        return LoadedModel{.network = model.makeTokenModel(),
                           .frontend = detection::logMelSettings(*model.weights),
                           .labels = std::make_shared<const detection::Labels>(std::move(model.labels)),
                           .name = file.stem().string(),
                           .notice =
                               model.notice.empty() ? noticeOn(*model.weights) : std::move(model.notice),
                           .precision = std::string(model::plainName(model.weights->precision())),
                           .texts = detection::textSupport(*model.weights, stop),
                           .plain = std::move(model.makePlainModel)};
    };
}

WordsLoader wordsLoaderFor(std::filesystem::path modelFile, detection::QueryChoice choice) {
    return [file = std::move(modelFile), choice = std::move(choice)](const StopToken& stop) {
        auto model = detection::openModel(file, choice, model::Precision::automatic, stop);
        return LoadedWords{.scorer = std::move(model.scorer),
                           .labels = std::make_shared<const detection::Labels>(std::move(model.labels)),
                           .notice = std::move(model.notice),
                           .plain = std::move(model.makePlainModel)};
    };
}

} // namespace earshot::streaming
