#include "Ui/MainView.h"

#include "Core/Model/ModelLocator.h"
#include "Ui/EditHistory.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/ClipNotice.h"
#include "Ui/Panels/Drops.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/FilterBar.h"
#include "Ui/Panels/MainLayout.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/NowPanel.h"
#include "Ui/Panels/OpenDialog.h"
#include "Ui/Panels/RecordingBar.h"
#include "Ui/Panels/Shortcuts.h"
#include "Ui/Panels/SidePanels.h"
#include "Ui/Panels/StandingNotice.h"
#include "Ui/Panels/TopBar.h"
#include "Ui/Panels/WelcomePanel.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Teach/MarkBar.h"
#include "Ui/Teach/TeachNotice.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/GoTo.h"
#include "Ui/Timeline/PlayLoop.h"
#include "Ui/TimelineView.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace earshot::ui {

struct MainView::Impl : HistoryViewModel::Listener, juce::ChangeListener, juce::FocusChangeListener {
    Impl(MainView& owner, Controller& controllerToShow);
    ~Impl() override;
    void historyChanged(const HistoryViewModel::Changes& changes) override;
    void changeListenerCallback(juce::ChangeBroadcaster* source) override {
        catchAll(view, [&] { changed(source); });
    }
    void changed(juce::ChangeBroadcaster* source);
    void globalFocusChanged(juce::Component* focused) override {
        catchAll(view, [&] { keepKeyboard(focused); });
    }
    void keepKeyboard(const juce::Component* focused);
    void connect();
    void dressUp();
    void showStream();
    void showAxis();
    void showNotices();
    void openFile(const juce::File& file);
    void report(const juce::String& refusal); // unless it is empty
    Drop dropped(const juce::StringArray& files) const {
        return dropOf(files, viewModel.recordings().possible, panels.shows(Side::teaching));
    }
    void take(const Drop& drop);
    bool perform(Command command);
    bool undoOrRedo(bool undo);
    void focusEnd(bool last);
    void layOutNow();

    MainView& view;
    Controller& controller;
    std::unique_ptr<Theme> theme;
    HistoryViewModel& viewModel;
    TimeAxis axis;
    NonThrowing<TopBar> topBar;
    NonThrowing<NoticeBar> notice;
    ClipNotice clips;
    TeachNotice taught;
    NonThrowing<RecordingBar> recording;
    NonThrowing<TimelineView> timeline;
    NonThrowing<WelcomePanel> welcome;
    NonThrowing<NowPanel> now;
    NonThrowing<FilterBar> filter;
    NonThrowing<Divider> divider{"Height of the event list", "Up and down make the list higher or lower"};
    NonThrowing<EventPanel> events;
    NonThrowing<MarkBar> markBar;
    GoTo goTo;
    PlayLoop loop;
    SidePanels panels;
    EditHistory edits;
    NonThrowing<DropOverlay> drop;
    juce::TooltipWindow tooltips;
    OpenDialog choose;
    // Whether the list is folded: the user's choice; empty: the height decides.
    std::optional<bool> folded;
    int eventsHeight = 0;
    int heightAtDrag = 0;
};

namespace {

juce::File demoFile() {
    const auto demo = model::demoRecording();
    return demo ? juce::File(toText(demo->string())) : juce::File();
}

} // namespace

MainView::Impl::Impl(MainView& owner, Controller& controllerToShow)
    : view(owner)
    , controller(controllerToShow)
    , viewModel(controllerToShow.viewModel())
    , topBar(controllerToShow, viewModel)
    , clips(controllerToShow, viewModel, notice)
    , taught(controllerToShow, viewModel, notice)
    , recording(controllerToShow.playback(), viewModel)
    , timeline(controllerToShow, viewModel, axis)
    , welcome(demoFile())
    , now(controllerToShow, viewModel)
    , filter(controllerToShow, viewModel)
    , events(controllerToShow, viewModel)
    , markBar(controllerToShow, viewModel, timeline)
    , goTo(controllerToShow.playback(), viewModel, axis, timeline)
    , loop(controllerToShow.playback(), viewModel, timeline)
    , panels(owner, controllerToShow, viewModel)
    , edits(controllerToShow)
    , tooltips(&owner)
    , choose(owner) {
    // In the order of the Tab key.
    for (juce::Component* child :
         {static_cast<juce::Component*>(&topBar), static_cast<juce::Component*>(&notice),
          static_cast<juce::Component*>(&recording), static_cast<juce::Component*>(&timeline),
          static_cast<juce::Component*>(&welcome), static_cast<juce::Component*>(&now),
          static_cast<juce::Component*>(&filter), static_cast<juce::Component*>(&divider),
          static_cast<juce::Component*>(&events)})
        view.addAndMakeVisible(child);
    view.addChildComponent(markBar);
    view.addChildComponent(drop);
    dressUp(); // after all parts exist, because some of JUCE's copy their colours
    connect();
    viewModel.addListener(this);
    viewModel.onTrouble = [this] { tellTrouble(view); };
    juce::Desktop::getInstance().addFocusChangeListener(this);
    axis.addChangeListener(this);
    controller.view().addChangeListener(this);
    viewModel.start();
    showStream();
}

