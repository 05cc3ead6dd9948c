// The bar between timeline and list: the search, where words to listen for are typed too, the rules that turn
// probabilities into events, and how many events there are. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/ConfidenceSwitch.h"
#include "Ui/Panels/PresetButton.h"
#include "Ui/Panels/Widgets.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace earshot::ui {

// The rules' parameters with the texts that FilterBar and SettingsPanel show.
std::unique_ptr<ParameterSlider> sensitivitySlider(juce::AudioProcessorValueTreeState& parameters);
std::unique_ptr<ParameterSlider> releaseSlider(juce::AudioProcessorValueTreeState& parameters,
                                               ParameterSlider::Look look);
std::unique_ptr<ParameterSlider> minDurationSlider(juce::AudioProcessorValueTreeState& parameters,
                                                   ParameterSlider::Look look);
std::unique_ptr<ParameterSlider> gapSlider(juce::AudioProcessorValueTreeState& parameters,
                                           ParameterSlider::Look look);
std::unique_ptr<ParameterBox> modeBox(juce::AudioProcessorValueTreeState& parameters);
std::unique_ptr<ParameterBox> medianBox(juce::AudioProcessorValueTreeState& parameters);
std::unique_ptr<ParameterBox> hopBox(juce::AudioProcessorValueTreeState& parameters);
std::unique_ptr<ParameterBox> channelBox(juce::AudioProcessorValueTreeState& parameters);

class FilterBar : public juce::Component {
  public:
    FilterBar(Controller& controller, HistoryViewModel& viewModel);
    ~FilterBar() override;

    juce::String search() const;
    void setSearch(const juce::String& text);
    void focusSearch();
    void setCount(int listed, int all, std::int64_t dropped);
    void showWords();  // Call it when the view model's words changed.
    void showChoice(); // Call it when the recording, its model or the view state changed.

    std::function<void(const juce::String&)> onSearch;
    std::function<void(const juce::String&)> onRefusal; // why a text is not listened for

    void resized() override;
    void lookAndFeelChanged() override;

  private:
    struct Field {
        std::unique_ptr<Caption> name;
        std::unique_ptr<juce::Component> value;
        int width = 0;     // of the value, logical pixels
        int fromWidth = 0; // the narrowest bar that shows this field
    };

    void add(const juce::String& name, std::unique_ptr<juce::Component> value, int width, int fromWidth);
    void dressSearch();
    bool listen(); // for the search's text; returns whether there was something to do

    Controller& controller_;
    HistoryViewModel& viewModel_;
    bool typed_ = false; // words can be typed
    NonThrowing<LineField> search_;
    NonThrowing<ConfidenceSwitch> confidence_;
    PresetButton* preset_ = nullptr; // one of the fields
    std::vector<Field> fields_;      // the most important first, left to right
    Caption count_;
};

} // namespace earshot::ui
