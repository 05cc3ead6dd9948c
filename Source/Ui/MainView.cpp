#include "Ui/MainView.h"

#include "Core/Streaming/FilePlayer.h"
#include "Ui/Panels/Drops.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/FilterBar.h"
#include "Ui/Panels/MainLayout.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/NowPanel.h"
#include "Ui/Panels/RecordingBar.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/Panels/Shortcuts.h"
#include "Ui/Panels/TopBar.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Recordings/RecordingsPanel.h"
#include "Ui/Safe.h"
#include "Ui/Teach/MarkBar.h"
#include "Ui/Teach/TeachEntries.h"
#include "Ui/Teach/TeachPanel.h"
#include "Ui/TimeAxis.h"
#include "Ui/TimelineView.h"
#include "Ui/Watcher.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace earshot::ui {

namespace {

// The Tab key goes to nothing that a panel at the side covers. The panel is walked by itself.
class UncoveredTraverser : public juce::KeyboardFocusTraverser {
  public:
    explicit UncoveredTraverser(const juce::Component* panel)
        : panel_(panel) {}

    juce::Component* getNextComponent(juce::Component* current) override {
        do current = KeyboardFocusTraverser::getNextComponent(current);
        while (current != nullptr && isCovered(*current));
        return current;
    }
    juce::Component* getPreviousComponent(juce::Component* current) override {
        do current = KeyboardFocusTraverser::getPreviousComponent(current);
        while (current != nullptr && isCovered(*current));
        return current;
    }
    std::vector<juce::Component*> getAllComponents(juce::Component* parent) override {
        auto all = KeyboardFocusTraverser::getAllComponents(parent);
        std::erase_if(all, [this](const juce::Component* component) { return isCovered(*component); });
        return all;
    }

  private:
    bool isCovered(const juce::Component& component) const {
        return panel_ != nullptr && !panel_->isParentOf(&component) &&
               panel_->getLocalBounds().contains(
                   panel_->getLocalArea(&component, component.getLocalBounds()));
    }

    const juce::Component* panel_; // null: nothing is covered
};

} // namespace

struct MainView::Impl : Watcher::Listener, juce::ChangeListener {
    Impl(MainView& owner, Controller& controllerToShow);
    ~Impl() override;

    void heardMore(const Watcher::Changes& changes) override;
    void changeListenerCallback(juce::ChangeBroadcaster* source) override {
        guarded(view, [&] { changed(source); });
    }
    void changed(juce::ChangeBroadcaster* source);
    void connect();
    void dressUp();
    void showStream();
    void showAxis();
    void showNotices();
    void showCount();
    void search(const juce::String& text);
    void goTo(const detection::Event& event);
    void openSettings(bool open);
    void openTeaching(bool open);
    void openRecordings(bool open);
    void closeSides();
    // The view gets the keyboard that the panel had.
    template <typename Panel>
    void closeSide(std::unique_ptr<Panel>& panel) {
        if (panel == nullptr) return;
        panel.reset();
        takeKeyboard(view);
    }
    void openFile(const juce::File& file);
    void goTo(const FoundEvent& found);
    void playFound(const FoundEvent& found);
    void showSide(SidePanel& panel, void (Impl::*open)(bool));
    void followMark(MarkNews news);
    void placeMarkBar();
    void teach(const juce::String& sound, bool is);
    void playMark(bool plays);
    void playEvent(const detection::Event& event);
    void choose(const juce::String& title, const juce::String& pattern,
                std::function<void(const juce::File&)> then);
    Drop dropped(const juce::StringArray& files) const {
        return dropOf(files, watcher.recordings().possible, teaching != nullptr);
    }
    void take(const Drop& drop);
    bool perform(Command command);
    void layOutNow();

    MainView& view;
    Controller& controller;
    std::unique_ptr<Theme> theme;
    Watcher& watcher;
    TimeAxis axis;
    juce::String sought;
    Safe<TopBar> topBar;
    Safe<NoticeBar> notice;
    Safe<RecordingBar> recording;
    Safe<TimelineView> timeline;
    Safe<NowPanel> now;
    Safe<FilterBar> filter;
    Safe<Divider> divider;
    Safe<EventPanel> events;
    Safe<MarkBar> markBar;
    // At most one of them is open, and exists.
    std::unique_ptr<SettingsPanel> settings;
    std::unique_ptr<TeachPanel> teaching;
    std::unique_ptr<RecordingsPanel> recordings;
    Safe<DropOverlay> drop;
    juce::TooltipWindow tooltips;
    std::unique_ptr<juce::FileChooser> chooser;
    // Whether the list is folded: the user's choice; empty: the height decides.
    std::optional<bool> folded;
    int eventsHeight = 0;
    int heightAtDrag = 0;
};

