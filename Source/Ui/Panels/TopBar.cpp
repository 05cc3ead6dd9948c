#include "Ui/Panels/TopBar.h"

#include "Ui/NonThrowing.h"
#include "Ui/Panels/NoticeBar.h"

#include <cmath>
#include <utility>

namespace earshot::ui {

namespace {

constexpr int minStatusWidth = 120; // logical pixels beside the level
constexpr const char* productName = "Earshot";

juce::Font nameFont() { return Theme::font(17.0f, true); }

// Inter may be missing, and other typefaces are wider.
int nameWidth() {
    return static_cast<int>(std::ceil(static_cast<double>(Theme::textWidth(nameFont(), productName))));
}

} // namespace

// A coloured dot and the engine's state, if there is room.
class TopBar::StatusView : public juce::Component, public juce::SettableTooltipClient {
  public:
    void show(const StatusText& status) {
        const auto text = toText(status.text);
        const auto detail = toText(status.detail);
        if (text == text_ && status.tone == tone_ && detail == getTooltip()) return;
        text_ = text;
        brief_ = toText(status.brief);
        tone_ = status.tone;
        describe(*this, text_, detail);
        // If only the dot has room, the tooltip has the whole text.
        setTooltip(detail.isEmpty() ? text_ : text_ + "\n" + detail);
        repaint();
    }

    void paint(juce::Graphics& graphics) override {
        const auto& palette = Theme::of(*this);
        const auto font = Theme::font(12.0f);
        auto area = getLocalBounds().toFloat();
        const float room = area.getWidth() - 24.0f;
        const auto* words = &text_;
        if (Theme::textWidth(font, text_) > room) words = &brief_;
        const float width = Theme::textWidth(font, *words);
        const bool fits = width <= room;
        graphics.setColour(colourOf(tone_, palette));
        const float dot = fits ? area.getRight() - width - 16.0f : area.getRight() - 8.0f;
        graphics.fillEllipse(juce::Rectangle<float>(8.0f, 8.0f).withCentre({dot, area.getCentreY()}));
        if (!fits) return;
        graphics.setColour(tone_ == Tone::trouble ? palette.trouble : palette.secondary);
        graphics.setFont(font);
        graphics.drawText(*words, area, juce::Justification::centredRight, false);
    }

    std::unique_ptr<juce::AccessibilityHandler> createAccessibilityHandler() override {
        return std::make_unique<juce::AccessibilityHandler>(*this, juce::AccessibilityRole::staticText);
    }

  private:
    juce::String text_, brief_;
    Tone tone_ = Tone::idle;
};

TopBar::TopBar(Controller& controller, HistoryViewModel& viewModel)
    : controller_(controller)
    , viewModel_(viewModel)
    , model_(controller.model())
    , undo_(Sign::undo, "Undo", "Undo (Ctrl+Z)")
    , redo_(Sign::redo, "Redo", "Redo (Shift+Ctrl+Z)")
    , recording_(Sign::folder, "Open a recording", "Open a recording (Ctrl+O), or drop one here")
    , list_(Sign::list, "Recordings", "List, analyse and search several recordings (L)")
    , settings_(Sign::gear, "Settings", "Settings (Ctrl+,); F1 shows keys and help")
    , status_(std::make_unique<NonThrowing<StatusView>>()) {
    describe(*this, productName);
    setFocusContainerType(FocusContainerType::focusContainer);
    addAndMakeVisible(model_);
    model_.onLoad = [this] {
        if (onLoadModel) onLoadModel();
    };

    freeze_.setClickingTogglesState(true);
    describeWithTooltip(freeze_, "Freeze", "Freeze the display while the analysis continues (Space)");
    freeze_.onClick = [this] { viewModel_.setFrozen(freeze_.getToggleState()); };
    addAndMakeVisible(freeze_);
    describeWithTooltip(teach_, "Teach sounds", "Teach Earshot sounds of your own (T)");
    teach_.onClick = [this] {
        if (onTeach) onTeach();
    };
    addAndMakeVisible(teach_);
    undo_.onClick = [this] {
        if (onUndo) onUndo();
    };
    redo_.onClick = [this] {
        if (onRedo) onRedo();
    };
    addAndMakeVisible(undo_);
    addAndMakeVisible(redo_);
    showEdits(false, false);
    recording_.onClick = [this] { openRecording(); };
    addAndMakeVisible(recording_);
    list_.onClick = [this] {
        if (onRecordings) onRecordings();
    };
    addChildComponent(list_);
    list_.setVisible(controller.recordings().state().possible);
    settings_.onClick = [this] {
        if (onSettings) onSettings();
    };
    addAndMakeVisible(settings_);
    addChildComponent(level_);
    addAndMakeVisible(*status_);
    viewModel_.addListener(this);
    refresh();
}

TopBar::~TopBar() { viewModel_.removeListener(this); }

void TopBar::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.columns || changes.replaced) showLevel();
    if (changes.status || changes.replaced) refresh();
}

