// EarshotProcessor's implementation of ui::Controller, except models.
#include "Plugin/EarshotProcessor.h"

#include "Core/Audio/ReadOptions.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Streaming/HopGovernor.h"
#include "Core/Tensor/Threads.h"
#include "Plugin/EarshotEditor.h"
#include "Plugin/UserLists.h"
#include "Ui/Guarded.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::plugin {

using ui::guarded;

streaming::Source& EarshotProcessor::source() {
    if (recording_ != nullptr) return *recording_;
    if (showsBounce_) return *shownBounce_;
    return session_;
}

detection::RuleChoice EarshotProcessor::rules(const detection::Labels& labels,
                                              double secondsPerColumn) const {
    return parameters_.rules(labels, secondsPerColumn);
}

ui::Words EarshotProcessor::words() const {
    ui::Words words = words_->view();
    const streaming::Status status = session_.status();
    const bool runs = status.state == streaming::State::running && status.load > 0.0;
    if (!words.possible || !words.words.empty() || !runs) return words;
    // A pass costs the same, whatever is made of it.
    constexpr double calm = streaming::HopGovernor::automaticLoad;
    auto price = fmt::format(
        "Listening for words takes what this model takes now: {:.0f} % of a core at a hop of {:.2f} s.",
        100.0 * status.load, status.hop);
    if (status.load > calm)
        price += fmt::format(" A hop of {:.1f} s would take {:.0f} %.", status.hop * status.load / calm,
                             100.0 * calm);
    words.price = ui::toText(price);
    return words;
}

// Goes on with the words as they are now. restart: a recording is heard anew, as its plain network was heard,
// or is to be (streaming::MakeNetwork).
void EarshotProcessor::useWords(bool restart) {
    const bool named = [this] {
        const std::scoped_lock lock(stateMutex_);
        return modelNamed_;
    }();
    const std::optional<bool> heard = words_->heard();
    const bool loads = !heard; // a model, which has the former words
    // Before it is named, the session gets its words with its model.
    if (heard.value_or(true))
        guarded([&] {
            const auto model = currentLoader();
            const auto change = [words = words_, inUse = model_->inUse()](const StopToken& stop) {
                const WordList::Busy busy(words);
                const auto file = inUse.empty() ? model::defaultModel() : inUse;
                return streaming::wordsLoaderFor(file, words->choice())(stop);
            };
            if (named && loads) giveModel(model);
            if (named && !loads) {
                session_.setWords(change, model);
                const std::scoped_lock lock(stateMutex_);
                loader_ = model;
                if (bouncing()) bounceSession_->setWords(change, model);
            }
            if (recording_ == nullptr) return;
            if (loads || restart)
                startRecording();
            else
                recording_->setWords(change);
        });
    projectChanged();
}

juce::String EarshotProcessor::addWord(const juce::String& given) {
    juce::String problem = "There is not enough memory: close other programs and try again";
    guarded([&] {
        const bool first = words_->empty();
        problem = ui::toText(words_->add(given.toStdString()));
        if (problem.isEmpty()) useWords(first);
    });
    return problem;
}

juce::String EarshotProcessor::renameWord(int id, const juce::String& name) {
    juce::String problem = "There is not enough memory: close other programs and try again";
    guarded([&] {
        problem = ui::toText(words_->rename(id, name.toStdString()));
        if (problem.isEmpty()) useWords(false);
    });
    return problem;
}

// The order is the views' alone: the model's classes stay where they are.
void EarshotProcessor::moveWord(int id, int places) {
    guarded([&] { words_->move(id, places); });
    projectChanged();
}

void EarshotProcessor::removeWord(int id) {
    guarded([&] {
        words_->remove(id);
        useWords(words_->empty());
    });
}

void EarshotProcessor::setWordsJoin(bool join) {
    guarded([&] {
        if (words_->joins() == join) return;
        words_->setJoins(join);
        if (words_->empty())
            projectChanged(); // nothing is heard in another way
        else
            useWords(false);
    });
}

ui::Teaching EarshotProcessor::teaching() const {
    ui::Teaching teaching = teacher_.view();
    teaching.keepsAudio = keepsAudio_;
    teaching.canUndo = beforeLesson_.has_value() && !teaching.learning;
    return teaching;
}

// Calls `change`, which returns why it did nothing.
juce::String EarshotProcessor::whyNotDone(const std::function<std::string()>& change) {
    juce::String problem = "There is not enough memory: close other programs and try again";
    guarded([&] { problem = ui::toText(change()); });
    return problem;
}

