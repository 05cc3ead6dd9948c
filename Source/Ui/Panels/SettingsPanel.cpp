#include "Ui/Panels/SettingsPanel.h"

#include "Core/Audio/ExternalDecoder.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/FilterBar.h"
#include "Ui/Panels/PresetButton.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/ParameterIds.h"
#include "Ui/WordLanes.h"

#include <array>
#include <functional>
#include <set>
#include <utility>

namespace earshot::ui {

class SettingsPanel::LookSection : public SettingsSection {
  public:
    explicit LookSection(Controller& controller)
        : SettingsSection("Look")
        , controller_(controller) {
        const char* names[] = {"Dark", "Light"};
        for (std::size_t i = 0; i < themes_.size(); ++i) {
            auto& button = themes_[i];
            button.setButtonText(names[i]);
            describeWithTooltip(button, juce::String(names[i]) + " theme", {});
            button.setRadioGroupId(1);
            button.setClickingTogglesState(true);
            button.setConnectedEdges(i == 0 ? juce::Button::ConnectedOnRight : juce::Button::ConnectedOnLeft);
            button.onClick = [this, i] {
                if (!themes_[i].getToggleState()) return;
                controller_.view().edit([&](ViewSettings& view) {
                    view.theme = i == 0 ? ThemeChoice::dark : ThemeChoice::light;
                });
            };
            both_.addAndMakeVisible(button);
        }
        addRow("Theme", both_, 140);
        describeWithTooltip(zoom_, "Size of the view", "Applies to all projects on this computer");
        for (int percent = minZoom; percent <= maxZoom; percent += zoomStep)
            zoom_.addItem(juce::String(percent) + " %", percent);
        // Later, because the view changes under the menu.
        zoom_.onChange = [this, self = juce::Component::SafePointer<LookSection>(this)] {
            juce::MessageManager::callAsync([self, percent = zoom_.getSelectedId()] {
                if (self != nullptr) catchAll(*self, [&] { self->controller_.shell().setZoom(percent); });
            });
        };
        addRow("Size", zoom_, 140);
        if (controller.shell().hasAudioSettings()) {
            describeWithTooltip(clock_, "Live times",
                                "Whether the ruler and the list show the time since the start or the time of "
                                "day for live audio. Exports contain both");
            clock_.addItem("Since the start", sinceStart);
            clock_.addItem("Time of day", timeOfDay);
            clock_.onChange = [this] {
                controller_.view().edit(
                    [this](ViewSettings& view) { view.clock = clock_.getSelectedId() == timeOfDay; });
            };
            addRow("Live times", clock_, 140);
        }
        refresh();
    }

    void refresh() {
        const auto chosen = controller_.view().get().theme == ThemeChoice::light ? 1u : 0u;
        themes_[chosen].setToggleState(true, juce::dontSendNotification);
        zoom_.setSelectedId(controller_.shell().zoom(), juce::dontSendNotification);
        clock_.setSelectedId(controller_.view().get().clock ? timeOfDay : sinceStart,
                             juce::dontSendNotification);
    }

    void resized() override {
        SettingsSection::resized();
        auto area = both_.getLocalBounds();
        themes_[0].setBounds(area.removeFromLeft(area.getWidth() / 2));
        themes_[1].setBounds(area);
    }

  private:
    static constexpr int zoomStep = 25;                 // percent
    static constexpr int sinceStart = 1, timeOfDay = 2; // numbers of choices

    Controller& controller_;
    juce::Component both_;
    std::array<juce::TextButton, 2> themes_;
    juce::ComboBox zoom_, clock_;
};

// All numbers of the filter bar, also those that have no room there.
class SettingsPanel::DetectionSection : public SettingsSection {
  public:
    DetectionSection(Controller& controller, const HistoryViewModel& viewModel)
        : SettingsSection("What becomes an event")
        , preset_(controller, viewModel)
        , confidence_(controller.view(), viewModel)
        , hold_(controller.parameters(), parameter::hold, ParameterSlider::Look::slider, "Hold",
                "How long names and peak markers stay lit after a sound ends.", "s", 1) {
        auto& parameters = controller.parameters();
        using Look = ParameterSlider::Look;
        addRow("Preset", preset_, 200);
        addWide(confidence_, size::control);
        confidence_.replaces(keep("Sensitivity", sensitivitySlider(parameters)));
        confidence_.replaces(keep("Release", releaseSlider(parameters, Look::slider)));
        keep("Shortest", minDurationSlider(parameters, Look::slider));
        keep("Join gaps under", gapSlider(parameters, Look::slider));
        keep("Channel", channelBox(parameters), 120);
        addRow("Hold", hold_);
        refresh();
    }

    ConfidenceSwitch& confidence() { return confidence_; }
    void refresh() {
        preset_.refresh();
        confidence_.refresh();
    }

