// Between timeline and list: the search, the numbers that make events out of probabilities, and how many
// there are. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Safe.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace earshot::ui {

// Threshold and the like, as FilterBar and SettingsPanel show them.
std::unique_ptr<ParameterSlider> thresholdSlider(juce::AudioProcessorValueTreeState& parameters);
std::unique_ptr<ParameterSlider> releaseSlider(juce::AudioProcessorValueTreeState& parameters,
                                               ParameterSlider::Look look);
std::unique_ptr<ParameterSlider> shortestSlider(juce::AudioProcessorValueTreeState& parameters,
                                                ParameterSlider::Look look);
std::unique_ptr<ParameterSlider> gapSlider(juce::AudioProcessorValueTreeState& parameters,
                                           ParameterSlider::Look look);
std::unique_ptr<ParameterBox> medianBox(juce::AudioProcessorValueTreeState& parameters);
std::unique_ptr<ParameterBox> hopBox(juce::AudioProcessorValueTreeState& parameters);

class FilterBar : public juce::Component {
  public:
    explicit FilterBar(Controller& controller);
    ~FilterBar() override;

    juce::String search() const;
    void setSearch(const juce::String& text);
    void focusSearch();
    void setCount(int listed, int all, std::int64_t dropped);

    std::function<void(const juce::String&)> onSearch;

    void resized() override;
    void lookAndFeelChanged() override;

  private:
    struct Field {
        std::unique_ptr<Caption> name;
        std::unique_ptr<juce::Component> value;
        int width = 0;     // of the value
        int fromWidth = 0; // shown when the bar is at least so wide
    };

    void add(const juce::String& name, std::unique_ptr<juce::Component> value, int width, int fromWidth);
    void dressSearch();

    Safe<juce::TextEditor> search_;
    std::vector<Field> fields_; // by importance, left to right
    Caption count_;
};

} // namespace earshot::ui
