#include "Plugin/EarshotProcessor.h"

#include "Plugin/EarshotEditor.h"
#include "Plugin/Live/DownMix.h"
#include "Plugin/Window/FailureEditor.h"
#include "Ui/CatchAll.h"
#include "Ui/Panels/Widgets.h"

#include <optional>
#include <string_view>
#include <utility>

namespace earshot::plugin {

using ui::catchAll;

namespace {

constexpr int watchHertz = 10; // followParameters()

// JUCE 8 has an optional.
[[maybe_unused]] juce::String textOf(const juce::String& text) { return text; }
[[maybe_unused]] juce::String textOf(const std::optional<juce::String>& text) {
    return text.value_or(juce::String());
}

// "VST3 in ardour8", for the log.
std::string logName(juce::AudioProcessor::WrapperType type) {
    const auto host = juce::File::getSpecialLocation(juce::File::hostApplicationPath).getFileName();
    return (juce::String(juce::AudioProcessor::getWrapperTypeDescription(type)) + " in " + host)
        .toStdString();
}

} // namespace

EarshotProcessor::EarshotProcessor()
    : juce::AudioProcessor(BusesProperties()
                               .withInput("Input", juce::AudioChannelSet::stereo(), true)
                               .withOutput("Output", juce::AudioChannelSet::stereo(), true))
    , log_(logName(wrapperType), chosenLogFile(), LogSession::Start::withFirstMessage)
    , parameters_(*this)
    , outputs_(parameters_, midi_)
    , live_(parameters_, outputs_, midi_)
    , model_(live_)
    , playback_(parameters_, model_, live_, wrapperType == wrapperType_Standalone)
    , words_(model_, live_, playback_)
    , teaching_(model_, live_, playback_)
    , recordings_(wrapperType == wrapperType_Standalone, [this] { return howToListen(); })
    , state_({parameters_, live_, model_, playback_, outputs_, view_})
    , shell_(*this, playback_) {
    live_.onBounce = [this](bool bounces) { teaching_.setPaused(bounces); };
    live_.setKeepsAudio(wrapperType == wrapperType_Standalone);
    model_.onChosen = [this] {
        teaching_.look();
        teaching_.forgetUndo();
        playback_.restart();
        startFollowing();
    };
    model_.onStored = words_.onStored = teaching_.onStored = outputs_.onStored = [this] { projectChanged(); };
    playback_.onOpen = teaching_.onLearn = [this] { startFollowing(); };
    clips_.copyAudio = [this](std::uint64_t stream, double from, double to, std::vector<float>& samples,
                              double& start, int& rate) {
        return playback_.history()->copyAudio(stream, from, to, samples, start, rate);
    };
    teaching_.shownChannel = [this] { return viewModel_.channel(); };
    state_.onOtherModel = [this] { teaching_.forgetUndo(); };
    state_.onView = [this] {
        auto* editor = dynamic_cast<EarshotEditor*>(getActiveEditor());
        if (editor == nullptr) return;
        editor->fit();
        teaching_.look();
    };
}

EarshotProcessor::~EarshotProcessor() {
    stopTimer();
    catchAll([this] {
        model_.stop();
        live_.leave();
    });
}

bool EarshotProcessor::isBusesLayoutSupported(const BusesLayout& layout) const {
    return layout.inputBuses.size() <= 1 && layout.outputBuses.size() <= 1 &&
           layout.getMainInputChannelSet() == layout.getMainOutputChannelSet();
}

// Errors do not reach the host. The session's status shows them.
void EarshotProcessor::prepareToPlay(double sampleRate, int) {
    catchAll([&] {
        model_.prepare();
        playback_.prepare(sampleRate);
        live_.prepare(sampleRate, isNonRealtime(), leftOutOfMix(getChannelLayoutOfBus(true, 0)));
    });
    catchAll([this] { startFollowing(); });
}

// Does not stop the timer: followParameters() stops it on the message thread.
void EarshotProcessor::releaseResources() {
    catchAll([this] { live_.release(); });
}

// Hosts also call this between two blocks, without preparing anew, and possibly on the audio thread. JUCE's
// wrappers call it with every block, and it returns at once unless a bounce begins. Then it may wait for the
// session to end. The return to live is left to followParameters() on the message thread, so that the audio
// thread does not wait.
void EarshotProcessor::setNonRealtime(bool offline) noexcept {
    const bool begins = offline && !isNonRealtime();
    juce::AudioProcessor::setNonRealtime(offline);
    if (begins) catchAll([this] { live_.beginBounce(); });
}

void EarshotProcessor::startFollowing() { startTimerHz(watchHertz); }

void EarshotProcessor::followParameters() {
    catchAll([this] {
        parameters_.followColumns();
        const auto runs = live_.follow(isNonRealtime());
        if (!runs) return;
        if (*runs) viewModel_.watch();
        if (!*runs && playback_.isIdle() && !teaching_.learning() && !model_.isLoading()) stopTimer();
    });
    teaching_.follow();
    catchAll([this] {
        if (model_.takeNews()) projectChanged();
        model_.follow();
    });
    playback_.follow();
}

void EarshotProcessor::processBlock(juce::AudioBuffer<float>& buffer, juce::MidiBuffer& midi) {
    process(buffer, midi, true);
}

void EarshotProcessor::processBlock(juce::AudioBuffer<double>& buffer, juce::MidiBuffer& midi) {
    process(buffer, midi, true);
}

void EarshotProcessor::processBlockBypassed(juce::AudioBuffer<float>& buffer, juce::MidiBuffer& midi) {
    process(buffer, midi, false);
}

void EarshotProcessor::processBlockBypassed(juce::AudioBuffer<double>& buffer, juce::MidiBuffer& midi) {
    process(buffer, midi, false);
}

template <typename Sample>
void EarshotProcessor::process(juce::AudioBuffer<Sample>& buffer, juce::MidiBuffer& midi,
                               bool enabled) noexcept {
    followEnabled(enabled);
    midi.clear();
    live_.process(buffer, midi, {enabled && !parameters_.bypassed(), isNonRealtime(), getPlayHead()});
    playback_.replaceOutput(buffer);
}

// The LV2's port `enabled` and the parameter Bypass are one state: whichever changed last decides, and a
// plugin that is not enabled is bypassed. JUCE's instance tells the host of a parameter that changes, and
// calls processBlockBypassed() while the port says that it is not enabled.
void EarshotProcessor::followEnabled(bool enabled) noexcept {
    if (wrapperType != wrapperType_LV2) return;
    const bool turned = std::exchange(enabled_, enabled) != enabled;
    if (parameters_.bypassed() == enabled && (turned || !enabled))
        parameters_.bypass().setValueNotifyingHost(enabled ? 0.0f : 1.0f);
}

void EarshotProcessor::endNotes(juce::MidiBuffer& midi) {
    const juce::ScopedLock lock(getCallbackLock()); // which a juce::AudioProcessorPlayer holds for each block
    midi_.endAll(midi);
}

juce::AudioProcessorEditor* EarshotProcessor::createEditor() {
    catchAll([this] { model_.prepare(); });
    catchAll([this] { teaching_.look(); });
    juce::AudioProcessorEditor* editor = nullptr;
    catchAll([&] {
        try {
            editor = new EarshotEditor(*this);
        } catch (...) {
            logCaught("opening the editor");
            editor = new FailureEditor(*this, ui::toText(caughtCause()));
        }
    });
    return editor;
}

detection::RuleChoice EarshotProcessor::rules(const detection::Labels& labels,
                                              double secondsPerColumn) const {
    return parameters_.rules(labels, secondsPerColumn);
}

HowToListen EarshotProcessor::howToListen() const {
    HowToListen how;
    how.model = model_.inUse();
    if (!model_.words().empty()) how.words = model_.words().choice();
    how.rules = parameters_.chosenRules();
    how.mode = parameters_.sessionSettings().mode;
    how.byConfidence = view_.get().byConfidence;
    how.channel = parameters_.channel();
    return how;
}

void EarshotProcessor::updateTrackProperties(const TrackProperties& track) {
    catchAll([&] { outputs_.setTrackName(textOf(track.name)); });
}

void EarshotProcessor::getStateInformation(juce::MemoryBlock& data) {
    const bool whole = catchAll([&] {
        const std::string json = toJson(state());
        data.replaceAll(json.data(), json.size());
    });
    if (!whole) data.reset(); // setStateInformation() ignores an empty state
}

void EarshotProcessor::setStateInformation(const void* data, int bytes) {
    if (data == nullptr || bytes <= 0) return;
    // A damaged project must not crash the host.
    catchAll([&] {
        const std::string_view json(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
        if (const std::optional<PluginState> state = stateFromJson(json)) state_.apply(*state);
    });
}

void EarshotProcessor::projectChanged() {
    updateHostDisplay(ChangeDetails().withNonParameterStateChanged(true));
}

} // namespace earshot::plugin
