// Cutting events out as audio files: what is asked, and what the window says of it.
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/Pictures.h"
#include "Support/PrivateBase.h"
#include "Ui/MainView.h"
#include "Ui/Panels/CutPanel.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Theme.h"
#include "ViewWalk.h"

using namespace earshot;

namespace {

struct Scene {
    Scene() {
        controller.live.addScene(60.0);
        controller.playback().opened = juce::File("/a/dawn.flac");
        controller.live.statusNow.state = streaming::State::finished;
        view.setSize(1200, 720);
        view.refresh();
    }
    ui::EventPanel& panel() { return *test::find<ui::EventPanel>(view, "Events"); }
    ui::NoticeBar& notice() {
        ui::NoticeBar* found = nullptr;
        test::walk(view, [&](juce::Component& component) {
            if (auto* bar = dynamic_cast<ui::NoticeBar*>(&component)) found = bar;
        });
        REQUIRE(found != nullptr);
        return *found;
    }
    juce::Button& button(const juce::String& title) {
        auto* found = test::find<juce::Button>(notice(), title);
        INFO(title);
        REQUIRE(found != nullptr);
        return *found;
    }
    bool canCut() {
        bool enabled = false;
        const auto menu = panel().menu(panel().table().rows().rows()[0]);
        for (juce::PopupMenu::MenuItemIterator item(menu, true); item.next();)
            if (item.getItem().text.startsWith("Cut events out")) enabled = item.getItem().isEnabled;
        return enabled;
    }

    test::FakeController controller{{"Water", "Dog", "Rain", "Bird"}};
    ui::MainView view{controller};
};

} // namespace

TEST_CASE("the listed events, or the selected ones, are asked to be cut out of the open recording",
          "[unit]") {
    Scene scene;
    auto request = scene.panel().clipRequest();
    REQUIRE(request.recording == juce::File("/a/dawn.flac"));
    REQUIRE(request.folder == juce::File("/a/dawn clips"));
    REQUIRE(request.format == ui::ClipFormat::asRecording);
    REQUIRE(static_cast<int>(request.events.size()) == scene.panel().table().listed());
    const auto& first = scene.panel().table().rows().rows()[0];
    REQUIRE(request.events[0].onset == first.onset);
    REQUIRE(request.events[0].offset == first.offset);
    REQUIRE(request.events[0].label == scene.controller.viewModel().label(first.classIndex).toStdString());
    juce::SparseSet<int> rows;
    rows.addRange({0, 2});
    scene.panel().table().select(rows);
    REQUIRE(scene.panel().clipRequest().events.size() == 2);
    REQUIRE(scene.canCut());
    scene.controller.playback().opened = juce::File(); // live audio is in no file
    REQUIRE_FALSE(scene.canCut());
}

TEST_CASE("the box takes format, handles and folder, and says why nothing is cut", "[unit]") {
    const auto choice = GENERATE(ui::ThemeChoice::dark, ui::ThemeChoice::light);
    ui::Theme theme(choice);
    Scene scene;
    ui::CutPanel box(scene.panel().clipRequest());
    box.setLookAndFeel(&theme);
    std::vector<ui::ClipRequest> asked;
    juce::String refusal = "Clips are being cut: wait until that is done, or stop it";
    box.onCut = [&](const ui::ClipRequest& request) {
        asked.push_back(request);
        return refusal;
    };
    const int height = box.getHeight();
    box.format.setSelectedId(3, juce::sendNotificationSync);
    box.handles.setValue(0.5);
    box.cut.onClick();
    REQUIRE(asked.size() == 1);
    REQUIRE(asked[0].format == ui::ClipFormat::flac);
    REQUIRE(asked[0].handles == 0.5);
    REQUIRE(asked[0].folder == juce::File("/a/dawn clips"));
    REQUIRE(box.getHeight() > height); // the refusal has room
    test::writePicture(test::snapshot(box), choice == ui::ThemeChoice::dark ? "cut-dark" : "cut-light");
    refusal = {};
    box.cut.onClick();
    REQUIRE(box.getHeight() == height);
    box.setLookAndFeel(nullptr);
}

TEST_CASE("the window shows how far cutting is, stops it, and shows the folder afterwards", "[unit]") {
    Scene scene;
    auto& clips = scene.controller.clips();
    REQUIRE_FALSE(scene.notice().isShown());
    clips.now.work = 1;
    clips.now.running = true;
    clips.now.done = 3;
    clips.now.all = 12;
    clips.now.folder = juce::File("/a/dawn clips");
    scene.view.refresh();
    REQUIRE(scene.notice().text() == "Cutting: 3 of 12 clips");
    clips.now.done = 4;
    scene.view.refresh();
    REQUIRE(scene.notice().text() == "Cutting: 4 of 12 clips");
    test::writePicture(test::snapshot(scene.view), "cutting");
    scene.button("Stop").onClick();
    REQUIRE(clips.stops == 1);
    clips.now.running = false;
    clips.now.outcome = "Stopped: 4 clips cut into /a/dawn clips";
    scene.view.refresh();
    REQUIRE(scene.notice().text() == clips.now.outcome);
    REQUIRE(scene.controller.shell().revealed == juce::File());
    scene.button("Show folder").onClick();
    REQUIRE(scene.controller.shell().revealed == juce::File("/a/dawn clips"));
    // A window that opens later does not say it again.
    ui::MainView later(scene.controller);
    later.setSize(1200, 720);
    later.refresh();
    REQUIRE(test::find<ui::NoticeBar>(later, clips.now.outcome) == nullptr);
}

