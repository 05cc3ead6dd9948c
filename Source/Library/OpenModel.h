// A model that is open, as its handles and all that they made share it. Any number of threads.
#pragma once

#include "Library/Arguments.h"
#include "Library/earshot.h"

#include "Core/Detection/Kept/Embeddings.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Detection/Windows/Analyzer.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace earshot::library {

// Things that take long to make, kept between calls. Any thread.
template <typename Key, typename Thing>
class Spares {
  public:
    explicit Spares(std::size_t most)
        : most_(most) {}

    // Null if there is none.
    std::unique_ptr<Thing> take(const Key& key) {
        const std::scoped_lock lock(mutex_);
        for (auto spare = spares_.begin(); spare != spares_.end(); ++spare)
            if (spare->first == key) {
                auto thing = std::move(spare->second);
                spares_.erase(spare);
                return thing;
            }
        return nullptr;
    }
    void give(const Key& key, std::unique_ptr<Thing> thing) {
        const std::scoped_lock lock(mutex_);
        if (spares_.size() >= most_) spares_.erase(spares_.begin());
        spares_.emplace_back(key, std::move(thing));
    }

  private:
    std::mutex mutex_;
    std::size_t most_;
    std::vector<std::pair<Key, std::unique_ptr<Thing>>> spares_; // oldest first
};

class OpenModel {
  public:
    OpenModel(detection::ListeningModel model, int threads);

    const detection::ListeningModel& model() const { return model_; }
    int threads() const { return threads_; }
    double rate() const { return model_.weights->config().sampleRate; } // Hz
    std::size_t classes() const { return static_cast<std::size_t>(model_.labels.count()); }
    detection::EmbeddingKind embedding() const { return detection::usualEmbedding(*model_.weights); }
    std::size_t embeddingSize() const;
    float threshold(std::size_t index) const { return thresholds_[index]; }
    const std::map<std::string, std::string, std::less<>>& properties() const { return properties_; }

    // Calls work(analyzer). isStream: one thread, and columns that may change for `live` choices.
    template <typename Work>
    auto withAnalyzer(const Choice& choice, bool isStream, Work&& work) const {
        auto analyzer = takeAnalyzer(choice, isStream);
        auto result = work(*analyzer); // what throws leaves none behind
        giveBack(choice, isStream, std::move(analyzer));
        return result;
    }
    std::unique_ptr<detection::Analyzer> takeAnalyzer(const Choice& choice, bool isStream) const;
    void giveBack(const Choice& choice, bool isStream, std::unique_ptr<detection::Analyzer> analyzer) const;

    std::unique_ptr<detection::Embedder> takeEmbedder() const;
    void giveBack(std::unique_ptr<detection::Embedder> embedder) const;

  private:
    using Key = std::tuple<detection::Mode, int, int, bool>; // mode, hop, threads, provisional
    Key keyOf(const Choice& choice, bool isStream) const;

    detection::ListeningModel model_;
    int threads_;
    std::vector<float> thresholds_; // (classes)
    std::map<std::string, std::string, std::less<>> properties_;
    mutable Spares<Key, detection::Analyzer> analyzers_;
    mutable Spares<bool, detection::Embedder> embedders_;
};

} // namespace earshot::library

struct earshot_model {
    std::shared_ptr<const earshot::library::OpenModel> open;
};

namespace earshot::library {

const OpenModel& opened(const earshot_model* model);

} // namespace earshot::library
