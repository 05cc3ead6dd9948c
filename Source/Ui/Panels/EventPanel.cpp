#include "Ui/Panels/EventPanel.h"

#include "Ui/Panels/CutPanel.h"
#include "Ui/Panels/EventExport.h"
#include "Ui/SoundFilter.h"
#include "Ui/Teach/TeachEntries.h"
#include "Ui/TimeAxis.h"

namespace earshot::ui {

EventPanel::EventPanel(Controller& controller, HistoryViewModel& viewModel)
    : controller_(controller)
    , viewModel_(viewModel)
    , table_(viewModel)
    , fold_(Sign::down, "Collapse the event list", "Collapse or expand the list", false)
    , review_(controller, viewModel) {
    describe(*this, "Events");
    setFocusContainerType(FocusContainerType::focusContainer);
    addAndMakeVisible(table_);
    addChildComponent(progress_);
    addAndMakeVisible(exports_);
    addAndMakeVisible(fold_);
    progress_.onClick = [this] { nextUnreviewed(); };
    table_.onNext = [this] { nextUnreviewed(); };
    table_.verdictOf = [this](const detection::Event& event) { return review_.of(event); };
    table_.onGoTo = [this](const detection::Event& event) {
        if (onGoTo) onGoTo(event);
    };
    table_.onCopy = [this] { copy(); };
    table_.onMenu = [this](const detection::Event& event, juce::Rectangle<int> place) {
        showChannelOf(event);
        ui::showMenu(menu(event), table_, place);
    };
    table_.onPlay = [this](const detection::Event& event) {
        if (onPlay) onPlay(event);
    };
    table_.onMark = [this](const detection::Event& event) {
        showChannelOf(event);
        if (onName) onName(event);
    };
    table_.onVerdict = [this](const detection::Event& event, bool right) {
        showChannelOf(event);
        judge(event, right);
    };
    table_.onDrag = [this](const std::vector<detection::Event>& events) {
        return beginDrag(events, juce::ModifierKeys::currentModifiers.isAltDown());
    };
    exports_.onExport = [this](const formats::EventFormat& format) { exportEvents(format); };
    exports_.onCut = [this] { askCut(); };
    exports_.canCut = [this] { return controller_.playback().recording() != juce::File(); };
    exports_.onReview = [this] { exportReview(); };
    exports_.canReview = [this] { return review_.hasAny(); };
    exports_.onTable = [this] { askTable(); };
    exports_.canTable = [this] { return !viewModel_.recordings().rows().empty(); };
    exports_.onDrag = [this] { drag(); };
    fold_.onClick = [this] {
        if (onFold) onFold();
    };
    viewModel_.addListener(this);
    updateShown();
}

EventPanel::~EventPanel() { viewModel_.removeListener(this); }

void EventPanel::setSearch(const juce::String& search) {
    search_ = search;
    updateShown();
}

void EventPanel::updateShown() {
    const auto* labels = viewModel_.history().labels.get();
    table_.update(labels != nullptr ? shownSounds(*labels, controller_.view().get(), search_)
                                    : std::vector<bool>());
    exports_.setFormatsEnabled(table_.listed() > 0);
    showProgress();
    if (onCount) onCount();
}

void EventPanel::setFolded(bool folded) {
    folded_ = folded;
    fold_.setSign(folded ? Sign::up : Sign::down);
    describeWithTooltip(fold_, folded ? "Expand the event list" : "Collapse the event list",
                        folded ? "Show the list" : "Collapse the list");
}

int EventPanel::allEvents() const { return static_cast<int>(viewModel_.found().size()); }

void EventPanel::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.replaced || changes.events || changes.labels) updateShown();
    if (changes.recordings) exports_.setFormatsEnabled(table_.listed() > 0); // there may be a table of all
}

// Whether a recording was heard to its end.
bool EventPanel::heardWhole() const {
    const auto& status = viewModel_.status();
    return status.state == streaming::State::finished && !status.incomplete;
}