void TopBar::showLevel() {
    constexpr double levelSeconds = 0.3, silentSeconds = 3.0;
    const bool live = !controller_.playback().showsRecording();
    const auto& spectrogram = viewModel_.history().spectrogram;
    level_.show(newestDecibels(spectrogram, levelSeconds));
    if (live != levelLive_) {
        levelLive_ = live;
        resized();
    }
    const bool silent = live && isSilent(spectrogram, silentSeconds);
    if (std::exchange(silent_, silent) != silent) refresh();
}

// After a bounce there are two things to open.
void TopBar::openRecording() {
    const juce::Component::SafePointer<TopBar> self(this);
    const auto open = [self] {
        if (self != nullptr && self->onOpenRecording) catchAll(*self, [&] { self->onOpenRecording(); });
    };
    if (!controller_.playback().hasBounce()) return open();
    juce::PopupMenu menu;
    menu.addItem("Open a recording...", open);
    menu.addItem("Last bounce", [self] {
        if (self != nullptr) catchAll(*self, [&] { self->controller_.playback().showBounce(); });
    });
    showMenu(menu, recording_);
}

void TopBar::refresh() {
    const auto& status = viewModel_.status();
    const int width = model_.idealWidth();
    const auto name = toText(modelText(status));
    model_.setText(name, "Model: " + name,
                   status.message.empty() ? juce::String("Choose another model") : toText(status.message));
    if (model_.idealWidth() != width) resized();
    status_->show(silent_ ? silenceText(status) : statusText(status));
    freeze_.setToggleState(viewModel_.frozen(), juce::dontSendNotification);
}

void TopBar::toggleFreeze() {
    viewModel_.setFrozen(!viewModel_.frozen());
    refresh();
}

void TopBar::showEdits(bool canUndo, bool canRedo) {
    undo_.setEnabled(canUndo);
    redo_.setEnabled(canRedo);
}

void TopBar::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    graphics.fillAll(palette.panel);
    if (palette.light) {
        graphics.setColour(palette.line);
        graphics.fillRect(getLocalBounds().removeFromBottom(1));
    }
    graphics.setColour(palette.text);
    graphics.setFont(nameFont());
    graphics.drawText(productName, getLocalBounds().withTrimmedLeft(size::margin + 4).withWidth(nameWidth()),
                      juce::Justification::centredLeft, false);
}

void TopBar::resized() {
    const bool tight = getWidth() < 900;
    const int space = tight ? size::gap : size::margin;
    auto area = getLocalBounds().withSizeKeepingCentre(getWidth(), size::control);
    area.removeFromLeft(size::margin + 4 + nameWidth() + (tight ? size::gap : 24));
    area.removeFromRight(size::margin);
    const int freezeWidth = tight ? 60 : 76;
    const int teachWidth = tight ? 52 : 64;
    const int fixed = freezeWidth + teachWidth + 4 * 32 + 2 * space + 4 * size::gap + 44 +
                      (list_.isVisible() ? 32 + size::gap : 0);
    model_.setBounds(
        area.removeFromLeft(juce::jlimit(90, 260, juce::jmin(model_.idealWidth(), area.getWidth() - fixed))));
    area.removeFromLeft(space);
    freeze_.setBounds(area.removeFromLeft(freezeWidth));
    area.removeFromLeft(size::gap);
    teach_.setBounds(area.removeFromLeft(teachWidth));
    area.removeFromLeft(space);
    for (auto* button : {&undo_, &redo_}) {
        button->setBounds(area.removeFromLeft(32));
        area.removeFromLeft(size::gap);
    }
    recording_.setBounds(area.removeFromLeft(32));
    area.removeFromLeft(size::gap);
    if (list_.isVisible()) {
        list_.setBounds(area.removeFromLeft(32));
        area.removeFromLeft(size::gap);
    }
    settings_.setBounds(area.removeFromLeft(32));
    area.removeFromLeft(size::gap);
    const bool hasLevel = levelLive_ && area.getWidth() >= InputLevel::width + minStatusWidth;
    level_.setVisible(hasLevel);
    level_.setBounds(hasLevel ? area.removeFromLeft(InputLevel::width)
                                    .withSizeKeepingCentre(InputLevel::width, InputLevel::height)
                              : juce::Rectangle<int>());
    status_->setBounds(area);
}

juce::PopupMenu ModelButton::menu() {
    juce::PopupMenu menu;
    const juce::Component::SafePointer<ModelButton> self(this);
    menu.addItem("Load a model...", [self] {
        if (self != nullptr && self->onLoad) catchAll(*self, [&] { self->onLoad(); });
    });
    menu.addItem("Default model", [self] {
        if (self != nullptr) catchAll(*self, [&] { self->control_.loadDefault(); });
    });
    const auto recent = control_.recent();
    if (!recent.isEmpty()) menu.addSeparator();
    for (const auto& file : recent) {
        const bool there = file.existsAsFile();
        menu.addItem(file.getFileNameWithoutExtension() + (there ? "" : " (missing)"), there, false,
                     [self, file] {
                         if (self != nullptr) catchAll(*self, [&] { self->control_.load(file); });
                     });
    }
    return menu;
}

void ModelButton::clicked() { showMenu(menu(), *this); }

} // namespace earshot::ui
