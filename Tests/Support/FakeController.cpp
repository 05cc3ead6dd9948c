#include "Support/FakeController.h"

#include "Ui/ParameterIds.h"

#include <algorithm>
#include <utility>

namespace earshot::test {

namespace {

juce::AudioProcessorValueTreeState::ParameterLayout layout() {
    using namespace ui::parameter;
    const auto number = [](const char* id, const char* name, float highest, float initial) {
        return std::make_unique<juce::AudioParameterFloat>(
            juce::ParameterID(id, 1), name, juce::NormalisableRange<float>(0.0f, highest), initial);
    };
    const auto choice = [](const char* id, const char* name, const juce::StringArray& choices) {
        return std::make_unique<juce::AudioParameterChoice>(juce::ParameterID(id, 1), name, choices, 0);
    };
    const auto toggle = [](const char* id, const char* name) {
        return std::make_unique<juce::AudioParameterBool>(juce::ParameterID(id, 1), name, false);
    };
    juce::AudioProcessorValueTreeState::ParameterLayout all;
    all.add(std::make_unique<juce::AudioParameterFloat>(juce::ParameterID(sensitivity, 1), "Sensitivity",
                                                        juce::NormalisableRange<float>(-6.0f, 6.0f), 0.0f),
            number(threshold, "Threshold (old)", 1.0f, 0.4f), number(release, "Release", 1.0f, 0.5f),
            number(minDuration, "Shortest", 10.0f, 0.0f), number(mergeGap, "Join gaps under", 10.0f, 0.0f),
            number(hold, "Hold", 10.0f, 1.5f),
            choice(medianSeconds, "Median", {"Off", "0.96 s", "1.6 s", "2.24 s", "2.88 s"}),
            choice(channel, "Channel", {"Mix", "1", "2", "3", "4"}),
            choice(mode, "Mode", {"Auto", "Crop", "Repeat"}),
            choice(hopSeconds, "Hop", {"Auto", "0.32 s", "0.64 s", "1.28 s", "2.56 s", "5.12 s", "10.24 s"}),
            toggle(midiOut, "MIDI out"), toggle(bypass, "Bypass"));
    return all;
}

} // namespace

struct FakeController::Processor : juce::AudioProcessor {
    Processor()
        : parameters(*this, nullptr, "parameters", layout()) {}

    const juce::String getName() const override { return "Fake"; }
    void prepareToPlay(double, int) override {}
    void releaseResources() override {}
    void processBlock(juce::AudioBuffer<float>&, juce::MidiBuffer&) override {}
    double getTailLengthSeconds() const override { return 0.0; }
    bool acceptsMidi() const override { return false; }
    bool producesMidi() const override { return false; }
    juce::AudioProcessorEditor* createEditor() override { return nullptr; }
    bool hasEditor() const override { return false; }
    int getNumPrograms() override { return 1; }
    int getCurrentProgram() override { return 0; }
    void setCurrentProgram(int) override {}
    const juce::String getProgramName(int) override { return {}; }
    void changeProgramName(int, const juce::String&) override {}
    void getStateInformation(juce::MemoryBlock&) override {}
    void setStateInformation(const void*, int) override {}

