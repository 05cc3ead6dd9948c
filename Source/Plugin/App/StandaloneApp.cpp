// The desktop app: `earshot-app [RECORDING | FOLDER]...`. It stores the position of its desktop frame, its
// audio device and the plugin's state, a few seconds after each change and at the end. Message thread.
#include "Core/Audio/ExternalDecoder.h"
#include "Core/Base/Platform/System.h"
#include "Core/Base/Version.h"
#include "Plugin/App/AppSettings.h"
#include "Plugin/App/InputWatch.h"
#include "Plugin/EarshotEditor.h"
#include "Plugin/EarshotProcessor.h"
#include "Plugin/Window/WindowPlace.h"
#include "Ui/CatchAll.h"
#include "Ui/MainView.h"
#include "Ui/Theme.h"

#include <juce_audio_utils/juce_audio_utils.h>
#include <juce_gui_extra/juce_gui_extra.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace earshot::plugin {

namespace {

// Set by a signal to end, as at the end of a desktop session. The app polls it.
volatile std::sig_atomic_t endFlag = 0;
constexpr int endPolls = 5; // a second
constexpr int maxQuitPolls = 10 * endPolls;

constexpr const char* usage =
    "Usage: earshot-app [RECORDING | FOLDER]...\n"
    "Listens to the audio input and says what is sounding, and when; a recording is\n"
    "analysed and can be played; several, or folders of them, are listed.\n"
    "  --help     this text\n"
    "  --version  the version\n";
constexpr const char* audioKey = "audioSetup";
constexpr const char* placeKey = "windowPlace"; // "x y"
constexpr const char* ffmpegKey = "ffmpeg";     // empty: no
constexpr int channels = 2;
constexpr int usageError = 2;

// Counts the blocks that the device gives.
class WatchedPlayer : public juce::AudioProcessorPlayer {
  public:
    InputWatch watch;

    void audioDeviceIOCallbackWithContext(const float* const* input, int inputs, float* const* output,
                                          int outputs, int samples,
                                          const juce::AudioIODeviceCallbackContext& context) override {
        watch.blockCame();
        juce::AudioProcessorPlayer::audioDeviceIOCallbackWithContext(input, inputs, output, outputs, samples,
                                                                     context);
    }
};

// Runs the processor on the chosen audio device, sends its notes to the chosen MIDI port, and stores both
// choices. A device that gives no blocks any more is closed, and opened again when it is there. Message
// thread.
class AppAudio : private juce::ChangeListener {
  public:
    AppAudio(EarshotProcessor& processor, AppSettings& settings)
        : processor_(processor)
        , settings_(settings) {
        const std::unique_ptr<juce::XmlElement> saved = juce::parseXML(settings_.get(audioKey));
        reason_ = devices_->initialise(channels, channels, saved.get(), true);
        devices_->addAudioCallback(&player_);
        player_.setProcessor(&processor);
        sendTo(devices_->getDefaultMidiOutput());
        devices_->addChangeListener(this);
        rememberDevice();
    }

    ~AppAudio() override {
        if (dialog_ != nullptr) delete dialog_.getComponent();
        devices_->removeChangeListener(this);
        player_.setProcessor(nullptr);
        sendTo(nullptr);
        devices_->removeAudioCallback(&player_);
        devices_->closeAudioDevice();
    }

    // Called a few times a second.
    void poll() {
        const double now = juce::Time::getMillisecondCounterHiRes() / 1000.0;
        switch (player_.watch.poll(isOpen(), now)) {
        case InputWatch::Change::gone:
            goneAt_ = juce::Time::getCurrentTime();
            note("no audio from " + device_.label() + "; waiting for it");
            letGo();
            break;
        case InputWatch::Change::open:
            openAgain();
            break;
        case InputWatch::Change::back:
            note(device_.label() + " is back, after " +
                 juce::String((juce::Time::getCurrentTime() - goneAt_).inSeconds(), 0) + " s without audio");
            break;
        case InputWatch::Change::none:
            break;
        }
    }

    // A sentence while no device is open or it gives nothing, else empty.
    juce::String problem() const {
        if (player_.watch.isGone())
            return "The audio input stopped: no audio from " + device_.label() + " since " +
                   goneAt_.toString(false, true, true, true) +
                   ". It is reopened as soon as it is available; choose another one in Settings > "
                   "Audio "
                   "settings";
        if (auto* device = devices_->getCurrentAudioDevice(); device != nullptr && device->isOpen())
            return {};
        const auto reason = juce::StringArray::fromTokens(reason_, "\r\n", "").joinIntoString(" ").trim();
        return "No audio device is open" + (reason.isEmpty() ? juce::String() : " (" + reason + ")") +
               ": choose one in Settings > Audio settings";
    }

