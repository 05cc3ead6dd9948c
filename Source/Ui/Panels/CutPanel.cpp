#include "Ui/Panels/CutPanel.h"

#include "Ui/CatchAll.h"
#include "Ui/Theme.h"

#include <utility>

namespace earshot::ui {

namespace {

constexpr int panelWidth = 380, panelHeight = 202; // logical pixels, without a refusal
constexpr int nameColumn = 72;

} // namespace

juce::File clipFolderFor(const juce::File& recording) {
    return recording.getSiblingFile(recording.getFileNameWithoutExtension() + " clips");
}

CutPanel::CutPanel(ClipRequest request)
    : request_(std::move(request)) {
    describe(*this, title());
    describeWithTooltip(format, "Format", "FLAC is smaller and just as exact. It has at most 24 bits");
    format.addItem("As the recording", 1 + static_cast<int>(ClipFormat::asRecording));
    format.addItem("WAV", 1 + static_cast<int>(ClipFormat::wav));
    format.addItem("FLAC", 1 + static_cast<int>(ClipFormat::flac));
    format.setSelectedId(1 + static_cast<int>(request_.format), juce::dontSendNotification);
    describeWithTooltip(handles, "Handles", "Audio before and after each event");
    handles.setRange(0.0, maxHandles, 0.1);
    handles.setTextValueSuffix(" s");
    handles.setNumDecimalPlacesToDisplay(1);
    handles.setTextBoxStyle(juce::Slider::TextBoxRight, false, 52, 20);
    handles.setColour(juce::Slider::textBoxOutlineColourId, juce::Colours::transparentBlack);
    handles.setValue(request_.handles, juce::dontSendNotification);
    handles.setWantsKeyboardFocus(true);
    describeWithTooltip(choose, "Choose a folder", "Choose another folder for the clips");
    choose.onClick = [this] { chooseFolder(); };
    cut.setButtonText("Cut");
    describeWithTooltip(cut, "Cut", "Write the clips. Existing files are never replaced");
    cut.onClick = [this] { begin(); };
    folder_.setInterceptsMouseClicks(true, false); // it has a tooltip, because it may be cut
    for (juce::Component* child :
         {static_cast<juce::Component*>(&format), static_cast<juce::Component*>(&handles),
          static_cast<juce::Component*>(&folder_), static_cast<juce::Component*>(&choose),
          static_cast<juce::Component*>(&refusal_), static_cast<juce::Component*>(&cut)})
        addAndMakeVisible(child);
    showFolder();
    setSize(panelWidth, panelHeight);
}

juce::String CutPanel::title() const {
    const auto count = static_cast<int>(request_.events.size());
    return "Cut " + juce::String(count) + (count == 1 ? " event" : " events") + " out as audio files";
}

void CutPanel::showFolder() {
    folder_.setText(request_.folder.getFileName());
    folder_.setTooltip(request_.folder.getFullPathName());
}

void CutPanel::chooseFolder() {
    chooser_ = std::make_unique<juce::FileChooser>("Choose a folder for the clips",
                                                   request_.folder.getParentDirectory(), "*");
    const juce::Component::SafePointer<CutPanel> self(this);
    chooser_->launchAsync(juce::FileBrowserComponent::openMode |
                              juce::FileBrowserComponent::canSelectDirectories,
                          [self](const juce::FileChooser& chooser) {
                              const auto chosen = chooser.getResult();
                              if (self == nullptr || chosen == juce::File()) return;
                              self->request_.folder = chosen;
                              catchAll(*self, [&] { self->showFolder(); });
                          });
}

void CutPanel::begin() {
    request_.format = static_cast<ClipFormat>(format.getSelectedId() - 1);
    request_.handles = handles.getValue();
    const auto why = onCut ? onCut(request_) : juce::String();
    refusal_.setText(why);
    setSize(getWidth(), panelHeight + (why.isEmpty() ? 0 : refusal_.heightFor(getWidth() - 24) + 4));
    if (why.isNotEmpty()) return;
    if (auto* box = findParentComponentOfClass<juce::CallOutBox>()) box->dismiss();
}

void CutPanel::resized() {
    auto area = getLocalBounds().reduced(12, 8);
    area.removeFromTop(28);
    const auto row = [&] {
        auto line = area.removeFromTop(size::control);
        area.removeFromTop(size::gap);
        line.removeFromLeft(nameColumn);
        return line;
    };
    format.setBounds(row().removeFromLeft(160));
    handles.setBounds(row());
    auto place = row();
    choose.setBounds(place.removeFromRight(90));
    folder_.setBounds(place.withTrimmedRight(size::gap));
    cut.setBounds(area.removeFromBottom(size::control).removeFromRight(90));
    refusal_.setBounds(area.withTrimmedBottom(4));
}

void CutPanel::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    graphics.setColour(palette.text);
    graphics.setFont(Theme::font(12.0f, true));
    const auto area = getLocalBounds().reduced(12, 8);
    graphics.drawText(title(), area.withHeight(24), juce::Justification::centredLeft);
    graphics.setColour(palette.secondary);
    graphics.setFont(Theme::font(12.0f));
    const std::pair<const char*, const juce::Component*> rows[] = {
        {"Format", &format}, {"Handles", &handles}, {"Folder", &choose}};
    for (const auto& [name, control] : rows)
        graphics.drawText(name,
                          area.withY(control->getY()).withHeight(control->getHeight()).withWidth(nameColumn),
                          juce::Justification::centredLeft);
}

} // namespace earshot::ui