MainView::Impl::~Impl() {
    juce::PopupMenu::dismissAllActiveMenus(); // menus use this theme
    catchAll([this] { markBar.close(); });    // a mark must not be played on
    controller.view().removeChangeListener(this);
    axis.removeChangeListener(this);
    juce::Desktop::getInstance().removeFocusChangeListener(this);
    viewModel.removeListener(this);
    viewModel.onTrouble = nullptr;
    viewModel.rest();
    view.setLookAndFeel(nullptr);
}

void MainView::Impl::connect() {
    topBar.onSettings = [this] { panels.toggle(Side::settings); };
    topBar.onTeach = [this] { panels.toggle(Side::teaching); };
    topBar.onRecordings = [this] { panels.toggle(Side::recordings); };
    topBar.onLoadModel = [this] {
        choose("Load a model", modelPattern(),
               [this](const juce::File& file) { controller.model().load(file); });
    };
    topBar.onUndo = [this] { undoOrRedo(true); };
    topBar.onRedo = [this] { undoOrRedo(false); };
    topBar.onOpenRecording = [this] { perform(Command::openRecording); };
    notice.onChange = [this] { layOutNow(); };
    welcome.onOpen = [this] { perform(Command::openRecording); };
    welcome.onDemo = [this](const juce::File& file) { controller.playback().open(file); };
    welcome.onAudioSettings = [this] { controller.shell().showAudioSettings(); };
    recording.onPosition = [this](double seconds) { axis.reveal(seconds); };
    recording.onProblem = [this](const juce::String& why) { notice.say(why, Tone::trouble); };
    timeline.onMark = [this](MarkNews news) {
        markBar.follow(news);
        edits.noteMark(timeline.markedSpan());
    };
    edits.onChange = [this] { topBar.showEdits(edits.canUndo(), edits.canRedo()); };
    taught.onTrain = [this] {
        if (!panels.shows(Side::teaching)) panels.open(Side::teaching);
    };
    edits.onMark = [this](const auto& mark) { timeline.restoreMark(mark); };
    timeline.onPointer = [this](const auto& seconds, bool moved) { now.setPointer(seconds, moved); };
    timeline.onPlay = [this](const auto& seconds) { events.table().setPlaying(seconds); };
    filter.onSearch = [this](const juce::String& text) {
        timeline.setSearch(text);
        now.setSearch(text);
        events.setSearch(text);
    };
    filter.onRefusal = edits.onRefusal = [this](const juce::String& why) { report(why); };
    events.onGoTo = [this](const detection::Event& event) { goTo(event); };
    events.onPlay = [this](const auto& event) { report(loop.playOrStop(event.onset, event.offset)); };
    recording.onLoop = [this] { report(loop.toggle()); };
    events.onName = [this](const detection::Event& event) {
        goTo(event);
        timeline.nameSpan(event);
    };
    timeline.onNotice = markBar.onNotice =
        events.onNotice = [this](const juce::String& text, Tone tone) { notice.say(text, tone); };
    events.onWrote = [this](const juce::String& text, Tone tone, const juce::File& file) {
        notice.say(text, tone, showFolder(controller.shell(), file));
    };
    events.onCount = [this] {
        filter.setCount(events.table().listed(), events.allEvents(), viewModel.dropped());
    };
    events.onFold = [this] {
        folded = !folded.value_or(foldsAtFirst(view.getHeight()));
        layOutNow();
    };
    panels.onGoTo = [this](const FoundEvent& found) { goTo(found); };
    panels.onPlay = [this](const FoundEvent& found) {
        if (controller.playback().recording() != found.file) goTo(found);
        report(loop.playOrStop(found.onset, found.offset));
    };
    divider.onStart = [this] { heightAtDrag = events.getHeight(); };
    divider.onMove = [this](int down) {
        eventsHeight = std::max(1, heightAtDrag - down);
        // A list that is dragged to no height is folded; one that is pulled up is unfolded.
        folded = eventsHeight < EventPanel::foldedHeight + EventTable::rowHeight;
        layOutNow();
    };
}

// The components use the old theme until they get the new one.
void MainView::Impl::dressUp() {
    auto next = std::make_unique<Theme>(controller.view().get().theme);
    view.setLookAndFeel(next.get());
    theme = std::move(next);
    view.repaint();
}