juce::String EarshotProcessor::teach(const juce::String& sound, std::uint64_t stream, double onset,
                                     double offset, bool is) {
    return whyNotDone([&]() -> std::string {
        HeardStretch stretch;
        stretch.onset = onset;
        stretch.offset = offset;
        if (recording_ != nullptr) {
            stretch.recording = recording_->recording();
            const bool each = recordingSettings_.channel == audio::ReadOptions::eachChannel;
            stretch.channel = each ? watcher_.channel() : recordingSettings_.channel;
            stretch.group =
                (stretch.recording.parent_path().filename() / stretch.recording.filename()).string();
        } else {
            if (!keepsAudio_)
                return "What is heard live is not kept: switch that on in the panel Teach, then mark what "
                       "you "
                       "hear next";
            const double beside = is ? Teacher::context : 0.0;
            const auto history = showsBounce_ ? shownBounce_ : session_.history();
            if (!history->copyAudio(stream, onset - beside, offset + beside, stretch.samples, stretch.start,
                                    stretch.sampleRate) ||
                stretch.start > onset + 0.01)
                return "What was heard then is not kept any more: mark a newer stretch";
            const auto now = juce::Time::getCurrentTime().toISO8601(true).toStdString();
            stretch.group = streamNames_.try_emplace(stream, "live " + now).first->second;
        }
        return teacher_.keep(sound.trim().toStdString(), is, std::move(stretch));
    });
}

juce::String EarshotProcessor::renameTaught(const juce::String& sound, const juce::String& name) {
    return whyNotDone([&] { return teacher_.rename(sound.toStdString(), name.trim().toStdString()); });
}

juce::String EarshotProcessor::forgetTaught(const juce::String& sound) {
    return whyNotDone([&] { return teacher_.forget(sound.toStdString()); });
}

juce::String EarshotProcessor::openCollection(const juce::File& folder) {
    return whyNotDone([&] { return teacher_.open(folder.getFullPathName().toStdString()); });
}

juce::String EarshotProcessor::addExamples(const juce::File& folder) {
    return whyNotDone([&] { return teacher_.add(folder.getFullPathName().toStdString()); });
}

juce::String EarshotProcessor::learn() {
    startTimerHz(watchHertz); // takes the model when it is there
    return whyNotDone([this] {
        const auto model = model_->inUse();
        auto problem = teacher_.learn(model);
        if (problem.empty()) lessonModel_ = model;
        return problem;
    });
}

// Loads the model that a lesson has made, unless another one was loaded since it began.
void EarshotProcessor::takeLesson() {
    guarded([this] {
        const auto result = teacher_.takeResult();
        if (!result) return;
        if (model_->inUse() != lessonModel_) {
            rememberModel(juce::File(ui::toText(result->model.string())));
            return teacher_.tell("another model was loaded meanwhile: to hear what was learnt, choose " +
                                 printable(result->model.stem().string()) + " at the model's name");
        }
        ModelChoice before = model_->get();
        // A lesson writes its model where that of the lesson before was.
        if (model_->inUse() == result->model) before = {result->before, {}, before.name};
        loadModel(juce::File(ui::toText(result->model.string())));
        beforeLesson_ = before;
    });
}

juce::String EarshotProcessor::undoLearning() {
    if (!beforeLesson_) return "There is nothing to undo";
    return whyNotDone([this]() -> std::string {
        const ModelChoice before = *std::exchange(beforeLesson_, std::nullopt);
        useModel(before, false);
        if (recording_ != nullptr) startRecording();
        projectChanged();
        return "";
    });
}

void EarshotProcessor::openTeaching() {
    if (!keepsAsAsked_) keepAudio(true);
}

void EarshotProcessor::setKeepsAudio(bool keeps) {
    keepsAsAsked_ = true;
    keepAudio(keeps);
}

void EarshotProcessor::keepAudio(bool keeps) {
    keepsAudio_ = keeps;
    session_.setKeepsAudio(keeps);
    if (const auto history = bounce()) history->keepAudio(keeps);
}

void EarshotProcessor::setOutputs(const ui::OutputSettings& settings) {
    guarded([&] {
        // A user who turns OSC on or enters a host in the settings thereby allows that host.
        const ui::OutputSettings before = outputs_.get();
        const bool chosen = settings.osc && (!before.osc || settings.oscHost.trim() != before.oscHost.trim());
        outputs_.set(settings);
        if (chosen) outputs_.allowHost();
    });
    projectChanged();
}

