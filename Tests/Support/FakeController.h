// A stand-in for the program around the views: parameters, view state, a source whose columns the test
// writes, and of each part of ui::Controller what was asked of it. Message thread.
#pragma once

#include "Support/FakeSource.h"
#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace earshot::test {

struct FakePlayback : ui::PlaybackControl {
    explicit FakePlayback(FakeSource& live)
        : live_(live) {}

    streaming::HistoryProvider& source() override {
        if (other != nullptr) return *other;
        return recorded != nullptr && showsRecording() ? *recorded : live_;
    }
    std::uint64_t sourceId() const override { return id; }
    void open(const juce::File& file) override { show(file, false); }
    void cancel() override { ++cancels; }
    void close() override { show({}, false); }
    juce::String takeRefusal() override { return std::exchange(refusal, juce::String()); }
    bool showsRecording() const override { return opened != juce::File() || bounceShown; }
    juce::File recording() const override { return opened; }
    bool hasBounce() const override { return bounced; }
    void showBounce() override { show({}, true); }
    streaming::FilePlayer* player() override { return filePlayer; }

    std::unique_ptr<FakeSource> recorded; // shown while a recording is open; if null, the live one stays
    streaming::HistoryProvider* other = nullptr; // always shown, if there is one
    juce::File opened;
    juce::String refusal;                      // why a recording could not be opened
    bool bounced = false, bounceShown = false; // there is a last bounce; it is shown, from `recorded`
    std::uint64_t id = 1;
    int cancels = 0;
    streaming::FilePlayer* filePlayer = nullptr;

  private:
    void show(const juce::File& file, bool bounce) {
        opened = file;
        bounceShown = bounce;
        ++id;
    }
    FakeSource& live_;
};

struct FakeModel : ui::ModelControl {
    void load(const juce::File& file) override { loaded = file; }
    void loadDefault() override { loaded = juce::File(); }
    juce::Array<juce::File> recent() const override { return recents; }
    juce::String takeRefusal() override { return std::exchange(refusal, juce::String()); }

    juce::File loaded;
    juce::String refusal; // why a model could not be loaded
    juce::Array<juce::File> recents;
};

struct FakeWords : ui::WordControl {
    explicit FakeWords(const FakeSource& live)
        : live_(live) {}

    ui::Words state() const override { return now; }
    juce::String add(const juce::String& given) override;
    juce::String rename(int id, const juce::String& name) override;
    void move(int id, int places) override;
    void remove(int id) override;
    void setJoin(bool join) override { now.joins = join; }

    ui::Words now;

  private:
    bool isNamed(const std::string& name) const; // a word or a class of the model
    const FakeSource& live_;
    int lastWordId_ = 0;
};

struct FakeTeaching : ui::TeachingControl {
    ui::Teaching state() const override { return now; }
    // Counts the example, unless `refusal` says why not.
    juce::String teach(const juce::String& sound, std::uint64_t stream, double onset, double offset,
                       bool is) override;
    juce::String rename(const juce::String& sound, const juce::String& name) override;
    juce::String forget(const juce::String& sound) override;
    juce::String openCollection(const juce::File& folder) override;
    juce::String addExamples(const juce::File& folder) override;
    int edits() const override { return edited; }
    juce::String restore(int wanted) override;
    juce::String learn() override;
    void stop() override;
    juce::String undo() override;
    void setKeepsAudio(bool keeps) override { now.keepsAudio = keeps; }
    void panelOpens() override { ++openings; }

    struct Example {
        juce::String sound;
        std::uint64_t stream = 0;
        double onset = 0.0, offset = 0.0; // seconds
        bool is = true;
    };
    ui::Teaching now;
    std::vector<Example> examples; // all that were taught
    juce::String refusal;          // why nothing is taught, renamed, forgotten, opened, learnt or undone
    int openings = 0, learns = 0, stops = 0, undos = 0, edited = 0;

  private:
    // The sounds before each edit, or after those that were taken back.
    std::vector<std::vector<ui::TaughtSound>> others_;
    void beginEdit();
    std::vector<ui::TaughtSound>::iterator taught(const juce::String& sound);
};

struct FakeRecordings : ui::RecordingControl {
    ui::RecordingList state() const override { return now; }
    void add(const juce::StringArray& paths) override { added.addArray(paths); }
    void remove(int id) override;
    juce::String analyse(bool again) override;
    void stop() override;
    juce::String writeTable(const juce::File& file) override {
        if (refusal.isEmpty()) tables.add(file);
        return refusal;
    }
    juce::String setResults(int id, const juce::File& folder) override;
    // Lists these recordings and events.
    void list(std::vector<ui::ListedRecording> recordings, ui::ListedEvents events);