MainView::Impl::Impl(MainView& owner, Controller& controllerToShow)
    : view(owner)
    , controller(controllerToShow)
    , watcher(controllerToShow.watcher())
    , topBar(controllerToShow, watcher)
    , recording(controllerToShow, watcher)
    , timeline(controllerToShow, watcher, axis)
    , now(controllerToShow, watcher)
    , filter(controllerToShow, watcher)
    , events(controllerToShow, watcher)
    , markBar(controllerToShow, watcher)
    , tooltips(&owner) {
    // In the order of the Tab key.
    for (juce::Component* child :
         {static_cast<juce::Component*>(&topBar), static_cast<juce::Component*>(&notice),
          static_cast<juce::Component*>(&recording), static_cast<juce::Component*>(&timeline),
          static_cast<juce::Component*>(&now), static_cast<juce::Component*>(&filter),
          static_cast<juce::Component*>(&divider), static_cast<juce::Component*>(&events)})
        view.addAndMakeVisible(child);
    view.addChildComponent(markBar);
    view.addChildComponent(drop);
    dressUp(); // after all parts exist, because some of JUCE's copy their colours
    connect();
    watcher.addListener(this);
    watcher.onTrouble = [this] { tellTrouble(view); };
    axis.addChangeListener(this);
    controller.view().addChangeListener(this);
    watcher.start();
    showStream();
}

MainView::Impl::~Impl() {
    juce::PopupMenu::dismissAllActiveMenus(); // menus use this theme
    guarded([this] { markBar.close(); });     // a mark must not be played on
    controller.view().removeChangeListener(this);
    axis.removeChangeListener(this);
    watcher.removeListener(this);
    watcher.onTrouble = nullptr;
    watcher.rest();
    view.setLookAndFeel(nullptr);
}