void MainView::Impl::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.replaced && !changes.sameAudio) showStream();
    if (changes.replaced) filter.showChoice();
    if (changes.words) filter.showWords();
    if (changes.teaching) {
        markBar.showTeaching();
        taught.update();
        edits.noteExamples();
    }
    if (changes.clips || changes.recordings) clips.update();
    if (changes.status || changes.replaced || changes.words) showNotices();
    if (changes.status || changes.replaced) showAxis();
    goTo.historyChanged();
}

// For another stream: a recording is shown whole, the live stream with its former zoom.
void MainView::Impl::showStream() {
    edits.forgetMarks();
    axis.reset();
    if (controller.playback().showsRecording()) {
        axis.showEverything();
        axis.stay(); // a recording that is zoomed into stays where it is
    } else {
        axis.setVisible(controller.view().get().visibleSeconds, 0.0);
    }
    timeline.showEnd();
    recording.refresh();
    topBar.refresh();
    panels.showOpenRecording();
    showNotices();
    showAxis();
    layOutNow();
}

void MainView::Impl::changed(juce::ChangeBroadcaster* source) {
    if (source == &axis) {
        showAxis();
        markBar.place();
        return;
    }
    if (theme->palette().light != (controller.view().get().theme == ThemeChoice::light)) dressUp();
    filter.showChoice();
    showNotices();
    events.updateShown();
    now.updateShown();
}

// The open panel or the view takes the keyboard when no control has it: a control lost it when it was
// disabled, or the window around the view has it. Another program's window keeps it.
void MainView::Impl::keepKeyboard(const juce::Component* focused) {
    if (focused != nullptr && !focused->isParentOf(&view)) return;
    const auto* peer = view.getPeer();
    if (peer == nullptr || !peer->isFocused() || view.isCurrentlyBlockedByAnotherModalComponent()) return;
    if (!panels.focus()) takeKeyboard(view);
}

// The list keeps its newest event in sight while the timeline follows. The list of a recording stays.
void MainView::Impl::showAxis() {
    events.table().setFollowing(axis.following() && !controller.playback().showsRecording());
}

void MainView::Impl::showNotices() {
    welcome.setProblem(viewModel.audioProblem());
    if (welcome.isVisible() != isEmptyApp(controller, viewModel)) layOutNow();
    for (const auto& why : {controller.playback().takeRefusal(), controller.model().takeRefusal()})
        if (why.isNotEmpty()) notice.say(why, Tone::trouble);
    const auto standing = standingNotice(controller, viewModel);
    notice.setStanding(standing.text, standing.tone);
}

// Opens a recording, and lists it where there is a list.
void MainView::Impl::openFile(const juce::File& file) {
    controller.playback().open(file);
    if (viewModel.recordings().possible) controller.recordings().add({file.getFullPathName()});
}

void MainView::Impl::report(const juce::String& refusal) {
    if (refusal.isNotEmpty()) notice.say(refusal, Tone::busy);
}

void MainView::Impl::take(const Drop& dropped) {
    if (dropped.kind == Drop::Kind::model)
        controller.model().load(dropped.file);
    else if (dropped.kind == Drop::Kind::recording)
        openFile(dropped.file);
    else if (dropped.kind == Drop::Kind::examples) {
        if (const auto why = controller.teaching().addExamples(dropped.file); why.isNotEmpty())
            notice.say(why, Tone::trouble);
    } else if (dropped.kind == Drop::Kind::recordings) {
        controller.recordings().add(dropped.paths);
        if (!panels.shows(Side::recordings)) panels.open(Side::recordings);
    } else
        notice.say(dropped.words, Tone::busy);
}

bool MainView::Impl::undoOrRedo(bool undo) {
    const auto what = undo ? edits.undo() : edits.redo();
    if (what.isNotEmpty()) notice.say((undo ? "Undone: " : "Redone: ") + what, Tone::fine);
    return what.isNotEmpty(); // else the host handles the key
}

bool MainView::Impl::perform(Command command) {
    switch (command) {
    case Command::playOrFreeze:
        if (controller.playback().playable() != nullptr)
            recording.playOrStop();
        else
            topBar.toggleFreeze();
        return true;
    case Command::loop:
        report(loop.toggle());
        return true;
    case Command::follow:
        axis.follow();
        return true;
    case Command::search:
        filter.focusSearch();
        return true;
    case Command::openRecording:
        choose("Open a recording", recordingPattern(), [this](const juce::File& file) { openFile(file); });
        return true;
    case Command::exportEvents:
        events.showExportMenu();
        return true;
    case Command::teach:
        panels.toggle(Side::teaching);
        return true;
    case Command::recordings:
        if (!viewModel.recordings().possible) return false; // the host handles the key
        panels.toggle(Side::recordings);
        return true;
    case Command::settings:
        panels.toggle(Side::settings);
        return true;
    case Command::help:
        panels.toggle(Side::help);
        return true;
    case Command::undo:
    case Command::redo:
        return undoOrRedo(command == Command::undo);
    case Command::cancel:
        if (panels.close()) return true;
        if (timeline.mark().exists()) {
            timeline.clearMark();
            return true;
        }
        if (filter.search().isEmpty()) return false; // the host handles the key
        filter.setSearch({});
        takeKeyboard(view);
        return true;
    }
    return false;
}