    // Opens a dialog with devices, rates and ports, or brings an open dialog to the front.
    void showSettings(ui::ThemeChoice theme) {
        if (dialog_ != nullptr) {
            dialog_->toFront(true);
            return;
        }
        theme_ = std::make_unique<ui::Theme>(theme);
        auto content = std::make_unique<juce::AudioDeviceSelectorComponent>(
            *devices_, 0, channels, 0, channels, false, true, true, false);
        content->setLookAndFeel(theme_.get());
        content->setSize(520, 460);
        juce::DialogWindow::LaunchOptions options;
        options.content.setOwned(content.release());
        options.dialogTitle = "Audio settings";
        options.dialogBackgroundColour = theme_->palette().background;
        options.useNativeTitleBar = true;
        options.resizable = true;
        dialog_ = options.launchAsync();
    }

  private:
    // The device that is watched: what it takes to open it again.
    struct Device {
        juce::String type;
        juce::AudioDeviceManager::AudioDeviceSetup setup;
        bool usualInput = false, usualOutput = false; // whether it is its type's default device

        juce::String label() const {
            const auto& name =
                setup.inputDeviceName.isEmpty() ? setup.outputDeviceName : setup.inputDeviceName;
            return name + " (" + type + ")";
        }
    };

    bool isOpen() const {
        auto* const device = devices_->getCurrentAudioDevice();
        return device != nullptr && device->isOpen();
    }

    void rememberDevice() {
        if (isOpen()) {
            device_ = {devices_->getCurrentAudioDeviceType(), devices_->getAudioDeviceSetup()};
            if (auto* type = devices_->getCurrentDeviceTypeObject()) {
                device_.usualInput = usualDevice(*type, true) == device_.setup.inputDeviceName;
                device_.usualOutput = usualDevice(*type, false) == device_.setup.outputDeviceName;
            }
        } else if (!player_.watch.isGone() && devices_->getCurrentAudioDevice() == nullptr) {
            player_.watch.forget(); // the user chose none
        }
    }

    // A device that is open but gives nothing may never come back from its driver, and closing it then ends
    // the program (ALSA's plugin for JACK). It is left as it is, with the manager that owns it.
    void letGo() {
        if (!isOpen() || devices_->getCurrentAudioDevice()->getLastError().isNotEmpty()) {
            devices_->closeAudioDevice();
            return;
        }
        if (dialog_ != nullptr) delete dialog_.getComponent();
        beginAgain(true);
    }

    // A new manager, which has found the devices of now (JUCE's ALSA type lists its devices once) and opened
    // none. The former one stays as it is, or goes before the new one comes: with it goes what keeps ALSA
    // silent.
    void beginAgain(bool formerStays) {
        sendTo(nullptr);
        const juce::String midi = devices_->getDefaultMidiOutputIdentifier();
        devices_->removeChangeListener(this);
        devices_->removeAudioCallback(&player_);
        if (formerStays) static_cast<void>(devices_.release());
        devices_.reset();
        devices_ = std::make_unique<juce::AudioDeviceManager>();
        devices_->addAudioCallback(&player_);
        devices_->initialise(0, 0, nullptr, false);
        devices_->setDefaultMidiOutputDevice(midi);
        devices_->addChangeListener(this);
    }

    void openAgain() {
        if (isOpen()) letGo();                     // it was opened and gave nothing
        if (dialog_ == nullptr) beginAgain(false); // an open dialog shows the devices of its manager
        if (devices_->getCurrentAudioDeviceType() != device_.type)
            devices_->setCurrentAudioDeviceType(device_.type, false);
        auto* const type = devices_->getCurrentDeviceTypeObject();
        if (type == nullptr || type->getTypeName() != device_.type) return;
        auto setup = device_.setup; // with the channels that were open
        setup.useDefaultInputChannels = setup.useDefaultOutputChannels = false;
        // The default device's name follows from its server (ALSA over PulseAudio).
        if (device_.usualInput && !type->getDeviceNames(true).contains(setup.inputDeviceName))
            setup.inputDeviceName = usualDevice(*type, true);
        if (device_.usualOutput && !type->getDeviceNames(false).contains(setup.outputDeviceName))
            setup.outputDeviceName = usualDevice(*type, false);
        devices_->setAudioDeviceSetup(setup, false);
    }

