#include "Ui/Panels/FilterBar.h"

#include "Ui/NonThrowing.h"
#include "Ui/ParameterIds.h"
#include "Ui/WordLanes.h"

#include <utility>

namespace earshot::ui {

using Parameters = juce::AudioProcessorValueTreeState;
using Look = ParameterSlider::Look;

std::unique_ptr<ParameterSlider> sensitivitySlider(Parameters& parameters) {
    return std::make_unique<NonThrowing<ParameterSlider>>(
        parameters, parameter::sensitivity, Look::slider, "Sensitivity",
        "Higher finds more events, lower fewer: the thresholds of all sounds move together. A threshold that "
        "you set for one sound stays. Double-click for 0, the model's own thresholds.",
        "+", 1);
}

std::unique_ptr<ParameterSlider> releaseSlider(Parameters& parameters, Look look) {
    return std::make_unique<NonThrowing<ParameterSlider>>(
        parameters, parameter::release, look, "Release",
        "An event ends when its probability falls below this fraction of the threshold.", "%", 0);
}

std::unique_ptr<ParameterSlider> minDurationSlider(Parameters& parameters, Look look) {
    return std::make_unique<NonThrowing<ParameterSlider>>(parameters, parameter::minDuration, look,
                                                          "Shortest",
                                                          "Events shorter than this are left out.", "s", 1);
}

std::unique_ptr<ParameterSlider> gapSlider(Parameters& parameters, Look look) {
    return std::make_unique<NonThrowing<ParameterSlider>>(
        parameters, parameter::mergeGap, look, "Join gaps under",
        "Events of the same sound closer together than this are joined.", "s", 1);
}

std::unique_ptr<ParameterBox> medianBox(Parameters& parameters) {
    return std::make_unique<NonThrowing<ParameterBox>>(
        parameters, parameter::medianSeconds, "Median",
        "Median filter length. Removes peaks and gaps shorter than half of it.");
}

std::unique_ptr<ParameterBox> modeBox(Parameters& parameters) {
    return std::make_unique<NonThrowing<ParameterBox>>(
        parameters, parameter::mode, "Mode",
        "Crop analyses the last ten seconds as a whole: most stable. Repeat analyses only the last moments: "
        "fastest response. Auto responds at once, then goes on as Crop.");
}

std::unique_ptr<ParameterBox> hopBox(Parameters& parameters) {
    return std::make_unique<NonThrowing<ParameterBox>>(
        parameters, parameter::hopSeconds, "Hop",
        "How often Earshot analyses audio. A longer hop uses less CPU but responds later. Auto chooses the "
        "shortest hop that takes at most 15 % of a core; a bounce then uses 0.32 s.");
}

std::unique_ptr<ParameterBox> channelBox(Parameters& parameters) {
    return std::make_unique<NonThrowing<ParameterBox>>(
        parameters, parameter::channel, "Channel",
        "The channel to analyse. Mix averages all channels except the LFE, or takes W of ambisonics. Each "
        "analyses every channel of a recording separately; a live stream is then analysed as with Mix.");
}

FilterBar::FilterBar(Controller& controller, HistoryViewModel& viewModel)
    : controller_(controller)
    , viewModel_(viewModel)
    , confidence_(controller.view(), viewModel) {
    describe(*this, "Find and filter");
    setFocusContainerType(FocusContainerType::focusContainer);
    search_.setSelectAllWhenFocused(true);
    search_.onReturn = [this] { return listen(); };
    search_.onTextChange = [this] {
        catchAll(*this, [this] {
            if (onSearch) onSearch(search());
        });
    };
    addAndMakeVisible(search_);
    addChildComponent(confidence_);

    auto& parameters = controller.parameters();
    auto sensitivity = sensitivitySlider(parameters);
    auto release = releaseSlider(parameters, Look::compact);
    confidence_.replaces(*sensitivity);
    confidence_.replaces(*release);
    add("Sensitivity", std::move(sensitivity), 196, 0);
    auto preset = std::make_unique<NonThrowing<PresetButton>>(controller, viewModel);
    preset_ = preset.get();
    add("Preset", std::move(preset), 150, 900);
    add("Shortest", minDurationSlider(parameters, Look::compact), 58, 760);
    add("Join gaps under", gapSlider(parameters, Look::compact), 58, 900);
    add("Release", std::move(release), 58, 1300);

    count_.setJustification(juce::Justification::centredRight);
    addAndMakeVisible(count_);
    setCount(0, 0, 0);
    showWords();
    showChoice();
}

FilterBar::~FilterBar() = default;

void FilterBar::add(const juce::String& name, std::unique_ptr<juce::Component> value, int width,
                    int fromWidth) {
    auto caption = std::make_unique<NonThrowing<Caption>>(name);
    addAndMakeVisible(*caption);
    addAndMakeVisible(*value);
    fields_.push_back({std::move(caption), std::move(value), width, fromWidth});
}

juce::String FilterBar::search() const { return search_.getText().trim(); }

void FilterBar::setSearch(const juce::String& text) { search_.setText(text); }

void FilterBar::showWords() {
    typed_ = viewModel_.words().possible;
    const juce::String finds = "Show sounds of this name or group (\"animal\", \"music\").";
    const juce::String listens = " Return listens for the text: \"a dog barks\", or \"a dog barks=Dog\" to "
                                 "name its lane.";
    const auto help = typed_ ? finds + listens : finds;
    if (search_.getTooltip() == help) return;
    describeWithTooltip(search_, typed_ ? "Find or type a sound" : "Find a sound", help);
    dressSearch();
    search_.repaint();
    resized();
}

void FilterBar::showChoice() {
    preset_->refresh();
    if (confidence_.refresh()) resized();
}

bool FilterBar::listen() {
    const auto text = search();
    if (text.isEmpty() || !controller_.words().state().possible) return false;
    // A lane of this name is what the search shows already.
    const auto* labels = viewModel_.history().labels.get();
    if (!canListenFor(controller_.words().state(), labels, text)) return true;
    const auto refusal = addLane(controller_, labels, text);
    if (refusal.isEmpty()) {
        search_.setText({});
        juce::AccessibilityHandler::postAnnouncement(
            "Listening for " + text, juce::AccessibilityHandler::AnnouncementPriority::medium);
    } else if (onRefusal) {
        onRefusal(refusal);
    }
    return true;
}

void FilterBar::focusSearch() { takeKeyboard(search_); }

void FilterBar::setCount(int listed, int all, std::int64_t dropped) {
    const juce::String noun = all == 1 ? " event" : " events";
    const juce::String older = dropped > 0 ? " (" + juce::String(dropped) + " older ones are gone)" : "";
    count_.setText((listed == all ? juce::String() : juce::String(listed) + " of ") + juce::String(all) +
                   noun + older);
    resized();
}

void FilterBar::resized() {
    auto area = getLocalBounds().withSizeKeepingCentre(getWidth(), size::control);
    const int find = getWidth() < 900 ? 112 : 136;
    const int type = getWidth() < 900 ? 156 : 200; // texts are longer than names
    search_.setBounds(area.removeFromLeft(typed_ ? type : find));
    count_.setBounds(area.removeFromRight(juce::jmin(count_.textWidth(), area.getWidth() / 2)));
    area.removeFromRight(size::gap);
    if (confidence_.isVisible()) {
        area.removeFromLeft(20);
        confidence_.changeWidthToFitText();
        confidence_.setBounds(area.removeFromLeft(confidence_.getWidth()));
    }

    for (auto& field : fields_) {
        const int name = field.name->textWidth();
        const int room = area.getWidth() - (24 + name + size::gap);
        const bool first = &field == &fields_.front();
        const bool shown = getWidth() >= field.fromWidth && room >= (first ? 90 : field.width);
        field.name->setVisible(shown);
        field.value->setVisible(shown);
        if (!shown) continue;
        area.removeFromLeft(first ? 24 : 20);
        field.name->setBounds(area.removeFromLeft(name));
        area.removeFromLeft(size::gap);
        field.value->setBounds(area.removeFromLeft(juce::jmin(field.width, area.getWidth())));
    }
}

void FilterBar::lookAndFeelChanged() { dressSearch(); }

void FilterBar::dressSearch() {
    dressEditor(search_, juce::String::fromUTF8(typed_ ? "Find or type a sound…" : "Find a sound…"));
}

} // namespace earshot::ui
