// The model of an instance: the user's or the project's choice of it, how it is loaded, and the words that it
// listens for. The live streams get it when the host prepares to play or opens the editor, so that a host
// that only scans plugins loads none.
//   load(), loadDefault(), choose()   message thread
//   the rest                          any thread but the audio thread
#pragma once

#include "Plugin/Live/LiveStreams.h"
#include "Plugin/Model/ModelChoice.h"
#include "Plugin/Model/WordList.h"
#include "Ui/Control/ModelControl.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace earshot::plugin {

class ModelSlot : public ui::ModelControl {
  public:
    explicit ModelSlot(LiveStreams& live)
        : live_(live) {}

    std::function<void()> onChosen; // the user has chosen another model
    std::function<void()> onStored; // what a project stores has changed

    // ui::ModelControl
    void load(const juce::File& file) override;
    void loadDefault() override;
    juce::Array<juce::File> recent() const override;
    juce::String takeRefusal() override { return std::exchange(refusal_, juce::String()); }

    void choose(const ModelChoice& choice);  // as the user does
    void restore(const ModelChoice& choice); // as a project does: it is not loaded before prepare()
    void prepare();                          // gives the live streams their model, once
    void stop() { hash_.cancel(); }
    // Goes back to the former model if the one that the user chose cannot be loaded, and remembers one that
    // can. Called ten times a second while isLoading().
    void follow();
    bool isLoading() const { return before_.has_value(); } // what the user chose

    ModelChoice choice() const { return choice_->get(); }
    std::filesystem::path inUse() const { return choice_->inUse(); } // empty: the default model
    bool takeNews() { return choice_->takeNews(); } // what a project stores was found out; once

    WordList& words() { return *words_; }
    const WordList& words() const { return *words_; }
    // Loads the model for the words as they are now.
    streaming::ModelLoader loader() const;
    // Embeds those words for the model in use. Counts as busy meanwhile.
    streaming::WordsLoader wordsLoader() const;
    // Each goes on with the words as they are now, unless the model waits for prepare().
    void reload();
    void rescore();

  private:
    void use(const ModelChoice& choice, bool waits);
    bool isGiven() const;
    void hash();

    LiveStreams& live_;
    // Loading threads that may outlive the instance share these two.
    const std::shared_ptr<SharedChoice> choice_ = std::make_shared<SharedChoice>();
    const std::shared_ptr<WordList> words_ = std::make_shared<WordList>();
    mutable std::mutex mutex_;          // guards the next member
    bool given_ = false;                // the live streams have the model
    std::optional<ModelChoice> before_; // what the user chose, until that is loaded
    juce::String refusal_;
    HashJob hash_;
};

} // namespace earshot::plugin
