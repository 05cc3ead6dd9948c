#include "Ui/Panels/WelcomePanel.h"

#include "Ui/Theme.h"

#include <algorithm>

namespace earshot::ui {

namespace {

constexpr int buttonHeight = 32; // logical pixels
constexpr int buttonWidth = 156;
constexpr int maxWidth = 560;

} // namespace

WelcomePanel::WelcomePanel(const juce::File& demo) {
    describe(*this, "Welcome");
    for (auto* caption : {&title_, &text_, &problem_}) {
        caption->setJustification(juce::Justification::centred);
        addAndMakeVisible(*caption);
    }
    for (auto* button : {&open_, &demo_, &audio_}) addAndMakeVisible(*button);
    demo_.setVisible(demo.existsAsFile());
    describeWithTooltip(open_, "Open", "Open a recording (Ctrl+O)");
    describeWithTooltip(demo_, "Try the demo", "Analyse 35 seconds of speech, instruments and drums");
    describeWithTooltip(audio_, "Choose a microphone", "Choose the audio device to analyse live");
    open_.onClick = [this] {
        if (onOpen) onOpen();
    };
    demo_.onClick = [this, demo] {
        if (onDemo) onDemo(demo);
    };
    audio_.onClick = [this] {
        if (onAudioSettings) onAudioSettings();
    };
}

void WelcomePanel::setProblem(const juce::String& problem) {
    if (problem == problem_.text()) return;
    problem_.setText(problem);
    resized();
}

void WelcomePanel::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    graphics.fillAll(palette.background);
    graphics.setColour(palette.raised);
    juce::Path frame, dashed;
    frame.addRoundedRectangle(getLocalBounds().toFloat().reduced(8.0f), 12.0f);
    const float dashes[] = {6.0f, 6.0f};
    juce::PathStrokeType(1.5f).createDashedStroke(dashed, frame, dashes, 2);
    graphics.fillPath(dashed);
}

void WelcomePanel::resized() {
    const int width = std::min(maxWidth, getWidth() - 2 * size::margin);
    const int problem = problem_.text().isEmpty() ? 0 : problem_.heightFor(width) + size::margin;
    const int text = text_.heightFor(width);
    const int height = 24 + size::gap + text + size::margin + buttonHeight + problem;
    auto area = getLocalBounds().withSizeKeepingCentre(width, std::min(height, getHeight()));
    title_.setBounds(area.removeFromTop(24));
    area.removeFromTop(size::gap);
    text_.setBounds(area.removeFromTop(text));
    area.removeFromTop(size::margin);

    auto row = area.removeFromTop(buttonHeight);
    const int buttons = demo_.isVisible() ? 3 : 2;
    row = row.withSizeKeepingCentre(std::min(width, buttons * buttonWidth + (buttons - 1) * size::gap),
                                    row.getHeight());
    const int each = (row.getWidth() - (buttons - 1) * size::gap) / buttons;
    for (auto* button : {&open_, &demo_, &audio_}) {
        if (!button->isVisible()) continue;
        button->setBounds(row.removeFromLeft(each));
        row.removeFromLeft(size::gap);
    }
    problem_.setBounds(area.withTrimmedTop(size::margin));
}

} // namespace earshot::ui