std::vector<formats::TimedEvent> EventPanel::timed(std::span<const detection::Event> events) const {
    const auto& history = viewModel_.history();
    return history.labels == nullptr
               ? std::vector<formats::TimedEvent>()
               : timedEvents(events, *history.labels, liveStart() ? viewModel_.clockTimes() : history.times);
}

formats::RecordingEvents EventPanel::recording(std::span<const detection::Event> events) const {
    formats::RecordingEvents recording;
    recording.minHz = viewModel_.history().spectrogram.lowHz();
    recording.maxHz = viewModel_.history().spectrogram.highHz();
    if (controller_.playback().showsRecording()) {
        recording.file = controller_.playback().recording().getFullPathName().toStdString();
        if (const auto* timeline = viewModel_.history().timeline.get())
            recording.seconds = timeline->duration().value_or(viewModel_.end());
        recording.complete = heardWhole();
        recording.start = viewModel_.status().began;
        recording.path =
            controller_.playback().recording().getFullPathName().replaceCharacter('\\', '/').toStdString();
        recording.folder = controller_.playback()
                               .recording()
                               .getParentDirectory()
                               .getFullPathName()
                               .replaceCharacter('\\', '/')
                               .toStdString();
    } else {
        recording.start = liveStart();
    }
    recording.events = timed(events);
    return recording;
}

// When the live stream began by the computer's clock; null if its times are the host's.
std::optional<WallTime> EventPanel::liveStart() const {
    const bool ofHost = !viewModel_.history().times.segments().empty();
    return controller_.playback().showsRecording() || ofHost ? std::nullopt : viewModel_.clockStart();
}

// Marks and examples are of the channel that is shown.
void EventPanel::showChannelOf(const detection::Event& event) {
    if (event.channel == 0 || event.channel == viewModel_.channel()) return;
    viewModel_.showChannel(event.channel);
    viewModel_.update();
}

std::string EventPanel::exported(const formats::EventFormat& format) const {
    return formats::document(format, recording(table_.chosen()), notes());
}

// The notes by class, as documents want them.
formats::MidiMap EventPanel::notes() const {
    const auto byKey = controller_.outputs().settings().midi;
    formats::MidiMap byClass;
    const auto& labels = viewModel_.history().labels;
    for (int i = 0; labels != nullptr && i < labels->count(); ++i)
        byClass.set(i, byKey.noteFor(labels->key(i)));
    return byClass;
}

std::string EventPanel::copied() const {
    return tabTable(recording(table_.selectedCount() > 0 ? table_.selected() : table_.chosen()));
}

void EventPanel::copy() const {
    juce::SystemClipboard::copyTextToClipboard(toText(copied()));
    const auto part = partNote();
    if (part.isNotEmpty() && onNotice) onNotice("Copied" + part, Tone::busy);
}

// What follows where a recording was not analysed whole; else empty.
juce::String EventPanel::partNote() const {
    if (!controller_.playback().showsRecording() || heardWhole()) return {};
    return ", but only the first " + clockText(viewModel_.status().heard) + " were analysed";
}

ClipRequest EventPanel::clipRequest(const std::vector<detection::Event>& events) const {
    ClipRequest request;
    request.recording = controller_.playback().recording();
    request.folder = clipFolderFor(request.recording);
    request.format = clipFormat_;
    request.handles = clipHandles_;
    for (const auto& event : events)
        request.events.push_back({event.onset, event.offset, viewModel_.label(event.classIndex).toStdString(),
                                  event.peak, event.confidence});
    return request;
}

void EventPanel::askCut() {
    auto panel = std::make_unique<NonThrowing<CutPanel>>(clipRequest());
    panel->onCut = [self = juce::Component::SafePointer<EventPanel>(this)](const ClipRequest& request) {
        if (self == nullptr) return juce::String();
        self->clipFormat_ = request.format;
        self->clipHandles_ = request.handles;
        return self->controller_.clips().cut(request);
    };
    showBeside(*this, std::move(panel), exports_.getBounds());
}

