#include "Ui/Recordings/RecordingsPanel.h"

#include <algorithm>
#include <utility>

namespace earshot::ui {

namespace {

constexpr int maxHintHeight = 64;

} // namespace

class RecordingsPanel::Body : public juce::Component {
  public:
    Body(RecordingsPanel& panel, RecordingControl& control, HistoryViewModel& viewModel)
        : control_(control)
        , viewModel_(viewModel) {
        describe(*this, "Several recordings");
        describeWithTooltip(all_, "Analyse all",
                            "Analyse all listed recordings and write a table of events for each; finished "
                            "recordings are skipped");
        all_.onClick = [this] { act(control_.analyse(false)); };
        describeWithTooltip(
            again_, "Analyse again",
            "Analyse recordings again whose results used other settings, and replace those results");
        again_.onClick = [this] { act(control_.analyse(true)); };
        describeWithTooltip(stop_, "Stop", "Stop the analysis; finished results are kept");
        stop_.onClick = [this] { control_.stop(); };
        describeWithTooltip(choose_, "Results", "Choose another folder for the results");
        choose_.onClick = [this] { choose(); };
        recordings_.onOpen = [&panel](const ListedRecording& recording) {
            if (panel.onOpen) panel.onOpen(recording.file);
        };
        recordings_.onRemove = [this](const std::vector<int>& ids) {
            for (const int id : ids) control_.remove(id);
        };
        recordings_.onSelection = [this] { showResults(); };
        describeWithTooltip(search_, "Find in all recordings",
                            "Show events of this sound, of this group of sounds (\"animal\"), or of "
                            "recordings of this name");
        search_.onTextChange = [this] {
            catchAll(*this, [this] { found_.setSearch(search_.getText().trim()); });
        };
        search_.onKey = [this](const juce::KeyPress& key) {
            if (key != juce::KeyPress(juce::KeyPress::escapeKey) || search_.isEmpty()) return false;
            search_.setText({});
            return true;
        };
        found_.onGoTo = [&panel](const FoundEvent& event) {
            if (panel.onGoTo) panel.onGoTo(event);
        };
        found_.onPlay = [&panel](const FoundEvent& event) {
            if (panel.onPlay) panel.onPlay(event);
        };
        found_.onCount = [this] { showCount(); };
        count_.setJustification(juce::Justification::centredRight);
        // In the order of the Tab key.
        for (juce::Component* child :
             {static_cast<juce::Component*>(&hint_), static_cast<juce::Component*>(&all_),
              static_cast<juce::Component*>(&again_), static_cast<juce::Component*>(&progress_),
              static_cast<juce::Component*>(&stop_), static_cast<juce::Component*>(&choose_),
              static_cast<juce::Component*>(&results_), static_cast<juce::Component*>(&recordings_),
              static_cast<juce::Component*>(&search_), static_cast<juce::Component*>(&count_),
              static_cast<juce::Component*>(&found_)})
            addAndMakeVisible(child);
        showCount();
    }

    void refresh() {
        const auto& list = viewModel_.recordings();
        if (list.hearing) refusal_ = {};
        showHint();
        progress_.show("Analysed", list.progress,
                       juce::String(juce::roundToInt(list.progress * 100.0)) + " %");
        all_.setEnabled(!list.rows().empty());
        for (auto* part : {static_cast<juce::Component*>(&progress_), static_cast<juce::Component*>(&stop_)})
            part->setVisible(list.hearing);
        all_.setVisible(!list.hearing);
        again_.setVisible(!list.hearing && list.canAgain);
        choose_.setVisible(!list.hearing && !list.rows().empty());
        recordings_.show(list);
        found_.show(list);
        showResults();
        resized();
    }

    RecordingRows& recordings() { return recordings_; }
    FoundTable& found() { return found_; }