// Gives the keyboard to the first or last control.
void MainView::Impl::focusEnd(bool last) {
    const auto stops = panels.traverser()->getAllComponents(&view);
    if (!stops.empty()) takeKeyboard(last ? *stops.back() : *stops.front());
}

void MainView::Impl::layOutNow() {
    if (view.getWidth() == 0) return;
    MainLayout::Wishes wishes;
    wishes.notice = notice.isShown();
    wishes.recording = controller.playback().showsRecording();
    wishes.folded = folded.value_or(foldsAtFirst(view.getHeight()));
    wishes.eventsHeight = eventsHeight;
    wishes.panel = panels.width();
    const auto layout = layOut(view.getLocalBounds(), wishes);
    events.setFolded(wishes.folded);
    const auto place = [](juce::Component& component, juce::Rectangle<int> bounds) {
        component.setVisible(!bounds.isEmpty());
        component.setBounds(bounds);
    };
    place(topBar, layout.topBar);
    place(notice, layout.notice);
    place(recording, layout.recording);
    const bool empty = isEmptyApp(controller, viewModel);
    place(timeline, empty ? juce::Rectangle<int>() : layout.timeline);
    place(welcome, empty ? layout.timeline : juce::Rectangle<int>());
    place(now, layout.now);
    place(filter, layout.filter);
    place(divider, layout.divider);
    place(events, layout.events);
    drop.setBounds(view.getLocalBounds());
    panels.place(layout);
    markBar.place();
}

MainView::MainView(Controller& controller) {
    setWantsKeyboardFocus(true);
    setFocusContainerType(FocusContainerType::keyboardFocusContainer);
    describe(*this, "Earshot");
    setOpaque(true);
    impl_ = std::make_unique<Impl>(*this, controller);
}

MainView::~MainView() = default;

void MainView::refresh() {
    impl_->viewModel.update();
    impl_->topBar.refresh();
    impl_->recording.refresh();
    impl_->showNotices();
    impl_->now.advance(0.0);
    impl_->layOutNow();
}

void MainView::paint(juce::Graphics& graphics) { graphics.fillAll(Theme::of(*this).background); }

void MainView::resized() {
    if (impl_ != nullptr) impl_->layOutNow();
}

bool MainView::keyPressed(const juce::KeyPress& key) {
    // JUCE's Tab key leads from control to control, but not from the view into it.
    if (key.isKeyCode(juce::KeyPress::tabKey) && hasKeyboardFocus(false)) {
        impl_->focusEnd(key.getModifiers().isShiftDown());
        return true;
    }
    const auto command = commandFor(key);
    return command && impl_->perform(*command);
}

void MainView::showRecordings() {
    catchAll(*this, [&] { impl_->panels.open(Side::recordings); });
}

std::unique_ptr<juce::ComponentTraverser> MainView::createKeyboardFocusTraverser() {
    return impl_ != nullptr ? impl_->panels.traverser() : Component::createKeyboardFocusTraverser();
}

// All files, so that the view can say which ones it cannot take.
bool MainView::isInterestedInFileDrag(const juce::StringArray&) { return true; }

void MainView::fileDragEnter(const juce::StringArray& files, int, int) {
    catchAll(*this, [&] { impl_->drop.show(impl_->dropped(files)); });
}

void MainView::fileDragExit(const juce::StringArray&) { impl_->drop.setVisible(false); }

void MainView::filesDropped(const juce::StringArray& files, int, int) {
    catchAll(*this, [&] {
        impl_->drop.setVisible(false);
        impl_->take(impl_->dropped(files));
    });
}

bool MainView::shouldDropFilesWhenDraggedExternally(const juce::DragAndDropTarget::SourceDetails&,
                                                    juce::StringArray& files, bool& canMove) {
    canMove = false; // the receiver may ask for them more than once
    catchAll(*this, [&] { files = impl_->events.draggedFiles(); });
    return !files.isEmpty();
}

void MainView::showTrouble(const juce::String& cause) {
    impl_->notice.say("Something could not be shown or done: " + cause, Tone::trouble);
}

} // namespace earshot::ui