void EventPanel::askTable() {
    ask("One table of all recordings", "events.csv", "*.csv",
        [this](const juce::File& file) { writeTable(file); });
}

void EventPanel::writeTable(juce::File file) {
    if (!withExtension(file, ".csv")) return;
    const auto why = controller_.recordings().writeTable(file);
    if (why.isNotEmpty() && onNotice) onNotice(why, Tone::busy);
}

// The dialog has asked about exactly this file, and no other is replaced.
bool EventPanel::withExtension(juce::File& file, const std::string& extension) const {
    if (file.getFileExtension().isNotEmpty()) return true;
    file = file.withFileExtension(extension);
    if (!file.exists()) return true;
    if (onNotice)
        onNotice(file.getFileName() + " already exists: choose it by its full name to replace it",
                 Tone::trouble);
    return false;
}

void EventPanel::exportEvents(const formats::EventFormat& format) {
    const auto recording =
        controller_.playback().showsRecording() ? controller_.playback().recording() : juce::File();
    ask("Export events", exportName(recording, format), juce::String("*") + format.extension(),
        [this, &format](const juce::File& file) { save(file, format); });
}

std::string EventPanel::reviewed() const { return review_.table(recording(table_.chosen())); }

void EventPanel::exportReview() {
    const auto name = controller_.playback().recording().getFileNameWithoutExtension() + " review.csv";
    ask("Export the review", juce::File::createLegalFileName(name), "*.csv",
        [this](const juce::File& file) { saveText(file, ".csv", reviewed()); });
}

// Asks for a file to write, beside the recording at first.
void EventPanel::ask(const juce::String& title, const juce::String& name, const juce::String& pattern,
                     std::function<void(const juce::File&)> then) {
    const auto recording = controller_.playback().recording();
    const auto folder = controller_.playback().showsRecording() && recording != juce::File()
                            ? recording.getParentDirectory()
                            : juce::File::getSpecialLocation(juce::File::userDocumentsDirectory);
    chooser_ = std::make_unique<juce::FileChooser>(title, folder.getChildFile(name), pattern);
    chooser_->launchAsync(juce::FileBrowserComponent::saveMode | juce::FileBrowserComponent::canSelectFiles |
                              juce::FileBrowserComponent::warnAboutOverwriting,
                          [self = juce::Component::SafePointer<EventPanel>(this),
                           then = std::move(then)](const juce::FileChooser& chooser) {
                              const auto file = chooser.getResult();
                              if (self != nullptr && file != juce::File())
                                  catchAll(*self, [&] { then(file); });
                          });
}

void EventPanel::save(juce::File file, const formats::EventFormat& format) {
    saveText(std::move(file), format.extension(), exported(format));
}

void EventPanel::saveText(juce::File file, const std::string& extension, const std::string& document) {
    if (!withExtension(file, extension)) return;
    const auto problem = writeDocument(file, document);
    const auto count = static_cast<int>(table_.chosen().size());
    const auto wrote =
        "Wrote " + juce::String(count) + (count == 1 ? " event to " : " events to ") + file.getFullPathName();
    const auto part = partNote();
    if (problem.isNotEmpty() && onNotice) onNotice(problem, Tone::trouble);
    if (problem.isEmpty() && onWrote) onWrote(wrote + part, part.isEmpty() ? Tone::fine : Tone::busy, file);
}

juce::File EventPanel::notesToDrag(const std::vector<detection::Event>& events) const {
    const auto recordingFile =
        controller_.playback().showsRecording() ? controller_.playback().recording() : juce::File();
    const auto& midi = *formats::formatNamed("midi");
    auto file = writeForDragging(exportName(recordingFile, midi),
                                 formats::document(midi, recording(events), notes()));
    if (file == juce::File() && onNotice)
        onNotice("Could not write a file to drag. Free some space in the temporary folder, or use MIDI "
                 "to save it elsewhere",
                 Tone::trouble);
    return file;
}