TEST_CASE("a notice's button may change the notice", "[unit]") {
    ui::NoticeBar bar;
    bar.setSize(800, ui::NoticeBar::height);
    int done = 0;
    bar.say("Hidden", ui::Tone::fine, {"Undo", [&bar, &done, words = std::string(100, 'x')] {
                                           bar.say("Undone", ui::Tone::fine);
                                           done += static_cast<int>(words.size());
                                       }});
    test::find<juce::Button>(bar, "Undo")->onClick();
    REQUIRE(done == 100);
    REQUIRE(bar.text() == "Undone");
    REQUIRE(test::find<juce::Button>(bar, "Undo") == nullptr);
}

TEST_CASE("after an export the notice shows the folder", "[unit]") {
    const juce::TemporaryFile place(".csv");
    Scene scene;
    scene.panel().save(place.getFile(), *formats::formatNamed("csv"));
    REQUIRE(scene.notice().text().startsWith("Wrote "));
    scene.button("Show folder").onClick();
    REQUIRE(scene.controller.shell().revealed == place.getFile());
    scene.notice().say("Something else", ui::Tone::busy);
    REQUIRE(test::find<juce::Button>(scene.notice(), "Show folder") == nullptr);
}

TEST_CASE("Export offers one table of all recordings, and the notice says what is in it", "[unit]") {
    Scene scene;
    auto& panel = scene.panel();
    const auto offered = [&] {
        const auto menu = panel.menu(panel.table().rows().rows()[0]);
        bool found = false;
        for (juce::PopupMenu::MenuItemIterator item(menu, true); item.next();)
            found = found || item.getItem().text == "One table of all recordings (.csv)...";
        return found;
    };
    REQUIRE_FALSE(offered());
    auto& recordings = scene.controller.recordings();
    recordings.now.possible = true;
    ui::ListedRecording listed;
    listed.name = "a.wav";
    recordings.list({listed}, {});
    scene.view.refresh();
    REQUIRE(offered());
    const juce::TemporaryFile folder;
    REQUIRE(folder.getFile().createDirectory().wasOk());
    const auto file = folder.getFile().getChildFile("all");
    panel.writeTable(file);
    REQUIRE(recordings.tables.size() == 1);
    REQUIRE(recordings.tables[0] == file.withFileExtension(".csv"));
    REQUIRE(file.withFileExtension(".csv").replaceWithText("mine"));
    panel.writeTable(file);
    REQUIRE(recordings.tables.size() == 1);
    REQUIRE(scene.notice().text().startsWith("all.csv already exists"));
    recordings.now.table = {1, recordings.tables[0], "Wrote 2 events of 1 recording to all.csv", false};
    scene.view.refresh();
    REQUIRE(scene.notice().text() == "Wrote 2 events of 1 recording to all.csv");
    scene.button("Show folder").onClick();
    REQUIRE(scene.controller.shell().revealed == recordings.tables[0]);
    recordings.refusal = "No recording is finished yet: analyse the list first";
    panel.writeTable(recordings.tables[0]);
    REQUIRE(scene.notice().text() == recordings.refusal);
    REQUIRE(folder.getFile().deleteRecursively());
}

TEST_CASE("rows that are dragged out of the window are audio, with Alt their notes", "[unit]") {
    Scene scene;
    auto& panel = scene.panel();
    auto& clips = scene.controller.clips();
    auto& model = test::privateBase<juce::ListBoxModel>(panel.table());
    juce::SparseSet<int> rows;
    rows.addRange({1, 3});
    REQUIRE_FALSE(model.getDragSourceDescription(rows).isVoid());
    REQUIRE(clips.toDrag.recording == juce::File("/a/dawn.flac"));
    REQUIRE(clips.toDrag.events.size() == 2);
    REQUIRE(clips.toDrag.events[0].onset == panel.table().rows().rows()[1].onset);
    REQUIRE(clips.draggedStream == scene.controller.viewModel().history().stream);
    const juce::DragAndDropTarget::SourceDetails details({}, &panel, {});
    juce::StringArray files;
    bool canMove = true;
    const auto leave = [&] {
        return scene.view.shouldDropFilesWhenDraggedExternally(details, files, canMove);
    };
    REQUIRE_FALSE(leave());
    REQUIRE(scene.notice().text() == "The audio is being prepared: drag it again in a moment");
    clips.ready = {{}, "dawn.flac is gone"};
    REQUIRE_FALSE(leave());
    REQUIRE(scene.notice().text() == "dawn.flac is gone");
    clips.ready = {{"/tmp/x/dawn_00001.000_Dog.wav"}, {}};
    REQUIRE(leave());
    REQUIRE(files == clips.ready.files);
    REQUIRE_FALSE(canMove);

    REQUIRE(panel.beginDrag({panel.table().rows().rows()[1]}, true));
    REQUIRE(leave());
    REQUIRE(files.size() == 1);
    REQUIRE(juce::File(files[0]).getFileName() == "dawn events.mid");
    juce::MidiFile midi;
    juce::FileInputStream stream{juce::File(files[0])};
    REQUIRE(midi.readFrom(stream));
    int notes = 0;
    for (int i = 0; i < midi.getNumTracks(); ++i)
        for (const auto* event : *midi.getTrack(i)) notes += event->message.isNoteOn() ? 1 : 0;
    REQUIRE(notes == 1);
    REQUIRE(juce::File(files[0]).getParentDirectory().deleteRecursively());
    REQUIRE_FALSE(panel.beginDrag({}, false));
}
