// The functions of earshot.h about the library itself and its models.
#include "Library/Failure.h"
#include "Library/OpenModel.h"

#include "Core/Base/Version.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Tensor/Threads.h"

#include <array>
#include <cmath>
#include <string>

using namespace earshot;
using namespace earshot::library;

namespace {

constexpr std::array precisions = {model::Precision::automatic, model::Precision::float32,
                                   model::Precision::bfloat16, model::Precision::int8};

bool hasClass(const earshot_model* model, std::int32_t index) {
    return model != nullptr && index >= 0 && static_cast<std::size_t>(index) < model->open->classes();
}

detection::QueryChoice queriesOf(const char* const* texts, std::size_t count) {
    requireSet(texts, "texts");
    require(count > 0, "count: expected at least 1 text, found 0");
    require(count <= static_cast<std::size_t>(detection::maxQueries), "count: these are too many texts");
    detection::QueryChoice queries;
    for (std::size_t i = 0; i < count; ++i) {
        requireSet(texts[i], "texts");
        try {
            queries.listen.texts.push_back(detection::parseTextPrompt(texts[i]));
        } catch (const Error& error) {
            throw Failure(EARSHOT_INVALID_ARGUMENT, error.what());
        }
    }
    return queries;
}

} // namespace

const char* earshot_version() { return version().data(); } // of a literal
int earshot_abi_version() { return EARSHOT_ABI_VERSION; }
const char* earshot_last_error() { return lastMessage(); }

earshot_status earshot_model_open(const char* path, const earshot_model_options* options,
                                  earshot_model** model) {
    if (model != nullptr) *model = nullptr;
    return attempt([=] {
        requireSet(model, "model");
        const auto checked = modelOptions(options);
        const auto file =
            path != nullptr
                ? std::filesystem::path(reinterpret_cast<const char8_t*>(path))
                : model::defaultModel("install Earshot's data, name a file, or set EARSHOT_MODEL");
        auto opened = detection::openModel(file, {}, precisions[static_cast<std::size_t>(checked.precision)]);
        *model = new earshot_model{std::make_shared<const OpenModel>(std::move(opened), checked.threads)};
    });
}

earshot_status earshot_model_with_texts(const earshot_model* model, const char* const* texts, size_t count,
                                        earshot_model** result) {
    if (result != nullptr) *result = nullptr;
    return attempt([=] {
        const auto& base = opened(model);
        requireSet(result, "result");
        const auto queries = queriesOf(texts, count);
        const auto& weights = base.model().weights;
        const auto support = detection::textSupport(*weights);
        if (!support.possible) throw Failure(EARSHOT_UNSUPPORTED, support.hint);
        const tensor::ThreadCountScope threads(base.threads());
        *result = new earshot_model{std::make_shared<const OpenModel>(
            detection::makeListeningModel(weights, queries), base.threads())};
    });
}

void earshot_model_close(earshot_model* model) { delete model; }

size_t earshot_model_class_count(const earshot_model* model) {
    return model != nullptr ? model->open->classes() : 0;
}

const char* earshot_model_label(const earshot_model* model, int32_t classIndex) {
    return hasClass(model, classIndex) ? model->open->model().labels.name(classIndex).c_str() : nullptr;
}

int32_t earshot_model_find_class(const earshot_model* model, const char* label) {
    if (model == nullptr || label == nullptr) return -1;
    return model->open->model().labels.find(label).value_or(-1);
}

float earshot_model_threshold(const earshot_model* model, int32_t classIndex) {
    return hasClass(model, classIndex) ? model->open->threshold(static_cast<std::size_t>(classIndex)) : NAN;
}

double earshot_model_step(const earshot_model* model) {
    return model != nullptr ? model->open->model().secondsPerToken() : 0.0;
}

double earshot_model_rate(const earshot_model* model) { return model != nullptr ? model->open->rate() : 0.0; }

size_t earshot_model_embedding_size(const earshot_model* model) {
    return model != nullptr ? model->open->embeddingSize() : 0;
}

const char* earshot_model_property(const earshot_model* model, const char* name) {
    if (model == nullptr || name == nullptr) return nullptr;
    const auto found = model->open->properties().find(std::string_view(name));
    return found != model->open->properties().end() ? found->second.c_str() : nullptr;
}