bool EventPanel::beginDrag(const std::vector<detection::Event>& events, bool midi) {
    if (events.empty()) return false;
    draggedNotes_ = midi ? notesToDrag(events) : juce::File();
    if (!midi) controller_.clips().prepareDrag(clipRequest(events), viewModel_.history().stream);
    return !midi || draggedNotes_ != juce::File();
}

juce::StringArray EventPanel::draggedFiles() {
    if (draggedNotes_ != juce::File()) return {draggedNotes_.getFullPathName()};
    const auto clips = controller_.clips().dragged();
    if (clips.files.isEmpty() && onNotice)
        onNotice(clips.problem.isNotEmpty() ? clips.problem
                                            : "The audio is being prepared: drag it again in a moment",
                 Tone::busy);
    return clips.files;
}

void EventPanel::drag() {
    const auto file = notesToDrag(table_.chosen());
    if (file == juce::File()) return;
    // Copied, not moved, because the receiver may ask for it more than once.
    juce::DragAndDropContainer::performExternalDragDropOfFiles({file.getFullPathName()}, false, this);
}

// Judges an event of a recording. Events of taught sounds become examples, too.
void EventPanel::judge(const detection::Event& event, bool right) {
    if (!review_.possible()) return teachFrom(event, right);
    if (const auto why = review_.judge(event, right); why.isNotEmpty()) {
        if (onNotice) onNotice(why, Tone::trouble);
        return;
    }
    const auto verdict = review_.of(event);
    if (verdict && taughtSound(controller_.teaching().state(), viewModel_.label(event.classIndex)) != nullptr)
        teachFrom(event, right);
    updateShown();
    juce::AccessibilityHandler::postAnnouncement(!verdict   ? "Not reviewed"
                                                 : *verdict ? "Right"
                                                            : "Wrong",
                                                 juce::AccessibilityHandler::AnnouncementPriority::medium);
}

void EventPanel::nextUnreviewed() {
    if (!review_.possible()) {
        if (onNotice) onNotice("Events of recordings are reviewed: open one first", Tone::busy);
    } else if (const auto row = review_.next(table_.rows().rows(), table_.lastSelected())) {
        table_.show(*row);
    } else if (onNotice) {
        onNotice("All listed events are reviewed", Tone::fine);
    }
}

void EventPanel::showProgress() {
    table_.repaint();
    const bool shown = review_.possible() && table_.listed() > 0;
    const auto text = juce::String(review_.judged(table_.rows().rows())) + " of " +
                      juce::String(table_.listed()) + " reviewed";
    if (std::exchange(hasProgress_, shown) == shown && text == progress_.getButtonText()) return;
    progress_.setButtonText(text);
    describeWithTooltip(
        progress_, text,
        "Go to the next event without a judgement (N); R and W judge an event right or wrong");
    resized();
}

void EventPanel::addReviewEntries(juce::PopupMenu& menu, const detection::Event& event) {
    if (!review_.possible()) return;
    const auto verdict = review_.of(event);
    const auto add = [&](const char* text, const char* key, bool ticked,
                         std::function<void(EventPanel&)> act) {
        juce::PopupMenu::Item item(text);
        item.shortcutKeyDescription = key;
        item.isTicked = ticked;
        item.action = [self = juce::Component::SafePointer<EventPanel>(this), act = std::move(act)] {
            if (self != nullptr) catchAll(*self, [&] { act(*self); });
        };
        menu.addItem(std::move(item));
    };
    add("Right", "R", verdict == Verdict(true), [event](EventPanel& panel) { panel.judge(event, true); });
    add("Wrong", "W", verdict == Verdict(false), [event](EventPanel& panel) { panel.judge(event, false); });
    add("Next event without a judgement", "N", false, [](EventPanel& panel) { panel.nextUnreviewed(); });
    menu.addSeparator();
}

