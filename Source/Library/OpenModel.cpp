#include "Library/OpenModel.h"

#include "Library/Failure.h"

#include "Core/Detection/Events/Rules.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/Precision/Precision.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <filesystem>

namespace earshot::library {

namespace {

std::string utf8(const std::filesystem::path& path) {
    const auto text = path.u8string();
    return {text.begin(), text.end()};
}

} // namespace

OpenModel::OpenModel(detection::ListeningModel model, int threads)
    : model_(std::move(model))
    , threads_(threads > 0 ? threads : tensor::availableCores())
    , analyzers_(static_cast<std::size_t>(tensor::availableCores()))
    , embedders_(static_cast<std::size_t>(tensor::availableCores())) {
    const auto settings = detection::eventSettings({}, model_.labels);
    for (int i = 0; i < model_.labels.count(); ++i) thresholds_.push_back(settings.ruleFor(i).on);
    const auto& weights = *model_.weights;
    properties_ = {{"file", utf8(weights.file())},
                   {"licence", model_.labels.licence()},
                   {"precision", std::string(model::plainName(weights.precision()))},
                   {"texts", detection::textSupport(weights).possible ? "yes" : ""}};
}

std::size_t OpenModel::embeddingSize() const {
    return static_cast<std::size_t>(detection::embeddingDimensions(*model_.weights, embedding()));
}

OpenModel::Key OpenModel::keyOf(const Choice& choice, bool isStream) const {
    return {choice.mode, choice.hop, isStream ? 1 : threads_, isStream && choice.live};
}

std::unique_ptr<detection::Analyzer> OpenModel::takeAnalyzer(const Choice& choice, bool isStream) const {
    const auto key = keyOf(choice, isStream);
    if (auto spare = analyzers_.take(key)) return spare;
    const auto [mode, hop, threads, provisional] = key;
    return std::make_unique<detection::Analyzer>(
        model_.makeTokenModel(), detection::logMelSettings(*model_.weights),
        detection::AnalyzerSettings{
            .mode = mode, .hopTokens = hop, .provisional = provisional, .threads = threads});
}

void OpenModel::giveBack(const Choice& choice, bool isStream,
                         std::unique_ptr<detection::Analyzer> analyzer) const {
    analyzer->reset(); // frees its columns
    analyzers_.give(keyOf(choice, isStream), std::move(analyzer));
}

std::unique_ptr<detection::Embedder> OpenModel::takeEmbedder() const {
    if (auto spare = embedders_.take(true)) return spare;
    return std::make_unique<detection::Embedder>(
        model_.weights, detection::EmbeddingSettings{.kind = embedding(), .threads = threads_});
}

void OpenModel::giveBack(std::unique_ptr<detection::Embedder> embedder) const {
    embedder->reset();
    embedder->setReceiver({});
    embedders_.give(true, std::move(embedder));
}

const OpenModel& opened(const earshot_model* model) {
    requireSet(model, "model");
    return *model->open;
}

} // namespace earshot::library
