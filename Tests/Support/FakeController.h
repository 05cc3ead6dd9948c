// A stand-in for the program around the views: parameters, view state, and a source whose columns the test
// writes. Message thread.
#pragma once

#include "Core/Detection/Events/Boxes.h"
#include "Ui/Controller.h"
#include "Ui/Watcher.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::test {

// A source with columns and frames from the test.
class FakeSource : public streaming::Source {
  public:
    explicit FakeSource(std::vector<std::string> labels, double secondsPerColumn = 0.32);

    // probabilities: (classes) of the next column. The newest `unsettled` columns are open.
    void addColumn(const std::vector<float>& probabilities, int unsettled = 4);
    // A scene for screenshots: sounds that come and go, with a spectrogram of their harmonics.
    void addScene(double seconds, unsigned seed = 1);

    // Gives the model confidences. Views notice it when they are shown another source.
    void setBoxes(const detection::BoxScorer& boxes);
    void finish(); // the recording ends with its last column
    // Another stream begins, and has heard the same.
    void beginStream() {
        ++stream_;
        ++generation_;
    }

    // Gives the source these words beside its classes, or none. What was heard of a word stays with its id.
    void setWords(const std::vector<ui::Word>& words);

    // Copies all that the other source has heard.
    void copyOf(const FakeSource& other);

    // Of a channel of the same recording.
    void shareLabels(FakeSource& other) const { other.labels_ = labels_; }

    bool isNamed(const std::string& name) const; // whether a class of the model has this name

    streaming::Status status() const override { return statusNow; }
    const Source& channel(std::size_t index) const override {
        return index == 0 ? *this : *others[index - 1];
    }
    bool copySince(streaming::History& copy) const override;

    streaming::Status statusNow;
    std::vector<std::unique_ptr<FakeSource>>
        others; // of the channels behind the first; name them in statusNow
    streaming::TimeMap times;

  private:
    std::shared_ptr<const detection::Labels> classes_; // without words
    std::shared_ptr<const detection::Labels> labels_;
    std::vector<int> wordIds_;
    std::uint64_t generation_ = 1;
    std::uint64_t stream_ = 1;
    double secondsPerColumn_;
    std::vector<std::vector<float>> columns_;
    std::int64_t settled_ = 0;
    std::optional<double> duration_;
    streaming::SpectrogramHistory spectrogram_;
};

class FakeController : public ui::Controller {
  public:
    explicit FakeController(std::vector<std::string> labels, double secondsPerColumn = 0.32);
    ~FakeController() override;

    FakeSource live;
    std::unique_ptr<FakeSource> recorded; // shown while a recording is open; if null, `live` stays

