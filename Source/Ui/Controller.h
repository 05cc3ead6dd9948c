// Everything that the views ask of the program around them, by part. A view takes the parts that it uses. The
// plugin's processor implements it; tests use a simple stand-in. Message thread.
#pragma once

#include "Core/Detection/Events/Rules.h"
#include "Ui/Control/ClipControl.h"
#include "Ui/Control/ModelControl.h"
#include "Ui/Control/OutputControl.h"
#include "Ui/Control/PlaybackControl.h"
#include "Ui/Control/PresetControl.h"
#include "Ui/Control/RecordingControl.h"
#include "Ui/Control/ReviewControl.h"
#include "Ui/Control/ShellControl.h"
#include "Ui/Control/TeachingControl.h"
#include "Ui/Control/WordControl.h"
#include "Ui/ViewState.h"

#include <juce_audio_processors/juce_audio_processors.h>

namespace earshot::ui {

class HistoryViewModel;

class Controller {
  public:
    virtual ~Controller() = default;

    virtual PlaybackControl& playback() = 0;
    virtual ModelControl& model() = 0;
    virtual WordControl& words() = 0;
    virtual TeachingControl& teaching() = 0;
    virtual RecordingControl& recordings() = 0;
    virtual ClipControl& clips() = 0;
    virtual OutputControl& outputs() = 0;
    virtual PresetControl& presets() = 0;
    virtual ReviewControl& reviews() = 0;
    virtual ShellControl& shell() = 0;

    virtual juce::AudioProcessorValueTreeState& parameters() = 0; // see ParameterIds.h
    virtual ViewState& view() = 0;
    // The rules that the parameters and the per-class thresholds give for a model's labels and columns.
    virtual detection::RuleChoice rules(const detection::Labels& labels, double secondsPerColumn) const = 0;
    // The view model of the history that is shown. It outlives the views, so that events stay known when
    // their columns are dropped while no view is open.
    virtual HistoryViewModel& viewModel() = 0;
};

} // namespace earshot::ui