    ui::RecordingList now;
    juce::StringArray added;        // all paths
    juce::String refusal;           // why nothing is analysed, or written elsewhere
    juce::Array<juce::File> tables; // all that were asked for
    int analyses = 0, againAnalyses = 0;
};

struct FakeClips : ui::ClipControl {
    ui::ClipProgress state() const override { return now; }
    juce::String cut(const ui::ClipRequest& request) override {
        if (refusal.isEmpty()) asked.push_back(request);
        return refusal;
    }
    void stop() override { ++stops; }
    void prepareDrag(const ui::ClipRequest& request, std::uint64_t stream) override {
        toDrag = request;
        draggedStream = stream;
    }
    ui::DraggedClips dragged() const override { return ready; }

    ui::ClipRequest toDrag; // the last one
    std::uint64_t draggedStream = 0;
    ui::DraggedClips ready;
    ui::ClipProgress now;
    std::vector<ui::ClipRequest> asked; // all that were begun
    juce::String refusal;               // why nothing is cut
    int stops = 0;
};

struct FakeOutputs : ui::OutputControl {
    ui::OutputSettings settings() const override { return now; }
    void set(const ui::OutputSettings& settings) override { now = settings; }
    juce::String problem() const override { return problemNow; }
    juce::String hostToAllow() const override { return asked; }
    void allowHost() override { allowed = std::exchange(asked, {}); }

    ui::OutputSettings now;
    juce::String problemNow;
    juce::String asked, allowed; // hosts
};

struct FakePresets : ui::PresetControl {
    const std::vector<ui::Preset>& own() override { return now; }
    void look() override { ++looks; }
    juce::String save(const ui::Preset& preset) override;
    juce::String rename(const std::string& from, const std::string& name) override;
    juce::String remove(const std::string& name) override;

    std::vector<ui::Preset> now;
    juce::String refusal; // why nothing is saved, renamed or removed
    int looks = 0;
};

struct FakeReviews : ui::ReviewControl {
    ui::Judgements judgements() override { return now; }
    juce::String set(const ui::Judgements& judgements) override {
        if (refusal.isEmpty()) now = judgements;
        return refusal;
    }
    juce::String problem() const override { return unstored; }

    ui::Judgements now = std::make_shared<const std::vector<ui::Judgement>>();
    juce::String refusal; // why nothing is kept
    juce::String unstored;
};

struct FakeShell : ui::ShellControl {
    int zoom() const override { return percent; }
    void setZoom(int chosen) override { percent = chosen; }
    bool hasLog() const override { return hasALog; }
    void showLog() override { ++logShown; }
    void showManual() override { ++manualShown; }
    void reveal(const juce::File& file) override { revealed = file; }
    bool hasAudioSettings() const override { return true; }
    void showAudioSettings() override { ++settingsShown; }
    juce::String audioProblem() const override { return problem; }
    juce::String settingsProblem() const override { return unstored; }
    bool monitorsInput() const override { return monitors; }
    void setMonitorsInput(bool chosen) override { monitors = chosen; }

    int percent = 100;
    int settingsShown = 0;
    int logShown = 0;
    juce::File revealed;
    int manualShown = 0;
    bool hasALog = true;
    juce::String problem, unstored;
    bool monitors = false;
};

class FakeController : public ui::Controller {
  public:
    explicit FakeController(std::vector<std::string> labels, double secondsPerColumn = 0.32);
    ~FakeController() override;

    FakePlayback& playback() override { return playback_; }
    FakeModel& model() override { return model_; }
    FakeWords& words() override { return words_; }
    FakeTeaching& teaching() override { return teaching_; }
    FakeRecordings& recordings() override { return recordings_; }
    FakeClips& clips() override { return clips_; }
    FakeOutputs& outputs() override { return outputs_; }
    FakePresets& presets() override { return presets_; }
    FakeReviews& reviews() override { return reviews_; }
    FakeShell& shell() override { return shell_; }
    ui::HistoryViewModel& viewModel() override { return viewModel_; }
    juce::AudioProcessorValueTreeState& parameters() override;
    ui::ViewState& view() override { return view_; }
    detection::RuleChoice rules(const detection::Labels& labels, double secondsPerColumn) const override;

    // Gives the live source the lanes of the words, as the program does once they are embedded.
    void embedWords() { live.setWords(words_.now.words); }

    FakeSource live;

  private:
    struct Processor; // holds the parameters
    FakePlayback playback_{live};
    FakeModel model_;
    FakeWords words_{live};
    FakeTeaching teaching_;
    FakeRecordings recordings_;
    FakeClips clips_;
    FakeOutputs outputs_;
    FakePresets presets_;
    FakeReviews reviews_;
    FakeShell shell_;
    std::unique_ptr<Processor> processor_;
    ui::ViewState view_;
    ui::HistoryViewModel viewModel_{*this};
};

} // namespace earshot::test