    streaming::Source& source() override {
        return recorded != nullptr && showsRecording() ? *recorded : live;
    }
    std::uint64_t sourceId() const override { return sourceIdNow; }
    ui::Watcher& watcher() override { return watcher_; }
    juce::AudioProcessorValueTreeState& parameters() override;
    ui::ViewState& view() override { return view_; }
    detection::RuleChoice rules(const detection::Labels& labels, double secondsPerColumn) const override;
    void loadModel(const juce::File& file) override { loadedModel = file; }
    void loadDefaultModel() override { loadedModel = juce::File(); }
    juce::Array<juce::File> recentModels() const override { return recent; }
    ui::Words words() const override { return wordsNow; }
    juce::String addWord(const juce::String& given) override;
    juce::String renameWord(int id, const juce::String& name) override;
    void moveWord(int id, int places) override;
    void removeWord(int id) override;
    void setWordsJoin(bool join) override { wordsNow.joins = join; }
    // Gives the live source the lanes of the words, as the program does once they are embedded.
    void embedWords() { live.setWords(wordsNow.words); }
    ui::Teaching teaching() const override { return teachingNow; }
    // Counts the example, unless `refusal` says why not.
    juce::String teach(const juce::String& sound, std::uint64_t stream, double onset, double offset,
                       bool is) override;
    juce::String renameTaught(const juce::String& sound, const juce::String& name) override;
    juce::String forgetTaught(const juce::String& sound) override;
    juce::String openCollection(const juce::File& folder) override;
    juce::String addExamples(const juce::File& folder) override;
    juce::String learn() override;
    void stopLearning() override;
    juce::String undoLearning() override;
    void setKeepsAudio(bool keeps) override { teachingNow.keepsAudio = keeps; }
    void openTeaching() override { ++teachingOpened; }
    ui::OutputSettings outputs() const override { return outputs_; }
    void setOutputs(const ui::OutputSettings& settings) override { outputs_ = settings; }
    juce::String outputsProblem() const override { return problem; }
    juce::String hostToAllow() const override { return askedHost; }
    void allowHost() override { allowedHost = std::exchange(askedHost, {}); }
    ui::RecordingList recordings() const override { return recordingsNow; }
    void addRecordings(const juce::StringArray& paths) override { addedRecordings.addArray(paths); }
    void removeRecording(int id) override;
    juce::String analyseRecordings(bool again) override;
    void stopRecordings() override;
    juce::String setResults(int id, const juce::File& folder) override;
    // Lists these recordings and events.
    void list(std::vector<ui::ListedRecording> recordings, ui::ListedEvents events);
    void openRecording(const juce::File& file) override {
        openedRecording = file;
        bounceShown = false;
        ++sourceIdNow;
    }
    void cancelRecording() override { ++cancels; }
    void closeRecording() override {
        openedRecording = juce::File();
        bounceShown = false;
        ++sourceIdNow;
    }
    bool showsRecording() const override { return openedRecording != juce::File() || bounceShown; }
    juce::File recording() const override { return openedRecording; }
    bool hasBounce() const override { return bounced; }
    void showBounce() override {
        closeRecording();
        bounceShown = true;
    }
    streaming::FilePlayer* player() override { return filePlayer; }
    int zoom() const override { return zoomNow; }
    void setZoom(int percent) override { zoomNow = percent; }
    bool hasAudioSettings() const override { return true; }
    void showAudioSettings() override { ++audioSettingsShown; }
    juce::String audioProblem() const override { return audioProblemNow; }
    bool monitorsInput() const override { return monitors_; }
    void setMonitorsInput(bool monitors) override { monitors_ = monitors; }

    juce::File loadedModel;
    juce::File openedRecording;
    bool bounced = false, bounceShown = false; // there is a last bounce; it is shown, from `recorded`
    juce::Array<juce::File> recent;
    juce::String problem; // of the outputs
    juce::String audioProblemNow;
    ui::Words wordsNow;
    int teachingOpened = 0;
    struct Example {
        juce::String sound;
        std::uint64_t stream = 0;
        double onset = 0.0, offset = 0.0; // seconds
        bool is = true;
    };
    ui::Teaching teachingNow;
    std::vector<Example> examples; // all that were taught
    juce::String refusal; // why nothing is taught, renamed, forgotten, opened, learnt, undone or analysed
    int learns = 0, stops = 0, undos = 0;
    ui::RecordingList recordingsNow;
    juce::StringArray addedRecordings; // all paths
    int analyses = 0, againAnalyses = 0;
    juce::String askedHost;
    juce::String allowedHost;
    streaming::FilePlayer* filePlayer = nullptr;
    std::uint64_t sourceIdNow = 1;
    int cancels = 0;
    int zoomNow = 100; // percent
    int audioSettingsShown = 0;

  private:
    bool isNamed(const std::string& name) const; // a word or a class of the model
    std::vector<ui::TaughtSound>::iterator taught(const juce::String& sound);
    struct Processor; // holds the parameters
    std::unique_ptr<Processor> processor_;
    ui::ViewState view_;
    ui::Watcher watcher_{*this};
    ui::OutputSettings outputs_;
    bool monitors_ = false;
    int lastWordId_ = 0;
};

} // namespace earshot::test