// Keeps an event of a taught sound as an example of it or, if it is wrong, of what is not it.
void EventPanel::teachFrom(const detection::Event& event, bool right) {
    if (!onNotice) return;
    const auto name = viewModel_.label(event.classIndex);
    const auto teaching = controller_.teaching().state();
    const auto* taught = taughtSound(teaching, name);
    if (taught == nullptr) {
        onNotice(name + " is one of the model's own sounds, which cannot be changed. For a wrong one, " +
                     (viewModel_.byConfidence() ? "" : "raise its threshold, or ") +
                     "teach what it really is: This is... in the menu",
                 Tone::busy);
        return;
    }
    Mark span;
    span.set(event.onset, event.offset, viewModel_.end());
    const auto news = teachSpan(controller_, taught->name, span, right);
    onNotice(news.text, news.tone());
}

juce::PopupMenu EventPanel::menu(const detection::Event& event) {
    const auto name = viewModel_.label(event.classIndex).toStdString();
    const bool pinned = controller_.view().get().pinned.count(name) > 0;
    juce::PopupMenu menu;
    const juce::Component::SafePointer<EventPanel> self(this);
    menu.addItem("Go there", [self, event] {
        if (self != nullptr && self->onGoTo) catchAll(*self, [&] { self->onGoTo(event); });
    });
    menu.addItem(table_.selectedCount() > 1 ? "Copy the selected events" : "Copy this event", [self] {
        if (self != nullptr) catchAll(*self, [&] { self->copy(); });
    });
    menu.addSubMenu("Export", exports_.menu());
    menu.addSeparator();
    addReviewEntries(menu, event);
    Mark span;
    span.set(event.onset, event.offset, viewModel_.end());
    addTeachEntries(
        menu, *this, controller_, toText(name), span,
        [this, event] {
            if (onName) onName(event);
        },
        [this](const TeachNews& news) {
            if (onNotice) onNotice(news.text, news.tone());
        });
    menu.addSeparator();
    menu.addItem((pinned ? "Unpin " : "Pin ") + toText(name), [self, name, pinned] {
        if (self == nullptr) return;
        catchAll(*self, [&] {
            self->controller_.view().edit([&](ViewSettings& view) {
                if (pinned)
                    view.pinned.erase(name);
                else
                    view.pinned.insert(name);
            });
        });
    });
    menu.addItem("Hide " + toText(name), [self, name] {
        if (self == nullptr) return;
        catchAll(*self, [&] {
            self->controller_.view().edit([&](ViewSettings& view) { view.hidden.insert(name); });
        });
    });
    return menu;
}

void EventPanel::paint(juce::Graphics& graphics) { drawPanel(graphics, *this, getLocalBounds().toFloat()); }

void EventPanel::resized() {
    table_.setBounds(getLocalBounds());
    auto header = getLocalBounds().removeFromTop(EventTable::headerHeight + 4).withTrimmedRight(size::gap);
    fold_.setBounds(header.removeFromRight(28).reduced(0, 5));
    header.removeFromRight(4);
    // The buttons lie over the list's header, to the right of its columns.
    constexpr int width = ExportButtons::width;
    exports_.setBounds(header.removeFromRight(width).withSizeKeepingCentre(width, size::control));
    constexpr int progressWidth = 136, minWidth = 800;
    progress_.setVisible(hasProgress_ && getWidth() >= minWidth);
    if (progress_.isVisible()) {
        header.removeFromRight(6);
        progress_.setBounds(
            header.removeFromRight(progressWidth).withSizeKeepingCentre(progressWidth, size::control));
    }
    table_.setHeaderTaken(getWidth() - (progress_.isVisible() ? progress_.getX() : exports_.getX()));
}

} // namespace earshot::ui