    void resized() override {
        auto area = getLocalBounds().reduced(0, size::gap);
        auto text = area.reduced(size::margin, 0);
        const auto take = [&](int height) {
            area.removeFromTop(height);
            return text.removeFromTop(height);
        };
        hint_.setBounds(take(std::min(maxHintHeight, hint_.heightFor(text.getWidth()))));
        take(size::gap);
        auto line = take(size::control);
        const auto place = [&](juce::Component& button, int width) {
            if (!button.isVisible()) return;
            button.setBounds(line.removeFromLeft(width));
            line.removeFromLeft(size::gap);
        };
        place(all_, 104);
        place(again_, 116);
        place(choose_, 92);
        if (stop_.isVisible()) stop_.setBounds(line.removeFromRight(72));
        progress_.setBounds(line.withTrimmedRight(size::gap));
        take(4);
        results_.setBounds(take(18));
        take(4);
        const int rest = area.getHeight() - size::control - 2 * size::gap;
        recordings_.setBounds(area.removeFromTop(
            std::max(RecordingRows::headingHeight + RecordingRows::rowHeight, rest * 2 / 5)));
        area.removeFromTop(size::gap);
        auto find = area.removeFromTop(size::control).reduced(size::margin, 0);
        search_.setBounds(find.removeFromLeft(std::min(240, find.getWidth() / 2)));
        count_.setBounds(find.withTrimmedLeft(size::gap));
        area.removeFromTop(size::gap);
        found_.setBounds(area);
    }

    void lookAndFeelChanged() override {
        dressEditor(search_, juce::String::fromUTF8("Find in all recordings…"));
    }

  private:
    // Says what happened, or what can be done.
    void showHint() {
        const auto& list = viewModel_.recordings();
        const juce::String how =
            list.rows().empty()
                ? "Earshot analyses dropped folders in the background and lists all events it finds."
                : "Return opens a recording or goes to an event, Space plays an event.";
        const auto text = refusal_.isNotEmpty()     ? refusal_
                          : list.doing.isNotEmpty() ? list.doing
                          : list.hint.isNotEmpty()  ? list.hint
                                                    : how;
        if (text == hint_.text()) return;
        hint_.setText(text);
        if (text != how && !list.hearing)
            juce::AccessibilityHandler::postAnnouncement(
                text, juce::AccessibilityHandler::AnnouncementPriority::medium);
    }

    void showResults() {
        const auto current = recordings_.current();
        const auto folder = current ? current->results.getFullPathName() : juce::String();
        results_.setText(!current              ? juce::String()
                         : folder.isNotEmpty() ? "Results: " + folder
                                               : "Choose a folder for the results");
    }

    void showCount() { count_.setText(found_.countText()); }

    void act(const juce::String& refusal) {
        refusal_ = refusal;
        showHint();
        resized();
    }

    void choose() {
        const auto current = recordings_.current();
        if (!current) return;
        chooser_ = std::make_unique<juce::FileChooser>("Choose a folder for the results",
                                                       current->results.getParentDirectory(), "*");
        const juce::Component::SafePointer<Body> self(this);
        chooser_->launchAsync(juce::FileBrowserComponent::openMode |
                                  juce::FileBrowserComponent::canSelectDirectories,
                              [self, id = current->id](const juce::FileChooser& chooser) {
                                  const auto folder = chooser.getResult();
                                  if (self == nullptr || folder == juce::File()) return;
                                  catchAll(*self, [&] { self->act(self->control_.setResults(id, folder)); });
                              });
    }

    RecordingControl& control_;
    HistoryViewModel& viewModel_;
    juce::String refusal_; // of the last button
    Caption hint_{{}, Caption::Role::text};
    NonThrowing<juce::TextButton> all_{"Analyse all"};
    NonThrowing<juce::TextButton> again_{"Analyse again"};
    NonThrowing<ShareBar> progress_;
    NonThrowing<juce::TextButton> stop_{"Stop"};
    NonThrowing<juce::TextButton> choose_{"Results..."};
    Caption results_;
    NonThrowing<RecordingRows> recordings_;
    NonThrowing<LineField> search_;
    Caption count_;
    NonThrowing<FoundTable> found_;
    std::unique_ptr<juce::FileChooser> chooser_;
};

RecordingsPanel::RecordingsPanel(RecordingControl& control, HistoryViewModel& viewModel)
    : SidePanel(viewModel, "Recordings", "Close the recordings")
    , body_(std::make_unique<NonThrowing<Body>>(*this, control, viewModel)) {
    fill(*body_);
    body_->refresh();
}

RecordingsPanel::~RecordingsPanel() = default;

void RecordingsPanel::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.recordings) body_->refresh();
}

RecordingRows& RecordingsPanel::recordings() { return body_->recordings(); }

void RecordingsPanel::showOpen(const juce::File& recording) { recordings().showOpen(recording); }

FoundTable& RecordingsPanel::found() { return body_->found(); }

} // namespace earshot::ui