void EarshotProcessor::allowHost() {
    guarded([this] { outputs_.allowHost(); });
}

HowToListen EarshotProcessor::howToListen() const {
    HowToListen how;
    how.model = model_->inUse();
    if (!words_->empty()) how.words = words_->choice();
    how.rules = parameters_.chosenRules();
    how.mode = parameters_.sessionSettings().mode;
    how.byConfidence = view_.get().byConfidence;
    how.channel = parameters_.channel();
    return how;
}

ui::RecordingList EarshotProcessor::recordings() const {
    return isApp() ? recordings_.view() : ui::RecordingList();
}

void EarshotProcessor::addRecordings(const juce::StringArray& paths) {
    guarded([&] {
        std::vector<std::filesystem::path> files;
        for (const auto& path : paths) files.emplace_back(path.toStdString());
        recordings_.add(files, howToListen());
    });
}

void EarshotProcessor::removeRecording(int id) {
    guarded([&] { recordings_.remove(id); });
}

juce::String EarshotProcessor::analyseRecordings(bool again) {
    return whyNotDone([&] { return recordings_.analyse(howToListen(), again); });
}

juce::String EarshotProcessor::setResults(int id, const juce::File& folder) {
    return whyNotDone([&] { return recordings_.setResults(id, folder.getFullPathName().toStdString()); });
}

std::shared_ptr<streaming::LiveHistory> EarshotProcessor::bounce() const {
    const std::scoped_lock lock(stateMutex_);
    return bounce_;
}

// The views turn to a new bounce once it has heard something, unless a recording is open.
void EarshotProcessor::followBounce() {
    auto next = bounce();
    if (next == shownBounce_ || next->status().heard == 0.0) return;
    if (recording_ == nullptr) {
        ++sourceId_; // as in startRecording()
        showsBounce_ = true;
    }
    shownBounce_ = std::move(next);
}

void EarshotProcessor::showBounce() {
    closeRecording();
    showsBounce_ = hasBounce();
    ++sourceId_;
}

void EarshotProcessor::openRecording(const juce::File& file) {
    recordingFile_ = file;
    startRecording();
    startTimerHz(watchHertz); // makes the mode follow its parameter even while the session does not run
    openPlayer();
}

// If this fails, the recording's own status shows the reason.
void EarshotProcessor::openPlayer() {
    if (player_ == nullptr || recording_ == nullptr) return;
    if (!guarded([this] { player_->open(recording_->recording(), std::max(0, recordingSettings_.channel)); }))
        guarded([this] { player_->close(); });
}

// The hop is the recordings' usual one, as on the command line; the hop parameter is for live streams. The
// app uses several threads, because no host needs the cores.
streaming::SessionSettings EarshotProcessor::recordingSettings() const {
    constexpr int mostThreads = 4;
    return {.mode = parameters_.sessionSettings().mode,
            .hopSeconds = 0.0,
            .threads = isApp() ? std::min(mostThreads, tensor::availableCores()) : 1,
            .channel = parameters_.channel()};
}

void EarshotProcessor::startRecording() {
    const bool begun = guarded([this] {
        recordingSettings_ = recordingSettings();
        auto recording = std::make_unique<streaming::FileSession>(
            recordingFile_.getFullPathName().toStdString(), currentLoader(), recordingSettings_);
        ++sourceId_; // changes before the old recording is destroyed, so that no view reads it again
        recording_ = std::move(recording);
        showsBounce_ = false;
    });
    if (!begun) closeRecording();
}

void EarshotProcessor::cancelRecording() {
    if (recording_ != nullptr) recording_->cancel();
}

void EarshotProcessor::closeRecording() {
    if (player_ != nullptr) guarded([this] { player_->close(); });
    recordingFile_ = juce::File();
    if (!showsRecording()) return;
    ++sourceId_;
    showsBounce_ = false;
    recording_.reset();
}

int EarshotProcessor::zoom() const { return zoomOfViews(); }

void EarshotProcessor::setZoom(int percent) {
    rememberZoom(percent);
    if (auto* editor = dynamic_cast<EarshotEditor*>(getActiveEditor())) editor->zoomTo(percent);
}

void EarshotProcessor::showAudioSettings() {
    if (showAudioSettings_) showAudioSettings_();
}

juce::String EarshotProcessor::audioProblem() const {
    return audioProblem_ ? audioProblem_() : juce::String();
}

void EarshotProcessor::setMonitorsInput(bool monitors) { monitorsInput_ = monitors; }

} // namespace earshot::plugin
