#include "Plugin/State/ProjectState.h"

#include "Ui/CatchAll.h"

#include <utility>

namespace earshot::plugin {

using ui::catchAll;

namespace {

bool onMessageThread() { return juce::MessageManager::existsAndIsCurrentThread(); }

// A state from before the hash was known means the file as it is.
bool isSame(const ModelChoice& present, const ModelChoice& stored) {
    return present.file == stored.file && (stored.sha256.empty() || present.sha256 == stored.sha256) &&
           (!stored.taught || present.taught == stored.taught);
}

} // namespace

ProjectState::ProjectState(const Parts& parts)
    : parts_(parts) {
    parts_.view.addChangeListener(this);
    parts_.view.onSet = [this] {
        const auto& settings = parts_.view.get();
        parts_.parameters.setClassThresholds(settings.classThresholds);
        parts_.live.setHistoryMegabytes(settings.historyMegabytes);
    };
}

ProjectState::~ProjectState() {
    cancelPendingUpdate();
    parts_.view.onSet = nullptr;
    parts_.view.removeChangeListener(this);
}

PluginState ProjectState::get() const {
    keepView();
    PluginState state;
    for (const juce::AudioProcessorParameter* parameter : parts_.parameters.tree.processor.getParameters())
        if (const auto* ranged = dynamic_cast<const juce::RangedAudioParameter*>(parameter))
            state.parameters[ranged->paramID.toStdString()] = ranged->convertFrom0to1(ranged->getValue());
    {
        const std::scoped_lock lock(mutex_);
        state.view = viewSettings_;
    }
    state.model = parts_.model.choice();
    state.words = parts_.model.words().state();
    state.outputs = parts_.outputs.settings();
    state.monitorsInput = parts_.playback.monitorsInput();
    return state;
}

void ProjectState::apply(const PluginState& state) {
    parts_.parameters.restore(state.parameters);
    parts_.outputs.restore(state.outputs);
    parts_.parameters.setClassThresholds(state.view.classThresholds);
    parts_.live.setHistoryMegabytes(state.view.historyMegabytes);
    parts_.playback.setMonitorsInput(state.monitorsInput);
    {
        const std::scoped_lock lock(mutex_);
        viewSettings_ = state.view;
        waiting_.view = state.view;
    }
    const ModelChoice before = parts_.model.choice();
    const bool sameModel = isSame(before, state.model);
    WordList& list = parts_.model.words();
    const WordsState words = list.state();
    const bool sameWords = words.words == state.words.words && words.joins == state.words.joins;
    list.set(state.words);
    if (!sameModel || !sameWords) {
        parts_.model.restore(sameModel ? before : state.model);
        const std::scoped_lock lock(mutex_);
        waiting_.otherModel |= !sameModel;
        waiting_.restart = true;
    }
    if (onMessageThread()) {
        take();
    } else {
        triggerAsyncUpdate();
    }
}

// Copies the view's settings: they change on the message thread, and get() runs on any thread.
void ProjectState::keepView() const {
    if (!onMessageThread()) return;
    const std::scoped_lock lock(mutex_);
    if (!waiting_.view) viewSettings_ = parts_.view.get();
}

void ProjectState::take() {
    const Waiting waiting = [this] {
        const std::scoped_lock lock(mutex_);
        return std::exchange(waiting_, {});
    }();
    if (waiting.otherModel && onOtherModel) onOtherModel();
    if (waiting.restart) parts_.playback.restart();
    if (!waiting.view) return;
    parts_.view.set(*waiting.view);
    if (onView) onView();
}

void ProjectState::handleAsyncUpdate() {
    catchAll([this] { take(); });
}

void ProjectState::changeListenerCallback(juce::ChangeBroadcaster*) {
    catchAll([this] { keepView(); });
}

} // namespace earshot::plugin
