#include "Support/FakeController.h"

#include "Ui/ParameterIds.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <utility>

namespace earshot::test {

namespace {

constexpr double secondsPerFrame = 0.01;
constexpr int bands = 64;

std::shared_ptr<const detection::Labels> makeLabels(const std::vector<std::string>& names,
                                                    std::map<std::string, std::string> metadata = {}) {
    metadata["earshot.labels"] = nlohmann::json(names).dump();
    return std::make_shared<detection::Labels>(
        detection::Labels::read(metadata, "fake.safetensors", static_cast<int>(names.size())));
}

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
    all.add(number(threshold, "Threshold", 1.0f, 0.4f), number(release, "Release", 1.0f, 0.5f),
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

FakeSource::FakeSource(std::vector<std::string> labels, double secondsPerColumn)
    : classes_(makeLabels(labels))
    , labels_(classes_)
    , secondsPerColumn_(secondsPerColumn) {
    statusNow.state = streaming::State::running;
    statusNow.model = "earshot-default";
    statusNow.classes = static_cast<int>(labels.size());
    statusNow.load = 0.04;
    statusNow.delayMedian = 0.4;
    statusNow.delayP95 = 0.5;
    statusNow.hop = statusNow.hopWanted = secondsPerColumn_;
    spectrogram_.reset(bands, secondsPerFrame, 50.0, 14000.0);
}

void FakeSource::addColumn(const std::vector<float>& probabilities, int unsettled) {
    columns_.push_back(probabilities);
    settled_ = std::max(settled_, static_cast<std::int64_t>(columns_.size()) - unsettled);
    statusNow.heard = static_cast<double>(columns_.size()) * secondsPerColumn_;
}

void FakeSource::addScene(double seconds, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
    const auto classes = static_cast<std::size_t>(labels_->count());
    struct Sound {
        std::size_t classIndex;
        double onset, offset;
        float level;
    };
    std::vector<Sound> sounds;
    for (double at = 0.5; at < seconds; at += 1.5 + 4.0 * uniform(random))
        sounds.push_back({static_cast<std::size_t>(uniform(random) * 0.999f * static_cast<float>(classes)),
                          at, at + 0.6 + 5.0 * uniform(random), 0.3f + 0.65f * uniform(random)});

    // A note with vibrato and overtones, repeated; each one fades out.
    const auto sing = [](std::vector<float>& frame, const Sound& sound, double moment, double start) {
        const auto kind = static_cast<double>(sound.classIndex);
        const double repeats = 0.25 + 0.11 * std::fmod(kind, 7.0); // seconds
        const double age = std::fmod(moment - sound.onset, repeats) / repeats;
        const double sway = std::sin(2.0 * std::numbers::pi * (start + moment) * (0.7 + 0.1 * kind));
        for (int harmonic = 1; harmonic <= 9; ++harmonic) {
            const double centre = 4.0 + std::fmod(kind * 3.0, 9.0) + harmonic * 5.5 + sway;
            for (int band = 0; band < bands; ++band) {
                const double apart = band - centre;
                const auto level = static_cast<float>(26.0 * static_cast<double>(sound.level) -
                                                      4.5 * harmonic - 22.0 * age - 9.0 * apart * apart);
                float& value = frame[static_cast<std::size_t>(band)];
                value = std::max(value, level);
            }
        }
    };

    const auto first = static_cast<double>(columns_.size()) * secondsPerColumn_;
    const int columns = static_cast<int>(seconds / secondsPerColumn_);
    std::vector<float> probabilities(classes);
    std::vector<float> frame(bands);
    const auto frames = static_cast<int>(std::lround(secondsPerColumn_ / secondsPerFrame));
    for (int column = 0; column < columns; ++column) {
        const double time = (column + 0.5) * secondsPerColumn_;
        for (float& value : probabilities) value = 0.05f * uniform(random);
        for (const Sound& sound : sounds)
            if (time >= sound.onset && time < sound.offset)
                probabilities[sound.classIndex] =
                    std::min(1.0f, sound.level + 0.1f * (uniform(random) - 0.5f));
        addColumn(probabilities);
        for (int i = 0; i < frames; ++i) {
            const double moment = column * secondsPerColumn_ + i * secondsPerFrame;
            for (int band = 0; band < bands; ++band)
                frame[static_cast<std::size_t>(band)] =
                    -44.0f - 0.12f * static_cast<float>(band) + 9.0f * uniform(random);
            for (const Sound& sound : sounds)
                if (moment >= sound.onset && moment < sound.offset) sing(frame, sound, moment, first);
            spectrogram_.append(frame);
        }
    }
}

void FakeSource::setBoxes(const detection::BoxScorer& boxes) {
    classes_ = makeLabels(classes_->names(), {{"earshot.boxes", boxes.metadata()}});
    labels_ = classes_;
}

void FakeSource::finish() {
    settled_ = static_cast<std::int64_t>(columns_.size());
    duration_ = static_cast<double>(columns_.size()) * secondsPerColumn_;
    statusNow.state = streaming::State::finished;
}

bool FakeSource::isNamed(const std::string& name) const {
    return std::ranges::find(classes_->names(), name) != classes_->names().end();
}

void FakeSource::setWords(const std::vector<ui::Word>& words) {
    std::vector<std::string> names;
    std::vector<int> ids;
    for (const auto& word : words) {
        names.push_back(word.name);
        ids.push_back(word.id);
    }
    const auto classes = static_cast<std::size_t>(classes_->count());
    for (auto& column : columns_) {
        std::vector<float> values(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(classes));
        for (const int id : ids) {
            const auto known = std::ranges::find(wordIds_, id);
            values.push_back(known == wordIds_.end()
                                 ? 0.0f
                                 : column[classes + static_cast<std::size_t>(known - wordIds_.begin())]);
        }
        column = std::move(values);
    }
    if (ids != wordIds_) ++generation_; // else only names changed
    wordIds_ = ids;
    labels_ =
        std::make_shared<detection::Labels>(detection::Labels::withWords(*classes_, names, std::move(ids)));
    statusNow.classes = labels_->count();
}

void FakeSource::copyOf(const FakeSource& other) {
    classes_ = other.classes_;
    wordIds_ = other.wordIds_;
    generation_ = other.generation_;
    stream_ = other.stream_;
    labels_ = other.labels_;
    columns_ = other.columns_;
    settled_ = other.settled_;
    duration_ = other.duration_;
    statusNow = other.statusNow;
    times = other.times;
    secondsPerColumn_ = other.secondsPerColumn_;
    other.spectrogram_.copySince(spectrogram_);
}

bool FakeSource::copySince(streaming::History& copy) const {
    const auto known = copy.timeline ? copy.timeline->columns() : 0;
    const auto ended = copy.timeline ? copy.timeline->duration() : std::nullopt;
    if (copy.generation == generation_ && copy.labels == labels_ && ended == duration_ &&
        known == static_cast<std::int64_t>(columns_.size()))
        return false;
    copy.labels = labels_;
    copy.generation = generation_;
    copy.stream = stream_;
    copy.times = times;
    copy.timeline.reset();
    if (labels_->count() == 0) return true; // as a session that waits for its first word
    copy.timeline = std::make_unique<detection::Timeline>(labels_->count(), secondsPerColumn_);
    for (std::size_t i = 0; i < columns_.size(); ++i)
        copy.timeline->add(static_cast<std::int64_t>(i), columns_[i]);
    copy.timeline->settle(settled_);
    if (duration_) copy.timeline->finish(*duration_);
    spectrogram_.copySince(copy.spectrogram);
    return true;
}

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

juce::String FakeController::addWord(const juce::String& given) {
    if (!wordsNow.possible) return "This model cannot listen for words: load one with a text half";
    const auto text = given.upToLastOccurrenceOf("=", false, false).trim().toStdString();
    const auto name = given.fromLastOccurrenceOf("=", false, false).trim().toStdString();
    ui::Word word{0, given.containsChar('=') ? text : name, name};
    if (word.text.empty() || word.name.empty()) return "Type a text to listen for";
    if (isNamed(word.name)) return "There is a sound of this name already: choose another";
    if (wordsNow.words.size() >= ui::Words::most) return "There is room for 256 words: remove one first";
    word.id = ++lastWordId_;
    wordsNow.words.push_back(std::move(word));
    return {};
}

juce::String FakeController::renameWord(int id, const juce::String& name) {
    const auto word = std::ranges::find(wordsNow.words, id, &ui::Word::id);
    const auto wanted = name.trim().toStdString();
    if (word == wordsNow.words.end()) return "This word is gone";
    if (wanted.empty()) return "Type a name for the lane";
    if (wanted != word->name && isNamed(wanted))
        return "There is a sound of this name already: choose another";
    word->name = wanted;
    return {};
}

void FakeController::moveWord(int id, int places) {
    auto& words = wordsNow.words;
    const auto word = std::ranges::find(words, id, &ui::Word::id);
    if (word == words.end()) return;
    const auto from = word - words.begin();
    const auto to = std::clamp<std::ptrdiff_t>(from + places, 0, std::ssize(words) - 1);
    const auto moved = *word;
    words.erase(word);
    words.insert(words.begin() + to, moved);
}

void FakeController::removeWord(int id) {
    std::erase_if(wordsNow.words, [&](const ui::Word& word) { return word.id == id; });
}

bool FakeController::isNamed(const std::string& name) const {
    return std::ranges::find(wordsNow.words, name, &ui::Word::name) != wordsNow.words.end() ||
           live.isNamed(name);
}

std::vector<ui::TaughtSound>::iterator FakeController::taught(const juce::String& sound) {
    return std::ranges::find(teachingNow.sounds, sound, &ui::TaughtSound::name);
}

juce::String FakeController::teach(const juce::String& sound, std::uint64_t stream, double onset,
                                   double offset, bool is) {
    if (refusal.isNotEmpty()) return refusal;
    auto known = taught(sound);
    if (known == teachingNow.sounds.end()) {
        if (!is) return "There are no examples of this sound yet: teach it first";
        known = std::ranges::upper_bound(teachingNow.sounds, sound, {}, &ui::TaughtSound::name);
        known = teachingNow.sounds.insert(known, ui::TaughtSound{});
        known->name = sound;
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
    teachingNow.canLearn = true;
    return {};
}

juce::String FakeController::renameTaught(const juce::String& sound, const juce::String& name) {
    if (refusal.isNotEmpty()) return refusal;
    if (name.isEmpty()) return "Type a name for the sound";
    if (name != sound && taught(name) != teachingNow.sounds.end())
        return "There is a sound of this name already: choose another";
    const auto known = taught(sound);
    if (known == teachingNow.sounds.end()) return "This sound is gone";
    known->name = name;
    std::ranges::sort(teachingNow.sounds, {}, &ui::TaughtSound::name);
    return {};
}

juce::String FakeController::forgetTaught(const juce::String& sound) {
    if (refusal.isNotEmpty()) return refusal;
    std::erase_if(teachingNow.sounds, [&](const ui::TaughtSound& known) { return known.name == sound; });
    return {};
}

juce::String FakeController::openCollection(const juce::File& folder) {
    if (refusal.isNotEmpty()) return refusal;
    teachingNow.folder = folder;
    return {};
}

juce::String FakeController::addExamples(const juce::File& folder) {
    if (refusal.isNotEmpty()) return refusal;
    teachingNow.sounds.push_back({folder.getFileName(), 3, 0, 6.0, 3, false, {}});
    std::ranges::sort(teachingNow.sounds, {}, &ui::TaughtSound::name);
    return {};
}

juce::String FakeController::learn() {
    if (refusal.isNotEmpty()) return refusal;
    ++learns;
    teachingNow.learning = true;
    teachingNow.canLearn = false;
    teachingNow.doing = "Hearing the examples";
    return {};
}

void FakeController::stopLearning() {
    ++stops;
    teachingNow.learning = false;
    teachingNow.canLearn = true;
}

juce::String FakeController::undoLearning() {
    if (refusal.isNotEmpty()) return refusal;
    ++undos;
    teachingNow.canUndo = false;
    return {};
}

void FakeController::list(std::vector<ui::ListedRecording> recordings, ui::ListedEvents events) {
    recordingsNow.recordings =
        std::make_shared<const std::vector<ui::ListedRecording>>(std::move(recordings));
    recordingsNow.events = std::make_shared<const ui::ListedEvents>(std::move(events));
}

void FakeController::removeRecording(int id) {
    auto rows = recordingsNow.rows();
    std::erase_if(rows, [&](const ui::ListedRecording& recording) { return recording.id == id; });
    recordingsNow.recordings = std::make_shared<const std::vector<ui::ListedRecording>>(std::move(rows));
}

juce::String FakeController::analyseRecordings(bool again) {
    if (refusal.isNotEmpty()) return refusal;
    ++(again ? againAnalyses : analyses);
    recordingsNow.hearing = true;
    return {};
}

void FakeController::stopRecordings() { recordingsNow.hearing = false; }

juce::String FakeController::setResults(int id, const juce::File& folder) {
    if (refusal.isNotEmpty()) return refusal;
    auto rows = recordingsNow.rows();
    for (auto& recording : rows)
        if (recording.id == id) recording.results = folder;
    recordingsNow.recordings = std::make_shared<const std::vector<ui::ListedRecording>>(std::move(rows));
    return {};
}

detection::RuleChoice FakeController::rules(const detection::Labels& labels,
                                            double /*secondsPerColumn*/) const {
    const auto value = [&](const char* id) {
        return processor_->parameters.getRawParameterValue(id)->load();
    };
    detection::RuleChoice choice;
    choice.threshold = value(ui::parameter::threshold);
    choice.release = value(ui::parameter::release);
    choice.median = 1 + 2 * static_cast<int>(value(ui::parameter::medianSeconds));
    choice.minDuration = static_cast<double>(value(ui::parameter::minDuration));
    choice.mergeGap = static_cast<double>(value(ui::parameter::mergeGap));
    for (const auto& [label, threshold] : view_.get().classThresholds)
        if (const auto classIndex = labels.find(label)) choice.classThresholds[*classIndex] = threshold;
    return choice;
}

} // namespace earshot::test
