// EarshotProcessor's implementation of ui::Controller, except models.
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

detection::RuleChoice EarshotProcessor::rules(const detection::Labels& labels,
                                              double secondsPerColumn) const {
    return parameters_.rules(labels, secondsPerColumn);
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

void EarshotProcessor::openRecording(const juce::File& file) {
    recordingFile_ = file;
    startRecording();
    startTimerHz(watchHertz); // makes the mode follow its parameter even while the session does not run
    if (player_ == nullptr || recording_ == nullptr) return;
    // If this fails, the recording's own status shows the reason.
    if (!guarded([this] { player_->open(recording_->recording()); })) guarded([this] { player_->close(); });
}

// The hop is the recordings' usual one, as on the command line; the hop parameter is for live streams. The
// app uses several threads, because no host needs the cores.
streaming::SessionSettings EarshotProcessor::recordingSettings() const {
    constexpr int mostThreads = 4;
    return {.mode = parameters_.sessionSettings().mode,
            .hopSeconds = 0.0,
            .threads = isApp() ? std::min(mostThreads, tensor::availableCores()) : 1};
}

void EarshotProcessor::startRecording() {
    const bool begun = guarded([this] {
        recordingSettings_ = recordingSettings();
        auto recording = std::make_unique<streaming::FileSession>(
            recordingFile_.getFullPathName().toStdString(), currentLoader(), recordingSettings_);
        ++sourceId_; // changes before the old recording is destroyed, so that no view reads it again
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