    static juce::String usualDevice(juce::AudioIODeviceType& type, bool input) {
        return type.getDeviceNames(input)[type.getDefaultDeviceIndex(input)];
    }

    void note(const juce::String& text) { processor_.outputs().logNote(text.toStdString()); }

    void changeListenerCallback(juce::ChangeBroadcaster*) override {
        if (devices_->getCurrentAudioDevice() != nullptr) reason_.clear();
        rememberDevice();
        sendTo(devices_->getDefaultMidiOutput());
        if (const auto setup = devices_->createStateXml())
            settings_.set(audioKey,
                          setup->toString(juce::XmlElement::TextFormat().singleLine().withoutHeader()));
    }

    // Ends the notes on the former port, which JUCE closes after the change, and where no device plays on.
    void sendTo(juce::MidiOutput* port) {
        const bool plays = devices_->getCurrentAudioDevice() != nullptr;
        if (port == port_ && plays) return;
        player_.setMidiOutput(nullptr); // no block is being sent from here on
        if (port_ != nullptr) {
            juce::MidiBuffer ends;
            processor_.endNotes(ends);
            port_->sendBlockOfMessagesNow(ends);
        }
        port_ = port;
        player_.setMidiOutput(port_);
    }

    EarshotProcessor& processor_;
    AppSettings& settings_;
    std::unique_ptr<juce::AudioDeviceManager> devices_ = std::make_unique<juce::AudioDeviceManager>();
    WatchedPlayer player_;
    Device device_;
    juce::Time goneAt_;
    juce::MidiOutput* port_ = nullptr; // the notes go there; null: nowhere
    juce::String reason_;              // why none was opened at the start; may be empty
    std::unique_ptr<ui::Theme> theme_; // the dialog's
    juce::Component::SafePointer<juce::DialogWindow> dialog_;
};

// The desktop frame around the plugin's editor, at the position where the user left it. Message thread.
class AppFrame : public juce::DocumentWindow {
  public:
    AppFrame(juce::AudioProcessor& processor, AppSettings& settings)
        : juce::DocumentWindow("Earshot", juce::Colours::black, juce::DocumentWindow::allButtons)
        , processor_(processor)
        , settings_(settings) {
        setUsingNativeTitleBar(true);
        if (auto* editor = processor.createEditorIfNeeded()) setContentOwned(editor, true);
        setResizable(true, false);
        if (auto* editor = processor.getActiveEditor()) setConstrainer(editor->getConstrainer());
        const auto place = juce::StringArray::fromTokens(settings.get(placeKey), false);
        const auto& displays = juce::Desktop::getInstance().getDisplays();
        std::optional<juce::Point<int>> position;
        if (place.size() == 2) position = {place[0].getIntValue(), place[1].getIntValue()};
        // Not where its screen is gone.
        const auto top = juce::Rectangle<int>(getWidth(), 40);
        if (position && !displays.getRectangleList(true).intersectsRectangle(top + *position))
            position.reset();
        const auto* display =
            position ? displays.getDisplayForPoint(*position) : displays.getPrimaryDisplay();
        if (display != nullptr)
            setBounds(windowPlace({getWidth(), getHeight()}, position, display->userArea, titleBarHeight));
        placed_ = true;
        setVisible(true);
    }

    ~AppFrame() override {
        savePlace();
        if (auto* editor = processor_.getActiveEditor()) processor_.editorBeingDeleted(editor);
        setConstrainer(nullptr);
        clearContentComponent();
    }

    void closeButtonPressed() override { juce::JUCEApplicationBase::getInstance()->systemRequestedQuit(); }

    void moved() override {
        juce::DocumentWindow::moved();
        if (placed_) savePlace();
    }

  private:
    static constexpr int titleBarHeight = 32; // about that of most systems, in logical pixels

    void savePlace() {
        if (isFullScreen() || isMinimised()) return;
        auto place = getPosition();
#if JUCE_LINUX
        // Under X11 a window without a frame yet is placed by the frame, and tells the place of what is in
        // it.
        if (const auto* peer = getPeer())
            if (const auto frame = peer->getFrameSizeIfPresent())
                place -= {frame->getLeft(), frame->getTop()};
#endif
        settings_.set(placeKey, juce::String(place.x) + " " + juce::String(place.y));
    }

    juce::AudioProcessor& processor_;
    AppSettings& settings_;
    bool placed_ = false; // the first position is set: later positions are the user's and are stored
};

} // namespace

class StandaloneApp : public juce::JUCEApplication, private juce::Timer {
  public:
    const juce::String getApplicationName() override { return "Earshot"; }
    const juce::String getApplicationVersion() override { return std::string(version()); }
    bool moreThanOneInstanceAllowed() override { return true; }

