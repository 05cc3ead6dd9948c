// Several recordings: their list, the batch that hears them, and the table of all events.
#include "Core/Streaming/FilePlayer.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/Paths.h"
#include "Support/Pictures.h"
#include "Support/PrivateBase.h"
#include "Ui/MainView.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Recordings/RecordingsPanel.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/TimelineView.h"
#include "ViewWalk.h"

#include <memory>
#include <utility>

using namespace earshot;
using juce::KeyPress;
using State = ui::ListedRecording::State;
using ui::FoundColumn;

namespace {

ui::ListedRecording recording(int id, const char* name, State state, int events = 0) {
    ui::ListedRecording made;
    made.id = id;
    made.file = juce::File("/tmp/in").getChildFile(name);
    made.name = name;
    made.seconds = 62.0;
    made.state = state;
    made.share = 0.4;
    made.events = events;
    if (state == State::failed) made.why = made.file.getFullPathName() + ": there is no sound in it";
    made.results = juce::File("/tmp/in earshot results");
    return made;
}

std::vector<ui::ListedRecording> threeRecordings() {
    return {recording(1, "a.wav", State::done, 2), recording(2, "dawn/b.wav", State::hearing),
            recording(3, "c.wav", State::failed)};
}

// The last one is of a recording that is not listed any more.
ui::ListedEvents someEvents() {
    ui::ListedEvents found;
    found.sounds = {"Rain", "Dog"};
    found.events = {
        {1, 1, 1.0, 2.0, 0.9f}, {2, 1, 0.5, 0.8, 0.7f}, {1, 0, 5.0, 9.0, 0.6f}, {9, 1, 0.0, 1.0, 0.8f}};
    return found;
}

struct Scene {
    explicit Scene(bool possible = true) {
        controller.recordings().now.possible = possible;
        controller.recordings().list(threeRecordings(), someEvents());
        view = std::make_unique<ui::MainView>(controller);
        view->setSize(1200, 720);
        view->refresh();
    }

    bool press(char letter) { return view->keyPressed(KeyPress(letter, juce::ModifierKeys(), letter)); }
    ui::RecordingsPanel* shown() { return test::find<ui::RecordingsPanel>(*view, "Recordings"); }
    ui::RecordingsPanel& panel() {
        if (shown() == nullptr) REQUIRE(press('l'));
        REQUIRE(shown() != nullptr);
        return *shown();
    }
    juce::ListBox& list(juce::Component& of, const juce::String& title) {
        auto* found = test::find<juce::ListBox>(of, title);
        REQUIRE(found != nullptr);
        return *found;
    }
    juce::ListBox& recordings() { return list(panel().recordings(), "Recordings"); }
    juce::ListBox& events() { return list(panel().found(), "Found events"); }
    template <typename Kind>
    Kind* find(const juce::String& title) {
        return test::find<Kind>(panel(), title);
    }
    juce::String notice() {
        juce::String text;
        test::walk(*view, [&](juce::Component& component) {
            if (auto* bar = dynamic_cast<ui::NoticeBar*>(&component); bar != nullptr && bar->isVisible())
                text = bar->text();
        });
        return text;
    }

    test::FakeController controller{{"Rain", "Dog"}};
    std::unique_ptr<ui::MainView> view;
};

// The places of the events in the order of their rows.
std::vector<int> found(const juce::String& search, ui::FoundOrder order = {}) {
    ui::RecordingList list;
    list.recordings = std::make_shared<const std::vector<ui::ListedRecording>>(threeRecordings());
    list.events = std::make_shared<const ui::ListedEvents>(someEvents());
    std::vector<int> places;
    for (const auto& row : ui::foundRows(list, search, order)) places.push_back(row.event);
    return places;
}

} // namespace

TEST_CASE("events of all recordings are found by sound, by group and by recording", "[unit]") {
    using Places = std::vector<int>;
    REQUIRE(found("") == Places{0, 2, 1});
    REQUIRE(found("  dog ") == Places{0, 1});
    REQUIRE(found("animal") == Places{0, 1});
    REQUIRE(found("DAWN") == Places{1});
    REQUIRE(found("dawn dog") == Places{1});
    REQUIRE(found("dawn rain").empty());
    REQUIRE(ui::foundRows({}, "", {}).empty());
}