  private:
    template <typename Control>
    Control& keep(const juce::String& name, std::unique_ptr<Control> control, int width = 0) {
        Control& kept = *control;
        addRow(name, kept, width);
        controls_.push_back(std::move(control));
        return kept;
    }

    NonThrowing<PresetButton> preset_;
    NonThrowing<ConfidenceSwitch> confidence_;
    std::vector<std::unique_ptr<juce::Component>> controls_;
    ParameterSlider hold_;
};

// What few people ever change, with a sentence for each.
class SettingsPanel::AdvancedSection : public SettingsSection {
  public:
    AdvancedSection(juce::AudioProcessorValueTreeState& parameters, ConfidenceSwitch& confidence)
        : SettingsSection("Advanced")
        , mode_(modeBox(parameters))
        , hop_(hopBox(parameters))
        , median_(medianBox(parameters)) {
        addRow("Mode", *mode_, 120);
        addText(
            "How live sound is analysed: choose Crop if events flicker, and Repeat if they come too late.");
        addRow("Hop", *hop_, 120);
        addText("How often live sound is analysed: choose a longer hop if the computer is too busy, and a "
                "shorter "
                "one for a faster response.");
        addRow("Median", *median_, 120);
        addText("Smooths probabilities over time: choose a longer one if short peaks or gaps split events.");
        confidence.replaces(*median_);
        fold_.onClick = [this] { fold(!folded_); };
        addToHeading(fold_, 28);
        fold(true);
    }

    std::function<void()> onLayout; // Called when the height changed.

  private:
    void fold(bool folded) {
        folded_ = folded;
        setFolded(folded);
        fold_.setSign(folded ? Sign::down : Sign::up);
        const juce::String title = folded ? "Show the advanced settings" : "Hide the advanced settings";
        describeWithTooltip(fold_, title, folded ? "Show mode, hop and median" : "Hide them");
        if (onLayout) onLayout();
    }

    std::unique_ptr<ParameterBox> mode_, hop_, median_;
    NonThrowing<SignButton> fold_{Sign::down, "Advanced", {}, false};
    bool folded_ = true;
};

// The words that are typed in the search field.
class SettingsPanel::WordsSection : public SettingsSection {
  public:
    WordsSection(Controller& controller, HistoryViewModel& viewModel)
        : SettingsSection("Words")
        , controller_(controller)
        , viewModel_(viewModel) {
        hint_ = &addText({});
        price_ = &addText({});
        describeWithTooltip(join_, "Keep the model's own sounds",
                            "Show words above the model's own sounds instead of replacing them");
        join_.setWantsKeyboardFocus(true);
        join_.onClick = [this] {
            controller_.words().setJoin(join_.getToggleState());
            viewModel_.update();
            refresh(); // shows what applies, if not what was chosen
        };
        addWide(join_, size::control);
        count_ = &addText({});
        describeWithTooltip(remove_, "Remove all words", "Stop detecting all words");
        remove_.onClick = [this] { removeAllWords(controller_); };
        addWide(remove_, size::control);
        refresh();
    }

    // Returns whether the texts changed.
    bool refresh() {
        const auto& words = viewModel_.words();
        const auto before = hint_->text() + price_->text() + count_->text();
        const auto number = static_cast<int>(words.words.size());
        hint_->setText(words.hint.isEmpty() && words.possible
                           ? juce::String("Type what to listen for in the search field and press Return.")
                           : words.hint);
        price_->setText(words.price);
        join_.setToggleState(words.joins, juce::dontSendNotification);
        join_.setEnabled(words.possible);
        count_->setText((number == 0   ? juce::String("No words")
                         : number == 1 ? juce::String("1 word")
                                       : juce::String(number) + " words") +
                        (words.busy ? juce::String::fromUTF8(" · embedding…") : juce::String()));
        remove_.setEnabled(number > 0);
        return hint_->text() + price_->text() + count_->text() != before;
    }

  private:
    Controller& controller_;
    HistoryViewModel& viewModel_;
    juce::ToggleButton join_{"Keep the model's own sounds"};
    juce::TextButton remove_{"Remove all words"};
    Caption* hint_ = nullptr;
    Caption* price_ = nullptr;
    Caption* count_ = nullptr;
};

class SettingsPanel::AudioSection : public SettingsSection {
  public:
    explicit AudioSection(ShellControl& shell)
        : SettingsSection("Audio")
        , shell_(shell) {
        describeWithTooltip(settings_, "Audio settings", "The device, its inputs and its sample rate");
        settings_.onClick = [this] { shell_.showAudioSettings(); };
        addWide(settings_, size::control);
        describeWithTooltip(monitor_, "Hear the input",
                            "Route the input to the output. Beware of feedback with a microphone");
        monitor_.setWantsKeyboardFocus(true);
        monitor_.onClick = [this] { shell_.setMonitorsInput(monitor_.getToggleState()); };
        addWide(monitor_, size::control);
        describeWithTooltip(ffmpeg_, "Read other formats with ffmpeg",
                            "Use ffmpeg, if installed, to read M4A, WMA, WebM and similar recordings");
        ffmpeg_.setWantsKeyboardFocus(true);
        ffmpeg_.onClick = [this] {
            const bool wanted = ffmpeg_.getToggleState(), possible = !wanted || audio::ffmpegIsInstalled();
            audio::decodeWithFfmpeg(wanted && possible);
            missing_->setText(possible ? juce::String() : juce::String("ffmpeg is not installed."));
            refresh();
        };
        addWide(ffmpeg_, size::control);
        missing_ = &addText({});
        refresh();
    }

