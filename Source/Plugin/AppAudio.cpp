#include "Plugin/AppAudio.h"

#include <utility>

namespace earshot::plugin {

namespace {

constexpr const char* audioKey = "audioSetup";
constexpr int channels = 2;

} // namespace

AppAudio::AppAudio(juce::AudioProcessor& processor, juce::PropertiesFile& settings)
    : settings_(settings) {
    const std::unique_ptr<juce::XmlElement> saved = settings_.getXmlValue(audioKey);
    devices_.initialise(channels, channels, saved.get(), true);
    devices_.addAudioCallback(&player_);
    player_.setProcessor(&processor);
    player_.setMidiOutput(devices_.getDefaultMidiOutput());
    devices_.addChangeListener(this);
}

AppAudio::~AppAudio() {
    if (window_ != nullptr) delete window_.getComponent();
    devices_.removeChangeListener(this);
    player_.setMidiOutput(nullptr);
    player_.setProcessor(nullptr);
    devices_.removeAudioCallback(&player_);
    devices_.closeAudioDevice();
}

void AppAudio::changeListenerCallback(juce::ChangeBroadcaster*) {
    player_.setMidiOutput(devices_.getDefaultMidiOutput());
    if (const auto setup = devices_.createStateXml()) {
        settings_.setValue(audioKey, setup.get());
        settings_.saveIfNeeded();
    }
}

void AppAudio::showSettings(ui::ThemeChoice theme) {
    if (window_ != nullptr) {
        window_->toFront(true);
        return;
    }
    theme_ = std::make_unique<ui::Theme>(theme);
    auto content = std::make_unique<juce::AudioDeviceSelectorComponent>(devices_, 0, channels, 0, channels,
                                                                        false, true, true, false);
    content->setLookAndFeel(theme_.get());
    content->setSize(520, 460);
    juce::DialogWindow::LaunchOptions options;
    options.content.setOwned(content.release());
    options.dialogTitle = "Audio settings";
    options.dialogBackgroundColour = theme_->palette().background;
    options.useNativeTitleBar = true;
    options.resizable = true;
    window_ = options.launchAsync();
}

} // namespace earshot::plugin