TEST_CASE("events of all recordings are ordered by any column", "[unit]") {
    using Places = std::vector<int>;
    REQUIRE(found("", {FoundColumn::recording, true}) == Places{1, 0, 2});
    REQUIRE(found("", {FoundColumn::onset, false}) == Places{1, 0, 2});
    REQUIRE(found("", {FoundColumn::onset, true}) == Places{2, 0, 1});
    REQUIRE(found("", {FoundColumn::offset, true}) == Places{2, 0, 1});
    REQUIRE(found("", {FoundColumn::sound, false}) == Places{0, 1, 2}); // dogs before rain
    REQUIRE(found("", {FoundColumn::sound, true}) == Places{2, 0, 1});
    REQUIRE(found("", {FoundColumn::certainty, true}) == Places{0, 1, 2});
}

TEST_CASE("the table names the channel where recordings are analysed channel by channel", "[unit]") {
    Scene scene;
    auto events = someEvents();
    events.events[0].channel = 2;
    scene.controller.recordings().list(threeRecordings(), events);
    scene.view->refresh();
    auto& model = test::privateBase<juce::ListBoxModel>(scene.panel().found());
    CHECK(model.getNameForRow(0) == "Dog (channel 2) at 00:01.0 in a.wav, to 00:02.0, peak 0.90");
    CHECK(model.getNameForRow(1).startsWith("Rain at "));
}

TEST_CASE("events that are listed already get their times of day when the start is known", "[unit]") {
    Scene scene;
    auto& table = scene.panel().found();
    const auto events = scene.controller.recordings().now.events;
    const auto isSame = [](const juce::Image& a, const juce::Image& b) {
        for (int y = 0; y < a.getHeight(); ++y)
            for (int x = 0; x < a.getWidth(); ++x)
                if (a.getPixelAt(x, y) != b.getPixelAt(x, y)) return false;
        return true;
    };
    scene.events().setBufferedToImage(true); // as on a screen: what is not repainted stays as it was
    const auto before = test::snapshot(table);
    REQUIRE(isSame(test::snapshot(table), before));
    auto listed = threeRecordings();
    listed[0].start = parseWallTime("2026-10-25T02:30:00+01:00");
    auto& now = scene.controller.recordings().now;
    now.recordings = std::make_shared<const std::vector<ui::ListedRecording>>(listed);
    REQUIRE(now.events == events); // which come in their own time
    scene.view->refresh();
    CHECK(test::privateBase<juce::ListBoxModel>(table).getNameForRow(0).startsWith("Dog at 02:30:01.0 in "));
    CHECK_FALSE(isSame(test::snapshot(table), before));
}

TEST_CASE("recordings are ordered by what the list shows, and what is not known is last", "[unit]") {
    using ui::RecordingColumn;
    using Places = std::vector<int>;
    auto listed = threeRecordings();
    listed.push_back(recording(4, "d.wav", State::done, 1));
    const auto places = [&](RecordingColumn column, bool descending = false) {
        return ui::placesInOrder(listed, {column, descending});
    };
    CHECK(places(RecordingColumn::recording) == Places{0, 1, 2, 3});
    CHECK(places(RecordingColumn::recording, true) == Places{3, 2, 1, 0});
    CHECK(places(RecordingColumn::start) == Places{0, 1, 2, 3}); // none is known
    listed[0].start = parseWallTime("2026-10-25T02:30:00+01:00");
    listed[1].start = parseWallTime("2026-10-25T02:20:00-01:00"); // later, in UTC
    listed[3].start = parseWallTime("2026-10-24T22:00:00Z");
    CHECK(places(RecordingColumn::start) == Places{3, 0, 1, 2});
    CHECK(places(RecordingColumn::start, true) == Places{1, 0, 3, 2});
    listed[3].start->offset.reset(); // then the clocks decide
    CHECK(places(RecordingColumn::start) == Places{3, 1, 0, 2});
    listed[2].seconds = 0.0;
    listed[1].seconds = 10.0;
    CHECK(places(RecordingColumn::length) == Places{1, 0, 3, 2});
    CHECK(places(RecordingColumn::length, true) == Places{0, 3, 1, 2});
    listed[0].mostly = "Rain";
    listed[3].mostly = "dog 0.20";
    CHECK(places(RecordingColumn::mostly) == Places{3, 0, 1, 2});
    CHECK(places(RecordingColumn::state) == Places{1, 3, 0, 2});
    CHECK(ui::placesInOrder({}, {RecordingColumn::start, true}).empty());
    CHECK(ui::startText(*listed[0].start) == "2026-10-25 02:30:00 +01:00");
    CHECK(ui::startText(*listed[0].start, false) == "2026-10-25 02:30:00");
    CHECK(ui::startText(*listed[3].start) == "2026-10-24 22:00:00");
}

