// EarshotProcessor: what the views ask for.
#include "Plugin/EarshotProcessor.h"

#include "Core/Tensor/Threads.h"
#include "Ui/Guarded.h"

#include <algorithm>
#include <memory>

namespace earshot::plugin {

using ui::guarded;

streaming::Source& EarshotProcessor::source() {
    if (recording_ != nullptr) return *recording_;
    return session_;
}

detection::RuleChoice EarshotProcessor::rules(const detection::Labels& labels) const {
    return parameters_.rules(labels);
}

void EarshotProcessor::setOutputs(const ui::OutputSettings& settings) {
    guarded([&] {
        // Whoever turns it on or names a host in the settings wants it sent there.
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

void EarshotProcessor::openRecording(const juce::File& file) {
    recordingFile_ = file;
    startRecording();
    startTimerHz(watchHertz); // mode follows the parameter, whether or not the host runs
    if (player_ == nullptr || recording_ == nullptr) return;
    // The recording's own status says why it cannot be read.
    if (!guarded([this] { player_->open(recording_->recording()); })) guarded([this] { player_->close(); });
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
    const bool begun = guarded([this] {
        recordingSettings_ = recordingSettings();
        auto recording = std::make_unique<streaming::FileSession>(
            recordingFile_.getFullPathName().toStdString(), currentLoader(), recordingSettings_);
        ++sourceId_; // before the old one goes: nobody may look at it again
        recording_ = std::move(recording);
    });
    if (!begun) closeRecording();
}

void EarshotProcessor::cancelRecording() {
    if (recording_ != nullptr) recording_->cancel();
}

void EarshotProcessor::closeRecording() {
    if (player_ != nullptr) guarded([this] { player_->close(); });
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
