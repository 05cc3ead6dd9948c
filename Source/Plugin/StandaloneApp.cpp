// The desktop app: `earshot-app [RECORDING]`. Remembers its window, its audio device and what was set.
#include "Plugin/AppAudio.h"
#include "Plugin/AppWindow.h"
#include "Plugin/EarshotProcessor.h"
#include "Plugin/StateText.h"

#include <juce_gui_extra/juce_gui_extra.h>

#include <cstdio>
#include <memory>

namespace earshot::plugin {

namespace {

constexpr const char* usage =
    "Usage: earshot-app [RECORDING]\n"
    "Listens to the audio input and says what is sounding, and when; a recording is\n"
    "analysed and can be played.\n"
    "  --help     this text\n"
    "  --version  the version\n";
constexpr const char* stateKey = "state";
constexpr int usageError = 2;

juce::PropertiesFile::Options settingsPlace() {
    juce::PropertiesFile::Options options;
    options.applicationName = "Earshot";
    options.filenameSuffix = ".settings";
    options.osxLibrarySubFolder = "Application Support";
#if JUCE_LINUX || JUCE_BSD
    options.folderName = juce::File::getSpecialLocation(juce::File::userApplicationDataDirectory)
                             .getChildFile("Earshot")
                             .getFullPathName();
#else
    options.folderName = "Earshot";
#endif
    return options;
}

} // namespace

class StandaloneApp : public juce::JUCEApplication {
  public:
    const juce::String getApplicationName() override { return "Earshot"; }
    const juce::String getApplicationVersion() override { return EARSHOT_VERSION; }
    bool moreThanOneInstanceAllowed() override { return true; }

    void initialise(const juce::String&) override {
        if (!readArguments()) return;
        if (juce::Desktop::getInstance().getDisplays().displays.isEmpty()) {
            fail("earshot-app: there is no screen to open a window on; `earshot analyze FILE` needs none", 1);
            return;
        }
        settings_ = std::make_unique<juce::PropertiesFile>(settingsPlace());
        juce::AudioProcessor::setTypeOfNextNewPlugin(juce::AudioProcessor::wrapperType_Standalone);
        processor_ = std::make_unique<EarshotProcessor>();
        juce::AudioProcessor::setTypeOfNextNewPlugin(juce::AudioProcessor::wrapperType_Undefined);
        juce::MemoryBlock state;
        const juce::String kept = settings_->getValue(stateKey);
        if (isStateText(kept.toStdString()) && state.fromBase64Encoding(kept))
            processor_->setStateInformation(state.getData(), static_cast<int>(state.getSize()));
        processor_->setAudioSettings([this] { audio_->showSettings(processor_->view().get().theme); });
        audio_ = std::make_unique<AppAudio>(*processor_, *settings_);
        window_ = std::make_unique<AppWindow>(*processor_, *settings_);
        if (recording_ != juce::File()) processor_->openRecording(recording_);
    }

    void shutdown() override {
        window_.reset();
        audio_.reset();
        if (processor_ != nullptr) {
            juce::MemoryBlock state;
            processor_->getStateInformation(state);
            settings_->setValue(stateKey, state.toBase64Encoding());
            settings_->saveIfNeeded();
        }
        processor_.reset();
    }

    void systemRequestedQuit() override { quit(); }

  private:
    // False when there is no more to do.
    bool readArguments() {
        for (const juce::String& argument : getCommandLineParameterArray()) {
            if (argument == "--help" || argument == "-h") {
                std::fputs(usage, stdout);
                quit();
                return false;
            }
            if (argument == "--version") {
                std::printf("Earshot %s\n", EARSHOT_VERSION);
                quit();
                return false;
            }
            if (argument.startsWithChar('-')) {
                fail("earshot-app: " + argument + " is not an option; see --help", usageError);
                return false;
            }
            if (recording_ != juce::File()) {
                fail("earshot-app: one recording at a time; see --help", usageError);
                return false;
            }
            recording_ = juce::File::getCurrentWorkingDirectory().getChildFile(argument);
            if (!recording_.existsAsFile()) {
                fail("earshot-app: " + argument + ": no such file; check the name", usageError);
                return false;
            }
        }
        return true;
    }

    void fail(const juce::String& message, int code) {
        std::fprintf(stderr, "%s\n", message.toRawUTF8());
        setApplicationReturnValue(code);
        quit();
    }

    juce::File recording_;
    std::unique_ptr<juce::PropertiesFile> settings_;
    std::unique_ptr<EarshotProcessor> processor_;
    std::unique_ptr<AppAudio> audio_;
    std::unique_ptr<AppWindow> window_;
};

} // namespace earshot::plugin

JUCE_CREATE_APPLICATION_DEFINE(earshot::plugin::StandaloneApp)