TEST_CASE("the list has a column with the start once a recording knows it", "[unit]") {
    Scene scene;
    auto& rows = test::privateBase<juce::ListBoxModel>(scene.panel().recordings());
    const auto heading = [&] { return scene.find<juce::Button>("Order the recordings by start"); };
    CHECK(heading() == nullptr);
    auto listed = threeRecordings();
    listed[0].start = parseWallTime("2026-10-25T02:30:00+01:00");
    listed[1].start = parseWallTime("2026-10-25T02:00:00+01:00");
    listed[0].mostly = "Dog";
    scene.controller.recordings().list(listed, someEvents());
    scene.view->refresh();
    REQUIRE(heading() != nullptr);
    test::writePicture(test::snapshot(*scene.view), "recordings-start");
    scene.panel().recordings().select(0);
    heading()->onClick();
    CHECK(rows.getNameForRow(0).startsWith("dawn/b.wav, from 2026-10-25 02:00:00 +01:00, "));
    CHECK(rows.getNameForRow(2).startsWith("c.wav"));
    CHECK(scene.recordings().isRowSelected(1)); // the same recording
    heading()->onClick();
    CHECK(rows.getNameForRow(0).startsWith("a.wav"));
    // Return and Delete mean the row that is shown.
    scene.panel().recordings().select(1);
    REQUIRE(scene.recordings().keyPressed(KeyPress(KeyPress::returnKey)));
    CHECK(scene.controller.playback().opened == juce::File("/tmp/in/dawn/b.wav"));
    REQUIRE(scene.recordings().keyPressed(KeyPress(KeyPress::deleteKey)));
    scene.view->refresh();
    CHECK(rows.getNumRows() == 2);
    CHECK(rows.getNameForRow(0).startsWith("a.wav"));
    CHECK(rows.getNameForRow(1).startsWith("c.wav"));
    // A list that becomes shorter while it is ordered.
    scene.controller.recordings().list({listed[2]}, someEvents());
    scene.view->refresh();
    CHECK(rows.getNameForRow(0).startsWith("c.wav"));
    CHECK(heading() == nullptr);
}

TEST_CASE("a recording's state is told in words", "[unit]") {
    REQUIRE(ui::stateText(recording(1, "a.wav", State::waiting)) == "waits");
    REQUIRE(ui::stateText(recording(1, "a.wav", State::hearing)) == "40 %");
    REQUIRE(ui::stateText(recording(1, "a.wav", State::done, 1)) == "1 event");
    REQUIRE(ui::stateText(recording(1, "a.wav", State::done, 2)) == "2 events");
    REQUIRE(ui::stateText(recording(1, "a.wav", State::failed)) == "not analysed: there is no sound in it");
    REQUIRE(ui::stateText(recording(1, "a.wav", State::failed, 3)) ==
            "analysed in part: there is no sound in it");
}

