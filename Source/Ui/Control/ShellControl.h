// What the views ask of the window and of the audio device around them. Message thread.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::ui {

inline constexpr int minZoom = 75, maxZoom = 200; // percent

class ShellControl {
  public:
    virtual ~ShellControl() = default;

    // How large the view is, in percent of what the system and the host ask for: the user's choice, for all
    // projects on this computer.
    virtual int zoom() const = 0;
    virtual void setZoom(int percent) = 0;

    // These are for the desktop app alone.
    virtual bool hasAudioSettings() const = 0;
    virtual void showAudioSettings() = 0;
    // Sentences where no device is open or its input stopped, and where settings are not stored; else empty.
    virtual juce::String audioProblem() const = 0;
    virtual juce::String settingsProblem() const = 0;
    virtual bool monitorsInput() const = 0; // the input is passed on to the output
    virtual void setMonitorsInput(bool monitors) = 0;

    // The log of messages and failures (Core/Base/Log.h), in the system's file manager.
    virtual bool hasLog() const = 0;
    virtual void showLog() = 0;
    virtual void showManual() = 0; // in the system's browser
    // Opens the folder that a file lies in, or the folder itself, in the system's file manager.
    virtual void reveal(const juce::File& file) = 0;
};

} // namespace earshot::ui
