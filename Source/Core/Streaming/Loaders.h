// What a stream or a recording listens with: a model, or other words for it, and the functions that load
// them. A loader runs on a thread of its own; the functions that make loaders may be called on any thread.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Frontend/LogMelSettings.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace earshot::streaming {

// Where a network is ready for words, but has none yet: makes one that is not. Whoever listens to an end (a
// bounce, a recording) uses that one, so as to hear what `earshot analyze` hears. Null otherwise.
using MakeNetwork = std::function<std::unique_ptr<detection::TokenModel>()>;

// A model that is ready to run on the worker.
struct LoadedModel {
    std::unique_ptr<detection::TokenModel> network;
    frontend::LogMelSettings frontend;
    std::shared_ptr<const detection::Labels> labels;
    std::string name;
    std::string notice; // shown beside the name: "X is missing; the default model is used"; usually empty
    std::string precision = {}; // see Status::precision
    detection::TextSupport texts = {};
    MakeNetwork plain = {};
};

// Throws earshot::Error unless the model has exactly one label for each of its network's `classes`.
void checkLabels(const LoadedModel& model, int classes);

// Other words for the model that runs (detection::ListeningModel).
struct LoadedWords {
    std::shared_ptr<const detection::ColumnScorer> scorer; // null: nothing can be listened for
    std::shared_ptr<const detection::Labels> labels;
    std::string notice; // as LoadedModel::notice
    MakeNetwork plain = {};
};

// A function that loads a model or words, with or without a StopToken as its parameter. It runs on a thread
// that may outlive the session, so it must own everything it uses. It throws earshot::Error (the state
// becomes failed), or Stopped once the token requests it. A default-constructed loader is empty.
template <typename Loaded>
class Loader {
  public:
    Loader() = default;
    template <typename Load>
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint excludes copies and moves
    requires(!std::is_same_v<std::remove_cvref_t<Load>, Loader>) Loader(Load&& load) {
        if constexpr (std::is_invocable_v<Load&, const StopToken&>)
            load_ = std::forward<Load>(load);
        else
            load_ = [load = std::forward<Load>(load)](const StopToken&) mutable { return load(); };
    }

    explicit operator bool() const { return static_cast<bool>(load_); }
    Loaded operator()(const StopToken& stop = {}) const { return load_(stop); }

  private:
    std::function<Loaded(const StopToken&)> load_;
};
using ModelLoader = Loader<LoadedModel>;
using WordsLoader = Loader<LoadedWords>;

// Returns a loader that reads a checkpoint as the command line does, and what it is to listen for. Instances
// share the weights.
ModelLoader loaderFor(std::filesystem::path modelFile, detection::QueryChoice choice = {});
// Returns a loader of other words for the model of that file.
WordsLoader wordsLoaderFor(std::filesystem::path modelFile, detection::QueryChoice choice);

} // namespace earshot::streaming