TEST_CASE("L lists recordings in the app, and is left to the host elsewhere", "[unit]") {
    Scene app;
    REQUIRE(app.shown() == nullptr);
    REQUIRE(test::find<juce::Button>(*app.view, "Recordings") != nullptr);
    REQUIRE(app.press('l'));
    REQUIRE(app.shown() != nullptr);
    REQUIRE(
        app.view->keyPressed(KeyPress(',', juce::ModifierKeys::commandModifier, 0))); // one panel at a time
    REQUIRE(app.shown() == nullptr);
    REQUIRE(app.press('l'));
    REQUIRE(test::find<ui::SettingsPanel>(*app.view, "Settings") == nullptr);
    REQUIRE(app.view->keyPressed(KeyPress(KeyPress::escapeKey)));
    REQUIRE(app.shown() == nullptr);
    test::find<juce::Button>(*app.view, "Recordings")->onClick();
    REQUIRE(app.shown() != nullptr);

    Scene plugin(false);
    REQUIRE_FALSE(plugin.press('l'));
    REQUIRE(plugin.shown() == nullptr);
    REQUIRE(test::find<juce::Button>(*plugin.view, "Recordings") == nullptr);
}

TEST_CASE("rows tell name, length and state, and Return opens the recording", "[unit]") {
    Scene scene;
    auto& rows = test::privateBase<juce::ListBoxModel>(scene.panel().recordings());
    REQUIRE(rows.getNumRows() == 3);
    REQUIRE(rows.getNameForRow(0) == "a.wav, 01:02, 2 events");
    REQUIRE(rows.getNameForRow(1) == "dawn/b.wav, 01:02, 40 %");
    auto listed = threeRecordings();
    listed[0].mostly = "Dog";
    scene.controller.recordings().list(listed, someEvents());
    scene.view->refresh();
    REQUIRE(rows.getNameForRow(0) == "a.wav, 01:02, mostly Dog, 2 events");
    REQUIRE(rows.getNameForRow(2) == "c.wav, 01:02, not analysed: there is no sound in it");
    REQUIRE(rows.getNameForRow(7).isEmpty());
    REQUIRE(rows.getTooltipForRow(0).isEmpty());
    REQUIRE(rows.getTooltipForRow(2) == "/tmp/in/c.wav: there is no sound in it");
    REQUIRE(rows.getTooltipForRow(7).isEmpty());
    REQUIRE(scene.find<ui::Caption>("Results: /tmp/in earshot results") != nullptr);
    test::writePicture(test::snapshot(*scene.view), "recordings");
    REQUIRE(scene.recordings().keyPressed(KeyPress(KeyPress::downKey)));
    REQUIRE(scene.recordings().keyPressed(KeyPress(KeyPress::downKey)));
    REQUIRE(scene.recordings().keyPressed(KeyPress(KeyPress::returnKey)));
    REQUIRE(scene.controller.playback().opened == juce::File("/tmp/in/dawn/b.wav"));
    REQUIRE(scene.controller.recordings().added.isEmpty()); // it is listed already
    const auto id = scene.controller.playback().id;
    REQUIRE(scene.recordings().keyPressed(KeyPress(KeyPress::returnKey)));
    REQUIRE(scene.controller.playback().id == id); // it is open already
}

TEST_CASE("Delete takes a recording from the list, and goes on with the next", "[unit]") {
    Scene scene;
    auto& rows = test::privateBase<juce::ListBoxModel>(scene.panel().recordings());
    scene.panel().recordings().select(1);
    REQUIRE(scene.recordings().keyPressed(KeyPress(KeyPress::deleteKey)));
    scene.view->refresh();
    REQUIRE(rows.getNumRows() == 2);
    REQUIRE(rows.getNameForRow(1).startsWith("c.wav"));
    REQUIRE(scene.recordings().isRowSelected(1));
    REQUIRE(scene.panel().found().rows().size() == 2); // its event is gone, too
    REQUIRE(scene.recordings().keyPressed(KeyPress(KeyPress::deleteKey)));
    scene.view->refresh();
    REQUIRE(rows.getNumRows() == 1);
    REQUIRE(scene.recordings().isRowSelected(0));
}

TEST_CASE("what was selected stays so while recordings are heard", "[unit]") {
    Scene scene;
    scene.panel().recordings().select(2);
    scene.panel().found().select(1);
    auto recordings = threeRecordings();
    recordings.insert(recordings.begin(), recording(4, "0.wav", State::done, 1));
    auto events = someEvents();
    events.events.insert(events.events.begin(), {4, 0, 3.0, 4.0, 0.5f});
    scene.controller.recordings().list(recordings, events);
    scene.view->refresh();
    REQUIRE(scene.recordings().isRowSelected(3));
    REQUIRE(scene.recordings().getNumSelectedRows() == 1);
    REQUIRE(scene.events().isRowSelected(2));
    REQUIRE(scene.events().getNumSelectedRows() == 1);
}