    juce::AudioProcessorValueTreeState parameters;
};

FakeController::FakeController(std::vector<std::string> labels, double secondsPerColumn)
    : live(std::move(labels), secondsPerColumn)
    , processor_(std::make_unique<Processor>()) {}
FakeController::~FakeController() = default;

juce::AudioProcessorValueTreeState& FakeController::parameters() { return processor_->parameters; }

juce::String FakeWords::add(const juce::String& given) {
    if (!now.possible) return "This model cannot listen for words: load one with a text half";
    const auto text = given.upToLastOccurrenceOf("=", false, false).trim().toStdString();
    const auto name = given.fromLastOccurrenceOf("=", false, false).trim().toStdString();
    ui::Word word{0, given.containsChar('=') ? text : name, name};
    if (word.text.empty() || word.name.empty()) return "Type a text to listen for";
    if (isNamed(word.name)) return "There is a sound of this name already: choose another";
    if (now.words.size() >= ui::Words::most) return "There is room for 256 words: remove one first";
    word.id = ++lastWordId_;
    now.words.push_back(std::move(word));
    return {};
}

juce::String FakeWords::rename(int id, const juce::String& name) {
    const auto word = std::ranges::find(now.words, id, &ui::Word::id);
    const auto wanted = name.trim().toStdString();
    if (word == now.words.end()) return "This word is gone";
    if (wanted.empty()) return "Type a name for the lane";
    if (wanted != word->name && isNamed(wanted))
        return "There is a sound of this name already: choose another";
    word->name = wanted;
    return {};
}

void FakeWords::move(int id, int places) {
    auto& words = now.words;
    const auto word = std::ranges::find(words, id, &ui::Word::id);
    if (word == words.end()) return;
    const auto from = word - words.begin();
    const auto to = std::clamp<std::ptrdiff_t>(from + places, 0, std::ssize(words) - 1);
    const auto moved = *word;
    words.erase(word);
    words.insert(words.begin() + to, moved);
}

void FakeWords::remove(int id) {
    std::erase_if(now.words, [&](const ui::Word& word) { return word.id == id; });
}

bool FakeWords::isNamed(const std::string& name) const {
    return std::ranges::find(now.words, name, &ui::Word::name) != now.words.end() || live_.isNamed(name);
}

juce::String FakePresets::save(const ui::Preset& preset) {
    if (refusal.isNotEmpty()) return refusal;
    remove(preset.name);
    now.push_back(preset);
    return {};
}

juce::String FakePresets::rename(const std::string& from, const std::string& name) {
    const auto preset = std::ranges::find(now, from, &ui::Preset::name);
    if (preset == now.end() || refusal.isNotEmpty()) return refusal;
    preset->name = name;
    return {};
}

juce::String FakePresets::remove(const std::string& name) {
    if (refusal.isEmpty()) std::erase_if(now, [&](const ui::Preset& preset) { return preset.name == name; });
    return refusal;
}

std::vector<ui::TaughtSound>::iterator FakeTeaching::taught(const juce::String& sound) {
    return std::ranges::find(now.sounds, sound, &ui::TaughtSound::name);
}

juce::String FakeTeaching::teach(const juce::String& sound, std::uint64_t stream, double onset, double offset,
                                 bool is) {
    if (refusal.isNotEmpty()) return refusal;
    auto known = taught(sound);
    if (known == now.sounds.end()) {
        if (!is) return "There are no examples of this sound yet: teach it first";
        beginEdit();
        known = std::ranges::upper_bound(now.sounds, sound, {}, &ui::TaughtSound::name);
        known = now.sounds.insert(known, ui::TaughtSound{});
        known->name = sound;
    } else {
        beginEdit();
    }
    examples.push_back({sound, stream, onset, offset, is});
    known->learnt = false;
    known->sources = 1;
    if (is) {
        ++known->examples;
        known->seconds += offset - onset;
    } else {
        ++known->counterExamples;
    }
    now.canLearn = true;
    return {};
}

juce::String FakeTeaching::rename(const juce::String& sound, const juce::String& name) {
    if (refusal.isNotEmpty()) return refusal;
    if (name.isEmpty()) return "Type a name for the sound";
    if (name != sound && taught(name) != now.sounds.end())
        return "There is a sound of this name already: choose another";
    const auto known = taught(sound);
    if (known == now.sounds.end()) return "This sound is gone";
    beginEdit();
    known->name = name;
    std::ranges::sort(now.sounds, {}, &ui::TaughtSound::name);
    return {};
}

juce::String FakeTeaching::forget(const juce::String& sound) {
    if (refusal.isNotEmpty()) return refusal;
    beginEdit();
    std::erase_if(now.sounds, [&](const ui::TaughtSound& known) { return known.name == sound; });
    return {};
}

juce::String FakeTeaching::openCollection(const juce::File& folder) {
    if (refusal.isNotEmpty()) return refusal;
    beginEdit();
    now.folder = folder;
    return {};
}

juce::String FakeTeaching::addExamples(const juce::File& folder) {
    if (refusal.isNotEmpty()) return refusal;
    beginEdit();
    now.sounds.push_back({folder.getFileName(), 3, 0, 6.0, 3, false, {}});
    std::ranges::sort(now.sounds, {}, &ui::TaughtSound::name);
    return {};
}

void FakeTeaching::beginEdit() {
    others_.resize(static_cast<std::size_t>(edited++));
    others_.push_back(now.sounds);
}

juce::String FakeTeaching::restore(int wanted) {
    if (refusal.isNotEmpty()) return refusal;
    for (; edited > wanted; --edited) std::swap(now.sounds, others_[static_cast<std::size_t>(edited - 1)]);
    for (; edited < wanted; ++edited) std::swap(now.sounds, others_[static_cast<std::size_t>(edited)]);
    return {};
}

juce::String FakeTeaching::learn() {
    if (refusal.isNotEmpty()) return refusal;
    ++learns;
    now.learning = true;
    now.canLearn = false;
    now.doing = "Analysing the examples";
    return {};
}

void FakeTeaching::stop() {
    ++stops;
    now.learning = false;
    now.canLearn = true;
}

juce::String FakeTeaching::undo() {
    if (refusal.isNotEmpty()) return refusal;
    ++undos;
    now.canUndo = false;
    return {};
}

void FakeRecordings::list(std::vector<ui::ListedRecording> recordings, ui::ListedEvents events) {
    now.recordings = std::make_shared<const std::vector<ui::ListedRecording>>(std::move(recordings));
    now.events = std::make_shared<const ui::ListedEvents>(std::move(events));
}

void FakeRecordings::remove(int id) {
    auto rows = now.rows();
    std::erase_if(rows, [&](const ui::ListedRecording& recording) { return recording.id == id; });
    now.recordings = std::make_shared<const std::vector<ui::ListedRecording>>(std::move(rows));
}

juce::String FakeRecordings::analyse(bool again) {
    if (refusal.isNotEmpty()) return refusal;
    ++(again ? againAnalyses : analyses);
    now.hearing = true;
    return {};
}

void FakeRecordings::stop() { now.hearing = false; }

juce::String FakeRecordings::setResults(int id, const juce::File& folder) {
    if (refusal.isNotEmpty()) return refusal;
    auto rows = now.rows();
    for (auto& recording : rows)
        if (recording.id == id) recording.results = folder;
    now.recordings = std::make_shared<const std::vector<ui::ListedRecording>>(std::move(rows));
    return {};
}

detection::RuleChoice FakeController::rules(const detection::Labels& labels,
                                            double /*secondsPerColumn*/) const {
    const auto value = [&](const char* id) {
        return processor_->parameters.getRawParameterValue(id)->load();
    };
    detection::RuleChoice choice;
    const float sensitivity = value(ui::parameter::sensitivity);
    choice.threshold =
        sensitivity == 0.0f ? value(ui::parameter::threshold) : detection::thresholdAt(sensitivity);
    choice.release = value(ui::parameter::release);
    choice.median = 1 + 2 * static_cast<int>(value(ui::parameter::medianSeconds));
    choice.minDuration = static_cast<double>(value(ui::parameter::minDuration));
    choice.mergeGap = static_cast<double>(value(ui::parameter::mergeGap));
    for (const auto& [label, threshold] : view_.get().classThresholds)
        if (const auto classIndex = labels.find(label)) choice.classThresholds[*classIndex] = threshold;
    return choice;
}

} // namespace earshot::test