void MainView::Impl::connect() {
    topBar.onSettings = [this] { openSettings(settings == nullptr); };
    topBar.onTeach = [this] { openTeaching(teaching == nullptr); };
    topBar.onRecordings = [this] { openRecordings(recordings == nullptr); };
    topBar.onLoadModel = [this] {
        choose("Load a model", modelPattern(),
               [this](const juce::File& file) { controller.loadModel(file); });
    };
    topBar.onOpenRecording = [this] { perform(Command::openRecording); };
    notice.onChange = [this] { layOutNow(); };
    recording.onPosition = [this](double seconds) { axis.reveal(seconds); };
    timeline.onMark = [this](MarkNews news) { followMark(news); };
    timeline.onNotice = [this](const juce::String& text, Tone tone) { notice.say(text, tone); };
    markBar.onTeach = [this](const juce::String& sound, bool is) { teach(sound, is); };
    markBar.onPlay = [this](bool plays) { playMark(plays); };
    markBar.onLayout = [this] { placeMarkBar(); };
    markBar.onCancel = [this] {
        timeline.clearMark();
        takeKeyboard(timeline);
    };
    timeline.onPointer = [this](std::optional<double> seconds) { now.setPointer(seconds); };
    filter.onSearch = [this](const juce::String& text) { search(text); };
    filter.onRefusal = [this](const juce::String& why) { notice.say(why, Tone::busy); };
    events.onGoTo = [this](const detection::Event& event) { goTo(event); };
    events.onPlay = [this](const detection::Event& event) { playEvent(event); };
    events.onName = [this](const detection::Event& event) {
        goTo(event);
        timeline.nameSpan(event);
    };
    events.onNotice = [this](const juce::String& text, Tone tone) { notice.say(text, tone); };
    events.onCount = [this] { showCount(); };
    events.onFold = [this] {
        folded = !folded.value_or(foldsAtFirst(view.getHeight()));
        layOutNow();
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

void MainView::Impl::heardMore(const Watcher::Changes& changes) {
    if (changes.replaced && !changes.sameAudio) showStream();
    if (changes.replaced && changes.sameAudio && settings != nullptr) settings->refresh();
    if (changes.replaced) filter.showChoice();
    axis.setContentEnd(watcher.end());
    if (changes.words) {
        filter.showWords();
        if (settings != nullptr) settings->showWords();
    }
    if (changes.teaching) {
        markBar.showTeaching();
        if (teaching != nullptr) teaching->refresh();
    }
    if (changes.recordings && recordings != nullptr) recordings->refresh();
    if (changes.status || changes.replaced || changes.words) showNotices();
    if (changes.status || changes.replaced) {
        showAxis();
        if (settings != nullptr) settings->showKept();
    }
}

// For another stream: a recording is shown whole, the live stream with its former zoom.
void MainView::Impl::showStream() {
    axis.reset();
    if (controller.showsRecording()) {
        axis.showEverything();
        axis.stay(); // a recording that is zoomed into stays where it is
    } else {
        axis.setVisible(controller.view().get().visibleSeconds, 0.0);
    }
    axis.setContentEnd(watcher.end());
    recording.refresh();
    topBar.refresh();
    if (settings != nullptr) settings->refresh();
    showNotices();
    showAxis();
    layOutNow();
}

void MainView::Impl::changed(juce::ChangeBroadcaster* source) {
    if (source == &axis) {
        showAxis();
        placeMarkBar();
        return;
    }
    if (theme->palette().light != (controller.view().get().theme == ThemeChoice::light)) dressUp();
    filter.showChoice();
    events.updateShown();
    now.updateShown();
}

// The list keeps its newest event in sight while the timeline follows. The list of a recording stays.
void MainView::Impl::showAxis() {
    events.table().setFollowing(axis.following() && !controller.showsRecording());
}

void MainView::Impl::showNotices() {
    const auto& status = watcher.status();
    const auto problem = controller.outputsProblem();
    const bool failed = status.state == streaming::State::failed;
    if (failed)
        notice.setStanding(status.message.empty() ? toText(statusText(status).detail)
                                                  : toText(status.message),
                           Tone::trouble);
    else if (problem.isNotEmpty())
        notice.setStanding(problem, Tone::trouble);
    else if (const auto& words = watcher.words(); !words.words.empty() && words.hint.isNotEmpty())
        notice.setStanding(words.hint, Tone::busy); // there are words that are not listened for
    else if (!controller.showsRecording())
        notice.setStanding(toText(status.message), Tone::busy);
    else
        notice.setStanding({}, Tone::idle);
    if (settings != nullptr) settings->showProblem(problem);
}

void MainView::Impl::showCount() {
    filter.setCount(events.table().listed(), events.allEvents(), watcher.events().dropped());
}

void MainView::Impl::search(const juce::String& text) {
    sought = text;
    timeline.setSearch(text);
    now.setSearch(text);
    events.setSearch(text);
}

void MainView::Impl::goTo(const detection::Event& event) {
    axis.reveal(event.onset);
    timeline.reveal(event.classIndex, event.onset, event.offset);
    if (recording.canPlay()) controller.player()->seek(event.onset);
}

void MainView::Impl::openSettings(bool open) {
    if (!open) return closeSide(settings);
    closeSides();
    settings = std::make_unique<Safe<SettingsPanel>>(controller, watcher);
    showSide(*settings, &Impl::openSettings);
    settings->refresh();
}

void MainView::Impl::openTeaching(bool open) {
    if (!open) return closeSide(teaching);
    closeSides();
    controller.openTeaching();
    teaching = std::make_unique<Safe<TeachPanel>>(controller, watcher);
    showSide(*teaching, &Impl::openTeaching);
}

void MainView::Impl::openRecordings(bool open) {
    if (!open) return closeSide(recordings);
    closeSides();
    recordings = std::make_unique<Safe<RecordingsPanel>>(controller, watcher);
    recordings->onOpen = [this](const juce::File& file) {
        if (controller.recording() != file) controller.openRecording(file);
    };
    recordings->onGoTo = [this](const FoundEvent& found) { goTo(found); };
    recordings->onPlay = [this](const FoundEvent& found) { playFound(found); };
    showSide(*recordings, &Impl::openRecordings);
}

void MainView::Impl::closeSides() {
    settings.reset();
    teaching.reset();
    recordings.reset();
}

// Opens a recording, and lists it where there is a list.
void MainView::Impl::openFile(const juce::File& file) {
    controller.openRecording(file);
    if (watcher.recordings().possible) controller.addRecordings({file.getFullPathName()});
}

// The lane comes into view if the recording was heard already.
void MainView::Impl::goTo(const FoundEvent& found) {
    if (controller.recording() != found.file) {
        controller.openRecording(found.file);
        watcher.update(); // shows it whole
    }
    axis.reveal(found.onset);
    if (const auto& labels = watcher.history().labels)
        if (const auto classIndex = labels->find(found.sound))
            timeline.reveal(*classIndex, found.onset, found.offset);
    if (recording.canPlay()) controller.player()->seek(found.onset);
}

// Plays an event again and again, or stops.
void MainView::Impl::playFound(const FoundEvent& found) {
    if (controller.recording() != found.file) goTo(found);
    detection::Event event;
    event.onset = found.onset;
    event.offset = found.offset;
    playEvent(event);
}

void MainView::Impl::showSide(SidePanel& panel, void (Impl::*open)(bool)) {
    panel.onClose = [this, open] {
        // Not from within a click on its own button.
        const juce::Component::SafePointer<MainView> self(&view);
        juce::MessageManager::callAsync([self, open] {
            if (self != nullptr) guarded(*self, [&] { (self->impl_.get()->*open)(false); });
        });
    };
    view.addAndMakeVisible(panel);
    panel.sendLookAndFeelChange();
    layOutNow();
    panel.focusFirst();
}

void MainView::Impl::followMark(MarkNews news) {
    switch (news) {
    case MarkNews::made:
        markBar.open(timeline.markName());
        break;
    case MarkNews::changed:
        if (markBar.plays()) playMark(true);
        break;
    case MarkNews::named:
        markBar.focusField();
        break;
    case MarkNews::gone:
        markBar.close();
        break;
    }
    placeMarkBar();
}

void MainView::Impl::placeMarkBar() {
    if (!markBar.isVisible()) return;
    const auto room = view.getLocalBounds().withTrimmedTop(size::topBar).reduced(4);
    markBar.setBounds(
        MarkBar::beside(timeline.markPlace() + timeline.getPosition(), markBar.heightNow(), room));
}

void MainView::Impl::teach(const juce::String& sound, bool is) {
    const auto news = teachSpan(controller, sound, timeline.mark(), is);
    notice.say(news.text, news.tone());
    if (!news.kept) return; // to be marked or named otherwise
    timeline.clearMark();
    takeKeyboard(timeline);
}

void MainView::Impl::playMark(bool plays) {
    auto* player = controller.player();
    if (player == nullptr) return;
    if (plays) {
        player->loop(timeline.mark().onset(), timeline.mark().offset());
        return;
    }
    player->stop();
    player->stopLoop();
}

// Plays an event again and again, or stops.
void MainView::Impl::playEvent(const detection::Event& event) {
    if (!recording.canPlay()) {
        notice.say("Only recordings in the app can be played", Tone::busy);
        return;
    }
    auto& player = *controller.player();
    if (!player.playing()) {
        player.loop(event.onset, event.offset);
        return;
    }
    player.stop();
    player.stopLoop();
}

void MainView::Impl::choose(const juce::String& title, const juce::String& pattern,
                            std::function<void(const juce::File&)> then) {
    chooser = std::make_unique<juce::FileChooser>(title, juce::File(), pattern);
    const juce::Component::SafePointer<MainView> self(&view);
    chooser->launchAsync(juce::FileBrowserComponent::openMode | juce::FileBrowserComponent::canSelectFiles,
                         [self, then = std::move(then)](const juce::FileChooser& result) {
                             if (self == nullptr) return;
                             guarded(*self, [&] {
                                 const auto file = result.getResult();
                                 if (file != juce::File()) then(file);
                             });
                         });
}

void MainView::Impl::take(const Drop& dropped) {
    if (dropped.kind == Drop::Kind::model)
        controller.loadModel(dropped.file);
    else if (dropped.kind == Drop::Kind::recording)
        openFile(dropped.file);
    else if (dropped.kind == Drop::Kind::examples) {
        if (const auto why = controller.addExamples(dropped.file); why.isNotEmpty())
            notice.say(why, Tone::trouble);
    } else if (dropped.kind == Drop::Kind::recordings) {
        controller.addRecordings(dropped.paths);
        if (recordings == nullptr) openRecordings(true);
    } else
        notice.say(dropped.words, Tone::busy);
}

bool MainView::Impl::perform(Command command) {
    switch (command) {
    case Command::playOrFreeze:
        if (recording.canPlay())
            recording.playOrStop();
        else
            topBar.toggleFreeze();
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
        openTeaching(teaching == nullptr);
        return true;
    case Command::recordings:
        if (!watcher.recordings().possible) return false; // the host handles the key
        openRecordings(recordings == nullptr);
        return true;
    case Command::settings:
        openSettings(settings == nullptr);
        return true;
    case Command::cancel:
        if (settings != nullptr) {
            openSettings(false);
            return true;
        }
        if (teaching != nullptr) {
            openTeaching(false);
            return true;
        }
        if (recordings != nullptr) {
            openRecordings(false);
            return true;
        }
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

void MainView::Impl::layOutNow() {
    if (view.getWidth() == 0) return;
    MainLayout::Wishes wishes;
    wishes.notice = notice.isShown();
    wishes.recording = controller.showsRecording();
    wishes.folded = folded.value_or(foldsAtFirst(view.getHeight()));
    wishes.eventsHeight = eventsHeight;
    const auto layout = layOut(view.getLocalBounds(), wishes);
    events.setFolded(wishes.folded);
    const auto place = [](juce::Component& component, juce::Rectangle<int> bounds) {
        component.setVisible(!bounds.isEmpty());
        component.setBounds(bounds);
    };
    place(topBar, layout.topBar);
    place(notice, layout.notice);
    place(recording, layout.recording);
    place(timeline, layout.timeline);
    place(now, layout.now);
    place(filter, layout.filter);
    place(divider, layout.divider);
    place(events, layout.events);
    drop.setBounds(view.getLocalBounds());
    if (settings != nullptr) settings->setBounds(layout.side);
    if (teaching != nullptr) teaching->setBounds(layout.side);
    if (recordings != nullptr) recordings->setBounds(layout.wideSide);
    placeMarkBar();
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
    impl_->watcher.update();
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
    const auto command = commandFor(key);
    return command && impl_->perform(*command);
}

void MainView::showRecordings() {
    guarded(*this, [&] { impl_->openRecordings(true); });
}

std::unique_ptr<juce::ComponentTraverser> MainView::createKeyboardFocusTraverser() {
    const juce::Component* panel = nullptr;
    if (impl_ != nullptr && impl_->settings != nullptr) panel = impl_->settings.get();
    if (impl_ != nullptr && impl_->teaching != nullptr) panel = impl_->teaching.get();
    if (impl_ != nullptr && impl_->recordings != nullptr) panel = impl_->recordings.get();
    return std::make_unique<UncoveredTraverser>(panel);
}

// All files, so that the view can say which ones it cannot take.
bool MainView::isInterestedInFileDrag(const juce::StringArray&) { return true; }

void MainView::fileDragEnter(const juce::StringArray& files, int, int) {
    guarded(*this, [&] { impl_->drop.show(impl_->dropped(files)); });
}

void MainView::fileDragExit(const juce::StringArray&) { impl_->drop.setVisible(false); }

void MainView::filesDropped(const juce::StringArray& files, int, int) {
    guarded(*this, [&] {
        impl_->drop.setVisible(false);
        impl_->take(impl_->dropped(files));
    });
}

// Asynchronously, because the failure may have come in the middle of painting or of a layout.
void tellTrouble(juce::Component& where) noexcept {
    guarded([&] {
        auto* view = dynamic_cast<MainView*>(&where);
        if (view == nullptr) view = where.findParentComponentOfClass<MainView>();
        if (view == nullptr) return;
        juce::MessageManager::callAsync([self = juce::Component::SafePointer<MainView>(view)] {
            if (self != nullptr) guarded([&] { self->showTrouble(); });
        });
    });
}

void MainView::showTrouble() {
    impl_->notice.say(
        "Something could not be shown or done: if it happens again, close other programs, as memory "
        "may be short, and open Earshot anew",
        Tone::trouble);
}

} // namespace earshot::ui