TEST_CASE("the table is searched and ordered, and says how many events it lists", "[unit]") {
    Scene scene;
    auto& table = scene.panel().found();
    auto& model = test::privateBase<juce::ListBoxModel>(table);
    REQUIRE(model.getNumRows() == 3);
    REQUIRE(model.getNameForRow(0) == "Dog at 00:01.0 in a.wav, to 00:02.0, peak 0.90");
    REQUIRE(table.countText() == "3 of 4 events");
    auto* search = scene.find<juce::TextEditor>("Find in all recordings");
    REQUIRE(search != nullptr);
    search->setText("rain", false);
    search->onTextChange();
    REQUIRE(model.getNumRows() == 1);
    REQUIRE(scene.find<ui::Caption>("1 of 4 events") != nullptr);
    search->setText("", false);
    search->onTextChange();
    auto* peak = scene.find<juce::Button>("Order by peak");
    REQUIRE(peak != nullptr);
    REQUIRE(peak->getWantsKeyboardFocus());
    peak->onClick();
    REQUIRE(table.rows().front().event == 2);
    peak->onClick();
    REQUIRE(table.rows().front().event == 0);

    auto events = someEvents();
    events.sebbs = true;
    events.more = 12;
    scene.controller.recordings().list(threeRecordings(), events);
    scene.view->refresh();
    REQUIRE(scene.find<juce::Button>("Order by confidence") != nullptr);
    REQUIRE(table.countText() == "3 of 4 events; 12 more are in the results alone");
}

TEST_CASE("Escape clears the search of all recordings, then closes the panel", "[unit]") {
    Scene scene;
    auto* search = scene.find<juce::TextEditor>("Find in all recordings");
    search->setText("rain", false);
    REQUIRE(search->keyPressed(KeyPress(KeyPress::escapeKey)));
    REQUIRE(search->isEmpty());
    REQUIRE_FALSE(search->keyPressed(KeyPress(KeyPress::escapeKey)));
}

TEST_CASE("Return goes to an event in its recording, and Space plays it", "[unit]") {
    streaming::FilePlayer player;
    player.prepare(48000.0);
    player.open(test::demoFile());
    const juce::File demo(test::demoFile().string());
    Scene scene;
    scene.controller.playback().filePlayer = &player;
    auto recordings = threeRecordings();
    recordings[0].file = demo;
    scene.controller.recordings().list(recordings, someEvents());
    scene.view->refresh();
    REQUIRE_FALSE(scene.events().keyPressed(KeyPress(KeyPress::spaceKey))); // none is chosen
    scene.panel().found().select(1);
    REQUIRE(scene.events().keyPressed(KeyPress(KeyPress::returnKey)));
    REQUIRE(scene.controller.playback().opened == demo);
    REQUIRE(player.position() == Approx(5.0));
    REQUIRE_FALSE(player.playing());

    REQUIRE(scene.events().keyPressed(KeyPress(KeyPress::upKey)));
    REQUIRE(scene.events().keyPressed(KeyPress(KeyPress::spaceKey)));
    REQUIRE(player.playing());
    REQUIRE(player.position() == Approx(1.0).margin(0.1));
    REQUIRE(scene.events().keyPressed(KeyPress(KeyPress::spaceKey)));
    REQUIRE_FALSE(player.playing());
}

