#include "Plugin/Model/ModelSlot.h"

#include "Core/Model/ModelLocator.h"
#include "Plugin/Base/UserLists.h"
#include "Ui/CatchAll.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"

#include <chrono>
#include <thread>
#include <utility>

namespace earshot::plugin {

using ui::catchAll;

namespace {

// How long a copy of a loader waits for its turn: 5 s in all.
constexpr std::chrono::milliseconds oneWait{10};
constexpr int maxWaits = 500;

} // namespace

// Without memory or threads, the session continues with its present model.
void ModelSlot::load(const juce::File& file) {
    catchAll([&] {
        follow();
        if (!before_) before_ = choice_->get();
        choose({file.getFullPathName().toStdString(), {}, file.getFileNameWithoutExtension().toStdString()});
    });
    if (onStored) onStored();
}

void ModelSlot::loadDefault() {
    before_.reset();
    catchAll([this] { choose({}); });
    if (onStored) onStored();
}

juce::Array<juce::File> ModelSlot::recent() const { return recentModels(); }

void ModelSlot::follow() {
    if (!before_) return;
    const auto status = live_.session().status();
    if (choice_->isFound()) {
        before_.reset();
        rememberModel(juce::File(ui::toText(choice_->get().file.string())));
        return;
    }
    if (status.state != streaming::State::failed) return; // it is still loading
    const auto name = choice_->get().file.filename().string();
    refusal_ = ui::toText(name + ": " + ui::withoutPath(status.message, name));
    choose(*std::exchange(before_, std::nullopt));
    if (onStored) onStored();
}

void ModelSlot::choose(const ModelChoice& choice) {
    use(choice, false);
    if (onChosen) onChosen();
}

void ModelSlot::restore(const ModelChoice& choice) { use(choice, true); }

void ModelSlot::prepare() {
    {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(given_, true)) return;
    }
    live_.setModel(loader());
    hash();
}

void ModelSlot::use(const ModelChoice& choice, bool waits) {
    {
        const std::scoped_lock lock(mutex_);
        choice_->set(choice);
        words_->modelChosen();
        if (waits && !given_) return; // prepare() gives it later
        given_ = true;
    }
    live_.setModel(loader());
    hash();
}

// Copies of one loader take turns, because each may have to make the model's file again. None waits for long.
streaming::ModelLoader ModelSlot::loader() const {
    const ModelChoice choice = choice_->get();
    const auto load = loaderForProject(
        choice, [model = choice_, choice](const FoundModel& found) { model->found(choice, found); },
        words_->choice());
    return [load, words = words_, number = words_->modelNumber(),
            once = std::make_shared<std::mutex>()](const StopToken& stop) {
        std::unique_lock turn(*once, std::try_to_lock);
        for (int waits = 0; !turn && waits < maxWaits; ++waits) {
            stop.check();
            std::this_thread::sleep_for(oneWait);
            (void)turn.try_lock();
        }
        const WordList::Busy busy(words);
        streaming::LoadedModel loaded = load(stop);
        words->modelLoaded(number, loaded.texts);
        return loaded;
    };
}

streaming::WordsLoader ModelSlot::wordsLoader() const {
    return [words = words_, inUse = inUse()](const StopToken& stop) {
        const WordList::Busy busy(words);
        const auto file = inUse.empty() ? model::defaultModel() : inUse;
        return streaming::wordsLoaderFor(file, words->choice())(stop);
    };
}

bool ModelSlot::isGiven() const {
    const std::scoped_lock lock(mutex_);
    return given_;
}

void ModelSlot::reload() {
    if (isGiven()) live_.setModel(loader());
}

void ModelSlot::rescore() {
    if (isGiven()) live_.setWords(wordsLoader(), loader());
}

// Begins to compute the model's hash. If that fails, the model is not found again after its file has moved.
void ModelSlot::hash() {
    const ModelChoice choice = choice_->get();
    if (choice.file.empty() || !choice.sha256.empty()) return hash_.cancel();
    hash_.start(choice.file, [model = choice_, file = choice.file](const std::string& sha256) {
        model->hashed(file, sha256);
    });
}

} // namespace earshot::plugin
