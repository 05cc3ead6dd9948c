// EarshotProcessor: what the views ask for.
#include "Plugin/EarshotProcessor.h"

#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <exception>

namespace earshot::plugin {

streaming::Source& EarshotProcessor::source() {
    if (recording_ != nullptr) return *recording_;
    return session_;
}

detection::RuleChoice EarshotProcessor::rules(const detection::Labels& labels) const {
    detection::RuleChoice choice = parameters_.rules();
    for (const auto& [name, threshold] : view_.get().classThresholds)
        if (const auto classIndex = labels.find(name)) choice.classThresholds[*classIndex] = threshold;
    return choice;
}

void EarshotProcessor::setOutputs(const ui::OutputSettings& settings) {
    outputs_.set(settings);
    projectChanged();
}

void EarshotProcessor::openRecording(const juce::File& file) {
    recordingFile_ = file;
    startRecording();
    if (player_ == nullptr || recording_ == nullptr) return;
    try {
        player_->open(recording_->recording());
    } catch (const std::exception&) {
        player_->close(); // the recording's own status says why it cannot be read
    }
}

// As the command line does it: the hop is for live streams, and nothing waits for the cores that the app
// takes.
streaming::SessionSettings EarshotProcessor::recordingSettings() const {
    constexpr int mostThreads = 4;
    return {.mode = parameters_.sessionSettings().mode,
            .hopTokens = 0,
            .threads = isApp() ? std::min(mostThreads, tensor::availableCores()) : 1};
}

void EarshotProcessor::startRecording() {
    try {
        recordingSettings_ = recordingSettings();
        auto recording = std::make_unique<streaming::FileSession>(
            recordingFile_.getFullPathName().toStdString(), currentLoader(), recordingSettings_);
        ++sourceId_; // before the old one goes: nobody may look at it again
        recording_ = std::move(recording);
    } catch (const std::exception&) {
        closeRecording();
    }
}

void EarshotProcessor::cancelRecording() {
    if (recording_ != nullptr) recording_->cancel();
}

void EarshotProcessor::closeRecording() {
    if (player_ != nullptr) player_->close();
    recordingFile_ = juce::File();
    if (recording_ == nullptr) return;
    ++sourceId_;
    recording_.reset();
}

void EarshotProcessor::showAudioSettings() {
    if (showAudioSettings_) showAudioSettings_();
}

void EarshotProcessor::setMonitorsInput(bool monitors) { monitorsInput_ = monitors; }

} // namespace earshot::plugin