TEST_CASE("an event is shown as soon as its recording is heard that far", "[unit]") {
    Scene scene;
    scene.controller.playback().recorded =
        std::make_unique<test::FakeSource>(std::vector<std::string>{"Rain", "Dog"});
    auto& source = *scene.controller.playback().recorded;
    source.statusNow.progress = 0.0;
    scene.panel().found().select(1);
    REQUIRE(scene.events().keyPressed(KeyPress(KeyPress::returnKey))); // Rain, 5 to 9 s
    const auto outlined = [&] {
        scene.view->refresh();
        bool found = false;
        test::walk(*scene.view, [&](juce::Component& component) {
            if (const auto* lanes = dynamic_cast<ui::LanesView*>(&component))
                if (const auto& span = lanes->outlined())
                    found = span->classIndex == 0 && span->onset == 5.0 && span->offset == 9.0;
        });
        return found;
    };
    source.addScene(8.0);
    source.statusNow.heard = 8.0;
    source.statusNow.progress = 0.1;
    REQUIRE_FALSE(outlined());
    const bool goesElsewhere = GENERATE(false, true);
    auto* timeline = test::find<ui::TimelineView>(*scene.view, "Timeline");
    REQUIRE(timeline != nullptr);
    if (goesElsewhere) REQUIRE(timeline->keyPressed(KeyPress('+', juce::ModifierKeys(), '+')));
    source.addScene(4.0, 2);
    source.statusNow.heard = 12.0;
    source.statusNow.progress = 0.15;
    REQUIRE(outlined() == !goesElsewhere);
}

TEST_CASE("all is analysed, stopped and analysed again, and the panel says how far it is", "[unit]") {
    Scene scene;
    auto& now = scene.controller.recordings().now;
    REQUIRE(scene.find<juce::TextButton>("Stop") == nullptr);
    REQUIRE(scene.find<juce::TextButton>("Analyse again") == nullptr);
    scene.controller.recordings().refusal = "Drop recordings first";
    scene.find<juce::TextButton>("Analyse all")->onClick();
    REQUIRE(scene.find<ui::Caption>(scene.controller.recordings().refusal) != nullptr);
    scene.controller.recordings().refusal = {};
    scene.find<juce::TextButton>("Analyse all")->onClick();
    REQUIRE(scene.controller.recordings().analyses == 1);
    now.progress = 0.25;
    now.doing = "in: 1 of 3 recordings";
    scene.view->refresh();
    REQUIRE(scene.find<juce::TextButton>("Analyse all") == nullptr);
    REQUIRE(scene.find<ui::Caption>(now.doing) != nullptr);
    REQUIRE(scene.find<ui::ShareBar>("Analysed: 25 %") != nullptr);
    test::writePicture(test::snapshot(*scene.view), "recordings-heard");
    scene.find<juce::TextButton>("Stop")->onClick();
    now.doing = {};
    now.hint = "/tmp/in earshot results: these results were made with other settings";
    now.canAgain = true;
    scene.view->refresh();
    REQUIRE_FALSE(now.hearing);
    REQUIRE(scene.find<ui::Caption>(now.hint) != nullptr);
    scene.find<juce::TextButton>("Analyse again")->onClick();
    REQUIRE(scene.controller.recordings().againAnalyses == 1);
    REQUIRE(scene.controller.recordings().analyses == 1);
}

TEST_CASE("several dropped files and folders are listed, and one file is opened, too", "[unit]") {
    Scene scene;
    scene.view->fileDragEnter({"/tmp/dawn"}, 5, 5);
    REQUIRE(test::find<juce::Component>(*scene.view, "Analyse the recordings in dawn") != nullptr);
    scene.view->filesDropped({"/tmp/dawn"}, 5, 5);
    REQUIRE(scene.controller.recordings().added == juce::StringArray{"/tmp/dawn"});
    REQUIRE_FALSE(scene.controller.playback().showsRecording());
    REQUIRE(scene.shown() != nullptr);
    scene.view->filesDropped({"/tmp/a.wav", "/tmp/b.wav"}, 5, 5);
    REQUIRE(scene.controller.recordings().added ==
            juce::StringArray{"/tmp/dawn", "/tmp/a.wav", "/tmp/b.wav"});
    REQUIRE(scene.shown() != nullptr); // it stays open
    scene.view->filesDropped({"/tmp/dog.wav"}, 5, 5);
    REQUIRE(scene.controller.playback().opened == juce::File("/tmp/dog.wav"));
    REQUIRE(scene.controller.recordings().added.size() == 4);

    Scene plugin(false);
    plugin.view->filesDropped({"/tmp/dawn"}, 5, 5);
    REQUIRE(plugin.notice().contains("Drop a recording"));
    plugin.view->filesDropped({"/tmp/dog.wav"}, 5, 5);
    REQUIRE(plugin.controller.playback().opened == juce::File("/tmp/dog.wav"));
    REQUIRE(plugin.controller.recordings().added.isEmpty());
}