    void refresh() {
        monitor_.setToggleState(shell_.monitorsInput(), juce::dontSendNotification);
        ffmpeg_.setToggleState(audio::decodesWithFfmpeg(), juce::dontSendNotification);
    }

  private:
    ShellControl& shell_;
    juce::TextButton settings_{"Audio settings..."};
    juce::ToggleButton monitor_{"Hear the input"};
    juce::ToggleButton ffmpeg_{"Read other formats with ffmpeg"};
    Caption* missing_ = nullptr;
};

class SettingsPanel::HistorySection : public SettingsSection {
  public:
    HistorySection(ViewState& view, HistoryViewModel& viewModel)
        : SettingsSection("History")
        , view_(view)
        , viewModel_(viewModel) {
        describeWithTooltip(most_, "History memory limit",
                            "Above this limit the oldest cells and spectrogram columns are discarded. Events "
                            "are kept, and an open recording is kept whole");
        most_.onChange = [this] {
            view_.edit([&](ViewSettings& view) { view.historyMegabytes = most_.getSelectedId(); });
        };
        addRow("Keep at most", most_, 120);
        kept_ = &addText({});
        refresh();
    }

    void refresh() {
        const int chosen = view_.get().historyMegabytes;
        if (most_.indexOfItemId(chosen) < 0) {
            most_.clear(juce::dontSendNotification);
            std::set<int> choices = {32, 64, 128, 256, 512, 1024};
            choices.insert(chosen);
            for (const int choice : choices) most_.addItem(juce::String(choice) + " MB", choice);
        }
        most_.setSelectedId(chosen, juce::dontSendNotification);
        showKept();
    }

    bool showKept() {
        const juce::String before = kept_->text();
        kept_->setText(toText(keptText(viewModel_.status().kept)));
        return kept_->text() != before;
    }

  private:
    ViewState& view_;
    HistoryViewModel& viewModel_;
    juce::ComboBox most_;
    Caption* kept_ = nullptr;
};

SettingsPanel::SettingsPanel(Controller& controller, HistoryViewModel& viewModel)
    : SidePanel(viewModel, "Settings", "Close the settings")
    , controller_(controller) {
    const auto take = [this](auto section) {
        auto* kept = section.get();
        add(std::move(section));
        return kept;
    };
    look_ = take(std::make_unique<NonThrowing<LookSection>>(controller));
    detection_ = take(std::make_unique<NonThrowing<DetectionSection>>(controller, viewModel));
    auto* advanced = take(
        std::make_unique<NonThrowing<AdvancedSection>>(controller.parameters(), detection_->confidence()));
    advanced->onLayout = [this] { resized(); };
    detection_->refresh();
    words_ = take(std::make_unique<NonThrowing<WordsSection>>(controller, viewModel));
    if (controller.shell().hasAudioSettings())
        audio_ = take(std::make_unique<NonThrowing<AudioSection>>(controller.shell()));
    midi_ = take(std::make_unique<NonThrowing<MidiSection>>(controller, viewModel));
    osc_ = take(std::make_unique<NonThrowing<OscSection>>(controller.outputs()));
    osc_->onLayout = [this] { resized(); };
    history_ = take(std::make_unique<NonThrowing<HistorySection>>(controller.view(), viewModel));
    controller_.view().addChangeListener(this);
}

SettingsPanel::~SettingsPanel() { controller_.view().removeChangeListener(this); }

void SettingsPanel::refresh() {
    look_->refresh();
    detection_->refresh();
    words_->refresh();
    midi_->refresh();
    osc_->refresh();
    history_->refresh();
    if (audio_ != nullptr) audio_->refresh();
    resized();
}

void SettingsPanel::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.replaced) return refresh();
    bool other = changes.words && words_->refresh();
    if (changes.words || changes.status) other = osc_->showProblem(controller_.outputs().problem()) || other;
    if (changes.status) other = history_->showKept() || other;
    if (other) resized();
}

} // namespace earshot::ui
