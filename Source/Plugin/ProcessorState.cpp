// EarshotProcessor's state in projects and its choice of the model.
#include "Plugin/EarshotEditor.h"
#include "Plugin/EarshotProcessor.h"
#include "Plugin/UserLists.h"
#include "Ui/Guarded.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

namespace earshot::plugin {

using ui::guarded;

namespace {

bool onMessageThread() { return juce::MessageManager::existsAndIsCurrentThread(); }

// How long a copy of a loader waits for its turn: 5 s in all.
constexpr std::chrono::milliseconds oneWait{10};
constexpr int mostWaits = 500;

// JUCE 8 has an optional.
juce::String textOf(const juce::String& text) { return text; }
[[maybe_unused]] juce::String textOf(const std::optional<juce::String>& text) {
    return text.value_or(juce::String());
}

std::filesystem::path pathOf(const juce::File& file) { return file.getFullPathName().toStdString(); }

} // namespace

PluginState EarshotProcessor::state() const {
    keepView();
    PluginState state;
    for (const juce::AudioProcessorParameter* parameter : getParameters())
        if (const auto* ranged = dynamic_cast<const juce::RangedAudioParameter*>(parameter))
            state.parameters[ranged->paramID.toStdString()] = ranged->convertFrom0to1(ranged->getValue());
    {
        const std::scoped_lock lock(stateMutex_);
        state.model = model_->get();
        state.view = viewSettings_;
    }
    state.words = words_->state();
    state.outputs = outputs_.get();
    state.monitorsInput = monitorsInput_;
    return state;
}

void EarshotProcessor::updateTrackProperties(const TrackProperties& track) {
    guarded([&] { outputs_.setTrackName(textOf(track.name)); });
}

void EarshotProcessor::getStateInformation(juce::MemoryBlock& data) {
    const bool whole = guarded([&] {
        const std::string json = toJson(state());
        data.replaceAll(json.data(), json.size());
    });
    if (!whole) data.reset(); // setStateInformation() ignores an empty state
}

void EarshotProcessor::setStateInformation(const void* data, int bytes) {
    if (data == nullptr || bytes <= 0) return;
    // A damaged project must not crash the host.
    guarded([&] {
        const std::string_view json(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
        if (const std::optional<PluginState> state = stateFromJson(json)) apply(*state);
    });
}

void EarshotProcessor::apply(const PluginState& state) {
    parameters_.restore(state.parameters);
    outputs_.set(state.outputs);
    parameters_.setClassThresholds(state.view.classThresholds);
    monitorsInput_ = state.monitorsInput;
    const ModelChoice before = model_->get();
    // A state from before the hash was known means the file as it is.
    const bool sameHash = state.model.sha256.empty() || before.sha256 == state.model.sha256;
    const bool sameModel = before.file == state.model.file && sameHash &&
                           (!state.model.taught || before.taught == state.model.taught);
    {
        const std::scoped_lock lock(stateMutex_);
        viewSettings_ = state.view;
        viewWaits_ = true;
    }
    const WordsState words = words_->state();
    const bool sameWords = words.words == state.words.words && words.joins == state.words.joins;
    words_->set(state.words);
    if (!sameModel || !sameWords) {
        useModel(sameModel ? before : state.model, true);
        const std::scoped_lock lock(stateMutex_);
        modelWaits_ |= !sameModel;
        listensAnew_ = true;
    }
    if (onMessageThread()) {
        takeState();
    } else {
        triggerAsyncUpdate();
    }
}

// Copies the view's settings: they change on the message thread, and state() runs on any thread.
void EarshotProcessor::keepView() const {
    if (!onMessageThread()) return;
    const std::scoped_lock lock(stateMutex_);
    if (!viewWaits_) viewSettings_ = view_.get();
}

void EarshotProcessor::takeState() {
    std::optional<ui::ViewSettings> settings;
    bool otherModel = false;
    bool listensAnew = false;
    {
        const std::scoped_lock lock(stateMutex_);
        if (std::exchange(viewWaits_, false)) settings = viewSettings_;
        otherModel = std::exchange(modelWaits_, false);
        listensAnew = std::exchange(listensAnew_, false);
    }
    if (otherModel) beforeLesson_.reset();
    if (listensAnew && recording_ != nullptr) startRecording();
    if (!settings) return;
    view_.set(*settings);
    auto* editor = dynamic_cast<EarshotEditor*>(getActiveEditor());
    if (editor == nullptr) return;
    editor->fit();
    teacher_.look(model_->inUse());
}

void EarshotProcessor::handleAsyncUpdate() {
    guarded([this] { takeState(); });
}

void EarshotProcessor::changeListenerCallback(juce::ChangeBroadcaster*) {
    guarded([this] { keepView(); });
}

// Gives the session its model. This happens late, so that a host that only scans plugins never loads one.
void EarshotProcessor::nameModel() {
    {
        const std::scoped_lock lock(stateMutex_);
        if (modelNamed_) return;
        modelNamed_ = true;
    }
    giveModel(currentLoader());
    hashModel();
}

void EarshotProcessor::useModel(const ModelChoice& choice, bool fromProject) {
    {
        const std::scoped_lock lock(stateMutex_);
        model_->set(choice);
        words_->modelChosen();
        if (fromProject && !modelNamed_) return; // nameModel() sets it later
        modelNamed_ = true;
    }
    giveModel(currentLoader());
    hashModel();
    if (!fromProject) teacher_.look(choice.file);
}

// A bounce that runs hears with it from here on, too.
void EarshotProcessor::giveModel(const streaming::ModelLoader& loader) {
    session_.setModel(loader);
    const std::scoped_lock lock(stateMutex_);
    loader_ = loader;
    if (bouncing()) bounceSession_->setModel(loader);
}

// Copies of one loader take turns, because each may have to make the model's file again. None waits for long.
streaming::ModelLoader EarshotProcessor::currentLoader() {
    const ModelChoice choice = model_->get();
    const auto load = loaderForProject(
        choice, [model = model_, choice](const FoundModel& found) { model->found(choice, found); },
        words_->choice());
    return [load, words = words_, number = words_->modelNumber(),
            once = std::make_shared<std::mutex>()](const StopToken& stop) {
        std::unique_lock turn(*once, std::try_to_lock);
        for (int waits = 0; !turn && waits < mostWaits; ++waits) {
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

// Begins to compute the model's hash. If that fails, the model is not found again after its file has moved.
void EarshotProcessor::hashModel() {
    const ModelChoice choice = model_->get();
    if (choice.file.empty() || !choice.sha256.empty()) {
        hashJob_.cancel();
        return;
    }
    hashJob_.start(choice.file, [model = model_, file = choice.file](const std::string& sha256) {
        model->hashed(file, sha256);
    });
}

void EarshotProcessor::loadModel(const juce::File& file) {
    // Without memory or threads, the session continues with its present model.
    guarded([&] {
        useModel({pathOf(file), {}, file.getFileNameWithoutExtension().toStdString()}, false);
        beforeLesson_.reset();
        if (file.existsAsFile()) rememberModel(file);
        if (recording_ != nullptr) startRecording();
    });
    projectChanged();
}

void EarshotProcessor::loadDefaultModel() {
    guarded([this] {
        beforeLesson_.reset();
        useModel({}, false);
        if (recording_ != nullptr) startRecording();
    });
    projectChanged();
}

juce::Array<juce::File> EarshotProcessor::recentModels() const { return plugin::recentModels(); }

void EarshotProcessor::projectChanged() {
    updateHostDisplay(ChangeDetails().withNonParameterStateChanged(true));
}

} // namespace earshot::plugin