TEST_CASE("everything in the panel of recordings is named, and fits into the smallest view", "[unit]") {
    Scene scene;
    scene.controller.recordings().now.canAgain = true;
    scene.view->setSize(ui::MainView::minWidth, ui::MainView::minHeight);
    scene.view->refresh();
    auto& panel = scene.panel();
    int seen = 0;
    test::walk(panel, [&](juce::Component& component) {
        if (dynamic_cast<juce::Button*>(&component) == nullptr &&
            dynamic_cast<juce::ListBox*>(&component) == nullptr &&
            dynamic_cast<juce::TextEditor*>(&component) == nullptr)
            return;
        ++seen;
        INFO(component.getName());
        CHECK(component.getTitle().isNotEmpty());
        if (!component.isVisible()) return;
        CHECK(component.getWantsKeyboardFocus());
        CHECK_FALSE(component.getBounds().isEmpty());
        CHECK(component.getParentComponent()->getLocalBounds().contains(component.getBounds()));
    });
    REQUIRE(seen >= 13);
    test::writePicture(test::snapshot(*scene.view), "recordings-small");
}

TEST_CASE("an empty list says what to do", "[unit]") {
    Scene scene;
    scene.controller.recordings().list({}, {});
    scene.view->refresh();
    REQUIRE_FALSE(scene.find<juce::TextButton>("Analyse all")->isEnabled());
    REQUIRE(scene.find<juce::TextButton>("Results") == nullptr);
    REQUIRE(scene.panel().found().countText() == "0 events");
    test::snapshot(*scene.view);
}

TEST_CASE("a hundred thousand events of all recordings are listed as easily as ten", "[slow]") {
    Scene scene;
    std::vector<ui::ListedRecording> recordings;
    ui::ListedEvents events;
    events.sounds = {"Rain", "Dog"};
    for (int i = 1; i <= 10'000; ++i) {
        recordings.push_back(recording(i, "a.wav", State::done, 10));
        for (int j = 0; j < 10; ++j) events.events.push_back({i, j % 2, 1.0 * j, 1.0 * j + 0.5, 0.5f});
    }
    scene.controller.recordings().list(std::move(recordings), std::move(events));
    scene.view->refresh();
    auto& table = scene.panel().found();
    REQUIRE(table.rows().size() == 100'000);
    table.setOrder({FoundColumn::sound, true});
    table.setSearch("rain");
    REQUIRE(table.rows().size() == 50'000);
    int parts = 0;
    test::walk(scene.panel(), [&](juce::Component&) { ++parts; });
    REQUIRE(parts < 200);
    test::snapshot(*scene.view);
}

TEST_CASE("the row of the open recording is marked", "[unit]") {
    Scene scene;
    auto& rows = scene.panel().recordings();
    const auto name = [&](int row) { return scene.recordings().getModel()->getNameForRow(row); };
    REQUIRE_FALSE(name(0).endsWith(", open"));
    const auto before = test::snapshot(rows);
    scene.controller.playback().open(juce::File("/tmp/in/a.wav"));
    scene.view->refresh();
    REQUIRE(name(0).endsWith(", open"));
    REQUIRE_FALSE(name(1).endsWith(", open"));
    const auto marked = test::snapshot(rows);
    int different = 0;
    for (int y = ui::RecordingRows::headingHeight;
         y < ui::RecordingRows::headingHeight + ui::RecordingRows::rowHeight; ++y)
        for (int x = 0; x < 12; ++x)
            if (before.getPixelAt(x, y) != marked.getPixelAt(x, y)) ++different;
    REQUIRE(different > 10);
    scene.press('l'); // closed and opened again
    scene.press('l');
    REQUIRE(name(0).endsWith(", open"));
    scene.controller.playback().close();
    scene.view->refresh();
    REQUIRE_FALSE(name(0).endsWith(", open"));
}