    void initialise(const juce::String&) override {
        if (!readArguments()) return;
        if (juce::Desktop::getInstance().getDisplays().displays.isEmpty()) {
            fail("earshot-app: there is no display to open a window on; `earshot analyze FILE` needs none",
                 1);
            return;
        }
        settings_ = std::make_unique<AppSettings>(AppSettings::usualFile());
        audio::decodeWithFfmpeg(settings_->get(ffmpegKey).isNotEmpty());
        juce::AudioProcessor::setTypeOfNextNewPlugin(juce::AudioProcessor::wrapperType_Standalone);
        processor_ = std::make_unique<EarshotProcessor>();
        juce::AudioProcessor::setTypeOfNextNewPlugin(juce::AudioProcessor::wrapperType_Undefined);
        const std::string state = settings_->storedState();
        processor_->setStateInformation(state.data(), static_cast<int>(state.size()));
        settings_->begin(processor_->state());
        processor_->shell().audioSettings = [this] { audio_->showSettings(processor_->view().get().theme); };
        processor_->shell().audioProblems = [this] { return audio_->problem(); };
        processor_->shell().settingsProblems = [this] { return settings_->problem(); };
        audio_ = std::make_unique<AppAudio>(*processor_, *settings_);
        frame_ = std::make_unique<AppFrame>(*processor_, *settings_);
        openGiven();
        platform::catchInterrupts([] { endFlag = 1; });
        startTimerHz(endPolls);
    }

    void shutdown() override {
        stopTimer();
        frame_.reset();
        audio_.reset();
        if (processor_ != nullptr)
            ui::catchAll([this] {
                settings_->set(processor_->state());
                settings_->set(ffmpegKey, audio::decodesWithFfmpeg() ? "yes" : "");
                settings_->store();
            });
        processor_.reset();
    }

    // A batch gets some time to end, without its window: what it computes must not outlive the program.
    void systemRequestedQuit() override {
        if (quitPolls_ == 0) {
            frame_->setVisible(false);
            processor_->recordings().stop();
        }
        if (!processor_->recordings().running() || ++quitPolls_ > maxQuitPolls) quit();
    }

  private:
    void timerCallback() override {
        if (endFlag != 0 || quitPolls_ > 0) systemRequestedQuit();
        ui::catchAll([this] { audio_->poll(); });
        if (++polls_ % endPolls != 0) return;
        ui::catchAll([this] {
            settings_->set(processor_->state());
            settings_->set(ffmpegKey, audio::decodesWithFfmpeg() ? "yes" : "");
            settings_->follow();
        });
    }

    // Returns false if the app is to quit.
    bool readArguments() {
        for (const juce::String& argument : getCommandLineParameterArray()) {
            if (argument == "--help" || argument == "-h") {
                std::fputs(usage, stdout);
                quit();
                return false;
            }
            if (argument == "--version") {
                std::printf("Earshot %s\n", std::string(versionAndCommit()).c_str());
                quit();
                return false;
            }
            if (argument.startsWithChar('-')) {
                fail("earshot-app: " + argument + " is not an option; see --help", usageError);
                return false;
            }
            const auto file = juce::File::getCurrentWorkingDirectory().getChildFile(argument);
            if (!file.exists()) {
                fail("earshot-app: " + argument + ": no such file or folder; check the name", usageError);
                return false;
            }
            given_.add(file.getFullPathName());
        }
        return true;
    }

    // One recording is opened and listed. Of several, or of a folder, the list is shown.
    void openGiven() {
        if (given_.isEmpty()) return;
        processor_->recordings().add(given_);
        if (const juce::File file(given_[0]); given_.size() == 1 && file.existsAsFile())
            processor_->playback().open(file);
        else if (auto* editor = dynamic_cast<EarshotEditor*>(processor_->getActiveEditor()))
            editor->view().showRecordings();
    }

    void fail(const juce::String& message, int code) {
        std::fprintf(stderr, "%s\n", message.toRawUTF8());
        setApplicationReturnValue(code);
        quit();
    }

    int polls_ = 0;
    int quitPolls_ = 0;       // since the user closed the program
    juce::StringArray given_; // paths of recordings and folders
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<EarshotProcessor> processor_;
    std::unique_ptr<AppAudio> audio_;
    std::unique_ptr<AppFrame> frame_;
};

} // namespace earshot::plugin

JUCE_CREATE_APPLICATION_DEFINE(earshot::plugin::StandaloneApp)
