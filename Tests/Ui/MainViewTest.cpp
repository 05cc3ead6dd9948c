#include "Ui/MainView.h"
#include "Core/Base/Clock.h"
#include "Core/Base/Csv.h"
#include "Core/Formats/EventFormats.h"
#include "Core/Streaming/FilePlayer.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/Paths.h"
#include "Support/Pictures.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/FilterBar.h"
#include "Ui/Panels/MainLayout.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/NowPanel.h"
#include "Ui/Panels/RecordingBar.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/Panels/TopBar.h"
#include "Ui/Panels/WelcomePanel.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/ParameterIds.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/TimelineView.h"
#include "ViewWalk.h"

#include <algorithm>
#include <set>

using namespace earshot;
using juce::KeyPress;

namespace {

constexpr auto command = juce::ModifierKeys::commandModifier;

struct Scene {
    explicit Scene(double seconds = 30.0, int width = 1200, int height = 720) {
        if (seconds > 0.0) controller.live.addScene(seconds);
        view.setSize(width, height);
        view.refresh();
    }

    template <typename Kind>
    Kind& the(const juce::String& title) {
        auto* found = test::find<Kind>(view, title);
        INFO("no " << title << " to be seen");
        REQUIRE(found != nullptr);
        return *found;
    }
    ui::EventTable& table() { return the<ui::EventTable>("Events"); }
    float value(const char* id) { return controller.parameters().getRawParameterValue(id)->load(); }
    void viewChanged() { controller.view().dispatchPendingMessages(); }

    test::FakeController controller{{"Water", "Dog", "Train", "Brass", "Cymbal", "Rooster", "Speech", "Rain",
                                     "Wind", "Bird", "Cat", "Bell"}};
    ui::MainView view{controller};
};

// Shows the demo recording as one that was analysed and can be played.
void openDemo(Scene& scene, streaming::FilePlayer& player) {
    player.prepare(48000.0);
    player.open(test::demoFile());
    scene.controller.playback().filePlayer = &player;
    scene.controller.playback().open(juce::File(test::demoFile().string()));
    scene.controller.live.statusNow.state = streaming::State::finished;
}

} // namespace

TEST_CASE("moving the sensitivity derives the events anew", "[unit]") {
    Scene scene(60.0);
    const int before = scene.table().listed();
    REQUIRE(before > 0);
    auto& slider = scene.the<juce::Slider>("Sensitivity");
    REQUIRE(slider.getTextFromValue(0.0) == "0.0");
    REQUIRE(slider.getTextFromValue(1.5) == "+1.5");
    REQUIRE(slider.getTextFromValue(-1.5) == "-1.5");
    slider.setValue(-6.0, juce::sendNotificationSync);
    scene.view.refresh();
    REQUIRE(scene.value(ui::parameter::sensitivity) == -6.0f);
    REQUIRE(scene.table().listed() == 0);
    slider.setValue(0.0, juce::sendNotificationSync);
    scene.view.refresh();
    REQUIRE(scene.table().listed() == before);
    slider.setValue(2.0, juce::sendNotificationSync);
    scene.view.refresh();
    REQUIRE(scene.table().listed() > before);
}

TEST_CASE("the search limits list and ranking, and Escape clears it", "[unit]") {
    Scene scene(60.0);
    const int all = scene.table().listed();
    auto& search = scene.the<juce::TextEditor>("Find a sound");
    search.setText("animal", true);
    search.onTextChange();
    scene.view.refresh();
    const int found = scene.table().listed();
    REQUIRE(found < all);
    const std::set<int> animals{1, 5, 9, 10};
    for (const auto& event : scene.table().rows().rows()) REQUIRE(animals.contains(event.classIndex));
    for (const auto& entry : scene.the<ui::NowPanel>("Now").strongest())
        REQUIRE(animals.contains(entry.classIndex));
    REQUIRE(scene.view.keyPressed(KeyPress(KeyPress::escapeKey)));
    search.onTextChange();
    REQUIRE(search.getText().isEmpty());
    REQUIRE(scene.table().listed() == all);
    REQUIRE_FALSE(scene.view.keyPressed(KeyPress(KeyPress::escapeKey))); // the host may have it
}

TEST_CASE("hidden sounds are neither listed nor ranked nor exported", "[unit]") {
    Scene scene(60.0);
    const int first = scene.table().rows().rows()[0].classIndex;
    const char* names[] = {"Water",  "Dog",  "Train", "Brass", "Cymbal", "Rooster",
                           "Speech", "Rain", "Wind",  "Bird",  "Cat",    "Bell"};
    scene.controller.view().edit([&](auto& view) { view.hidden.insert(names[first]); });
    scene.viewChanged();
    for (const auto& event : scene.table().rows().rows()) REQUIRE(event.classIndex != first);
    for (const auto& entry : scene.the<ui::NowPanel>("Now").strongest()) REQUIRE(entry.classIndex != first);
    const auto csv = scene.the<ui::EventPanel>("Events").exported(*formats::formatNamed("csv"));
    REQUIRE(csv.find(names[first]) == std::string::npos);
}

TEST_CASE("what is exported is what is listed, or what is selected of it", "[unit]") {
    Scene scene(60.0);
    auto& panel = scene.the<ui::EventPanel>("Events");
    auto& table = panel.table();
    const auto lines = [&] {
        const auto csv = panel.exported(*formats::formatNamed("csv"));
        return static_cast<int>(std::count(csv.begin(), csv.end(), '\n')) - 1;
    };
    REQUIRE(table.listed() > 3);
    REQUIRE(lines() == table.listed());
    juce::SparseSet<int> rows;
    rows.addRange({1, 2});
    table.select(rows);
    REQUIRE(lines() == table.listed()); // one is where the user last went, not a choice
    rows.addRange({3, 4});
    table.select(rows);
    REQUIRE(lines() == 2);
    const auto chosen = table.chosen();
    REQUIRE(chosen[0].onset == table.rows().rows()[1].onset);
    const auto copied = panel.copied();
    REQUIRE(std::count(copied.begin(), copied.end(), '\n') == 3);
    REQUIRE(copied.starts_with("time\tonset_s\toffset_s\tlength_s\tsound\tpeak\n"));
    REQUIRE(panel.exported(*formats::formatNamed("midi")).substr(0, 4) == "MThd");

    const auto file = [&] { return parseCsv(panel.exported(*formats::formatNamed("csv")))[1][0]; };
    REQUIRE(file().empty()); // live
    scene.controller.playback().opened = juce::File("/a/take 1.wav");
    REQUIRE(file() == "/a/take 1.wav");
    REQUIRE(panel.copied().starts_with("recording\tonset_s\t"));
    REQUIRE(panel.copied().find("\ntake 1.wav\t") != std::string::npos);
}

TEST_CASE("what is exported of a recording that was not heard whole says so", "[unit]") {
    const juce::TemporaryFile place(".csv");
    Scene scene(20.0);
    auto& panel = scene.the<ui::EventPanel>("Events");
    juce::String said;
    juce::File written;
    panel.onNotice = [&](const juce::String& text, ui::Tone) { said = text; };
    panel.onWrote = [&](const juce::String& text, ui::Tone, const juce::File& to) {
        said = text;
        written = to;
    };
    const juce::File file = place.getFile();
    const auto wrote = [&] {
        scene.view.refresh();
        panel.save(file, *formats::formatNamed("csv"));
        REQUIRE(said.startsWith("Wrote " + juce::String(panel.table().listed()) + " events to " +
                                file.getFullPathName()));
        REQUIRE(written == file);
        return said.fromFirstOccurrenceOf(file.getFullPathName(), false, false);
    };
    auto& status = scene.controller.live.statusNow;
    REQUIRE(wrote().isEmpty()); // live
    scene.controller.playback().opened = juce::File("/a/take 1.wav");
    status.heard = 20.0;
    status.progress = 0.3;
    REQUIRE(wrote() == ", but only the first 00:20.0 were analysed");
    status.state = streaming::State::finished;
    status.incomplete = true;
    REQUIRE(wrote() == ", but only the first 00:20.0 were analysed");
    status.incomplete = false;
    REQUIRE(wrote().isEmpty());
}

TEST_CASE("the notice says once why a recording could not be opened", "[unit]") {
    Scene scene(30.0);
    scene.controller.playback().refusal = "noise.wav: not an audio file of a known format";
    scene.controller.playback().open(juce::File("/tmp/noise.wav"));
    scene.controller.playback().close();
    scene.view.refresh();
    REQUIRE(scene.the<ui::NoticeBar>("noise.wav: not an audio file of a known format").isShown());
    REQUIRE(scene.controller.playback().takeRefusal().isEmpty());
}

TEST_CASE("the notice says once why a model could not be loaded", "[unit]") {
    Scene scene(30.0);
    scene.controller.model().refusal = "broken.ckpt: not a model";
    scene.controller.live.statusNow.message = "changed";
    scene.view.refresh();
    REQUIRE(scene.the<ui::NoticeBar>("broken.ckpt: not a model").isShown());
    REQUIRE(scene.controller.model().takeRefusal().isEmpty());
}

TEST_CASE("every format of the command line can be exported", "[unit]") {
    Scene scene(30.0);
    std::vector<juce::String> offered, wanted;
    const auto menu = scene.the<ui::ExportButtons>("Export").menu();
    for (juce::PopupMenu::MenuItemIterator item(menu); item.next();)
        if (item.getItem().text.endsWith(")...")) offered.push_back(item.getItem().text);
    for (const auto& format : formats::allFormats())
        wanted.push_back(std::string(format.title) + " (" + format.extension() + ")...");
    REQUIRE(offered == wanted);
    REQUIRE(wanted.size() == 11);
}

TEST_CASE("selected rows stay selected when the list grows or is ordered anew", "[unit]") {
    Scene scene(40.0);
    auto& table = scene.table();
    juce::SparseSet<int> rows;
    rows.addRange({1, 3});
    table.select(rows);
    const auto before = table.chosen();
    scene.controller.live.addScene(30.0, 2);
    scene.view.refresh();
    table.setOrder({ui::EventColumn::peak, true});
    auto after = table.chosen();
    std::sort(after.begin(), after.end(), [](const auto& a, const auto& b) { return a.onset < b.onset; });
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
        REQUIRE(after[i].onset == before[i].onset);
        REQUIRE(after[i].classIndex == before[i].classIndex);
    }
}

TEST_CASE("the panel of the strongest sounds lists nothing below 0.05", "[unit]") {
    Scene scene(0.0);
    std::vector<float> values(12, 0.04f);
    scene.controller.live.addColumn(values);
    scene.view.refresh();
    auto& now = scene.the<ui::NowPanel>("Now");
    const auto listed = [&] {
        now.advance(10.0);
        int rows = 0;
        for (auto* child : now.getChildren())
            rows += child->isVisible() && child->getTitle().contains(" 0.") ? 1 : 0;
        return rows;
    };
    REQUIRE(listed() == 0);
    values[3] = 0.05f;
    values[4] = 0.6f;
    scene.controller.live.addColumn(values);
    scene.view.refresh();
    REQUIRE(listed() == 2);
}

TEST_CASE("while a recording plays, the names and rows of what sounds are lit", "[unit]") {
    streaming::FilePlayer player;
    player.prepare(48000.0);
    player.open(test::demoFile());
    Scene scene(0.0);
    std::vector<float> values(12, 0.0f);
    for (int i = 0; i < 12; ++i) {
        values[1] = i < 6 ? 0.9f : 0.0f; // Dog to 1.92 s, then Train
        values[2] = i < 6 ? 0.0f : 0.9f;
        scene.controller.live.addColumn(values, 0);
    }
    scene.controller.live.finish();
    scene.controller.live.statusNow.state = streaming::State::finished;
    scene.controller.playback().filePlayer = &player;
    scene.controller.playback().open(juce::File("/tmp/walk.wav"));
    scene.view.refresh();
    auto& lanes = scene.the<ui::LanesView>("Sounds");
    const auto describes = [&] {
        lanes.updateSounding();
        return lanes.soundingText();
    };
    REQUIRE(describes() == "Nothing is sounding now."); // its last sound is no longer "now"
    player.play();
    player.seek(1.0);
    REQUIRE(describes() == "Sounding now: Dog.");
    player.seek(3.0);
    REQUIRE(describes() == "Sounding now: Train.");
    player.stop();
    REQUIRE(describes() == "Nothing is sounding now.");

    // The row of an event is lit from its onset to its offset.
    auto& table = scene.table();
    const auto before = test::snapshot(table);
    const auto differs = [&](std::optional<double> seconds) {
        table.setPlaying(seconds);
        const auto now = test::snapshot(table);
        for (int y = 0; y < now.getHeight(); ++y)
            for (int x = 0; x < now.getWidth(); ++x)
                if (now.getPixelAt(x, y) != before.getPixelAt(x, y)) return true;
        return false;
    };
    REQUIRE(differs(1.0));
    REQUIRE_FALSE(differs(100.0));
    REQUIRE(differs(3.0));
    REQUIRE_FALSE(differs(std::nullopt));
}

TEST_CASE("the spectrogram has half of the height, or as much as the user gives it", "[unit]") {
    Scene scene(20.0);
    auto& split = scene.the<ui::Divider>("Height of the spectrogram");
    auto& lanes = scene.the<ui::LanesView>("Sounds");
    const auto spectrogram = [&] { return split.getY() - ui::size::ruler; };
    REQUIRE(std::abs(spectrogram() - lanes.getHeight()) <= 1);
    const int before = spectrogram();
    REQUIRE(split.keyPressed(KeyPress(KeyPress::downKey)));
    REQUIRE(spectrogram() == before + ui::Divider::keyStep);
    split.onStart();
    split.onMove(-10'000);
    REQUIRE(spectrogram() == 48);
    split.onStart();
    split.onMove(10'000);
    REQUIRE(lanes.getHeight() == 84);
    scene.controller.view().edit([](auto& view) { view.spectrogramShare = 0.5; }); // as a project may
    scene.viewChanged();
    REQUIRE(spectrogram() == before);
    scene.view.setSize(640, 280); // too low for both: the lanes alone
    REQUIRE_FALSE(split.isVisible());
}

TEST_CASE("an app without audio says where to begin, until there is something to show", "[unit]") {
    Scene scene(0.0);
    REQUIRE(test::find<ui::WelcomePanel>(scene.view, "Welcome") == nullptr); // a plugin
    scene.controller.recordings().now.possible = true;
    scene.controller.shell().problem = "No audio device is open: choose one";
    scene.view.refresh();
    auto& welcome = scene.the<ui::WelcomePanel>("Welcome");
    REQUIRE(test::find<ui::NoticeBar>(scene.view, "No audio device is open: choose one") == nullptr);
    REQUIRE(test::find<ui::Caption>(welcome, "No audio device is open: choose one") != nullptr);
    scene.the<juce::TextButton>("Choose a microphone").onClick();
    REQUIRE(scene.controller.shell().settingsShown == 1);

    scene.controller.live.addScene(5.0);
    scene.view.refresh();
    REQUIRE(test::find<ui::WelcomePanel>(scene.view, "Welcome") == nullptr);
    REQUIRE(test::find<ui::NoticeBar>(scene.view, "No audio device is open: choose one") != nullptr);
}

TEST_CASE("the demo is offered where it is, and opens", "[unit]") {
    juce::File opened;
    const juce::File demo(test::demoFile().string());
    ui::WelcomePanel welcome(demo);
    welcome.setSize(800, 400);
    welcome.onDemo = [&](const juce::File& file) { opened = file; };
    auto* button = test::find<juce::TextButton>(welcome, "Try the demo");
    REQUIRE(button != nullptr);
    button->onClick();
    REQUIRE(opened == demo);
    ui::WelcomePanel without(demo.getSiblingFile("no-demo.flac"));
    without.setSize(800, 400);
    REQUIRE(test::find<juce::TextButton>(without, "Try the demo") == nullptr);
}

TEST_CASE("space freezes and goes on where there is nothing to play", "[unit]") {
    Scene scene(20.0);
    const int before = scene.table().listed();
    REQUIRE(scene.view.keyPressed(KeyPress(KeyPress::spaceKey)));
    REQUIRE(scene.the<juce::TextButton>("Freeze").getToggleState());
    scene.controller.live.addScene(30.0, 3);
    scene.view.refresh();
    REQUIRE(scene.table().listed() == before);
    REQUIRE(scene.view.keyPressed(KeyPress(KeyPress::spaceKey)));
    scene.view.refresh();
    REQUIRE(scene.table().listed() > before);
}

TEST_CASE("a key that means nothing here is left to the host", "[unit]") {
    Scene scene(0.0);
    REQUIRE_FALSE(scene.view.keyPressed(KeyPress('q', juce::ModifierKeys(), 'q')));
    REQUIRE_FALSE(scene.view.keyPressed(KeyPress('z', command, 0)));
}

TEST_CASE("dropped files go where their names say, with words while they hover", "[unit]") {
    Scene scene(5.0);
    REQUIRE(scene.view.isInterestedInFileDrag({"/tmp/a.txt"}));
    scene.view.fileDragEnter({"/tmp/dog.wav"}, 5, 5);
    REQUIRE(test::find<juce::Component>(scene.view, "Listen to dog.wav") != nullptr);
    scene.view.fileDragExit({"/tmp/dog.wav"});
    REQUIRE(test::find<juce::Component>(scene.view, "Listen to dog.wav") == nullptr);

    scene.view.filesDropped({"/tmp/dog.wav"}, 5, 5);
    REQUIRE(scene.controller.playback().opened == juce::File("/tmp/dog.wav"));
    scene.view.filesDropped({"/tmp/m.safetensors"}, 5, 5);
    REQUIRE(scene.controller.model().loaded == juce::File("/tmp/m.safetensors"));
    scene.view.filesDropped({"/tmp/notes.txt"}, 5, 5);
    bool said = false;
    test::walk(scene.view, [&](juce::Component& component) {
        if (auto* notice = dynamic_cast<ui::NoticeBar*>(&component))
            said = notice->isVisible() && notice->text().contains("Drop a recording");
    });
    REQUIRE(said);
}

TEST_CASE("a failure stands under the top bar until it is closed or over", "[unit]") {
    Scene scene(5.0);
    ui::NoticeBar* notice = nullptr;
    test::walk(scene.view, [&](juce::Component& component) {
        if (auto* bar = dynamic_cast<ui::NoticeBar*>(&component)) notice = bar;
    });
    REQUIRE(notice != nullptr);
    REQUIRE_FALSE(notice->isVisible());
    scene.controller.live.statusNow.state = streaming::State::failed;
    scene.controller.live.statusNow.message = "x.ckpt is broken: load another model";
    scene.view.refresh();
    REQUIRE(notice->isVisible());
    REQUIRE(notice->text() == "x.ckpt is broken: load another model");
    scene.the<juce::Button>("Close the message").onClick();
    scene.view.refresh();
    REQUIRE_FALSE(notice->isVisible());
    scene.controller.live.statusNow.message = "y.ckpt is broken: load another model";
    scene.view.refresh();
    REQUIRE(notice->isVisible());
    scene.controller.live.statusNow.state = streaming::State::running;
    scene.controller.live.statusNow.message.clear();
    scene.view.refresh();
    REQUIRE_FALSE(notice->isVisible());
    scene.controller.outputs().problemNow = "Port 9000 cannot be opened: choose another";
    scene.view.refresh();
    REQUIRE(notice->text().contains("9000"));
    scene.controller.outputs().problemNow.clear();
    scene.view.refresh();
    REQUIRE_FALSE(notice->isVisible());
    // Nothing else changes when a device goes or comes.
    scene.controller.shell().problem = "No audio device is open: choose one";
    scene.controller.viewModel().update();
    REQUIRE(notice->text() == scene.controller.shell().problem);
    scene.controller.shell().problem.clear();
    scene.controller.viewModel().update();
    REQUIRE_FALSE(notice->isVisible());
}

TEST_CASE("a recording needs no audio device until Play is pressed, which says what is missing", "[unit]") {
    streaming::FilePlayer player;
    Scene scene(20.0);
    openDemo(scene, player);
    scene.controller.shell().problem = "No audio device is open: choose one";
    scene.controller.shell().unstored = "Settings cannot be stored";
    scene.view.refresh();
    scene.the<ui::NoticeBar>("Settings cannot be stored");
    scene.the<juce::Button>("Play").onClick();
    REQUIRE_FALSE(player.playing());
    REQUIRE(test::find<ui::NoticeBar>(scene.view, "No audio device is open: choose one") != nullptr);

    scene.controller.shell().problem.clear();
    scene.view.refresh();
    scene.the<juce::Button>("Play").onClick();
    REQUIRE(player.playing());
}

TEST_CASE("a recording can be cancelled while it is heard, and closed", "[unit]") {
    Scene scene(5.0);
    scene.controller.playback().recorded =
        std::make_unique<test::FakeSource>(std::vector<std::string>{"Dog", "Cat"});
    scene.controller.playback().recorded->addScene(40.0, 4);
    scene.controller.playback().recorded->statusNow.progress = 0.4;
    scene.controller.playback().open(juce::File("/tmp/walk.wav"));
    scene.view.refresh();
    scene.the<ui::RecordingBar>("Recording");
    scene.the<juce::Component>("walk.wav");
    scene.the<juce::Component>("Analysed: 40 %");
    scene.the<juce::TextButton>("Cancel").onClick();
    REQUIRE(scene.controller.playback().cancels == 1);
    scene.controller.playback().recorded->statusNow.state = streaming::State::finished;
    scene.controller.playback().recorded->statusNow.progress.reset();
    scene.controller.playback().recorded->statusNow.message = "Stopped by you after 16 s";
    scene.view.refresh();
    REQUIRE(test::find<juce::TextButton>(scene.view, "Cancel") == nullptr);
    scene.the<ui::NoticeBar>("Stopped by you after 16 s");
    scene.controller.playback().recorded->statusNow.message = "/a/long/path/walk.wav: breaks off at 16 s";
    scene.controller.shell().problem = "No audio device is open"; // which it needs not
    scene.view.refresh();
    scene.the<ui::NoticeBar>("breaks off at 16 s");
    scene.the<juce::TextButton>("Back to live").onClick();
    scene.view.refresh();
    REQUIRE(test::find<ui::RecordingBar>(scene.view, "Recording") == nullptr);
}

TEST_CASE("the last bounce is shown as a recording is, and its host alone stops it", "[unit]") {
    Scene scene(5.0);
    scene.controller.playback().showBounce();
    scene.view.refresh();
    scene.the<juce::Component>("Last bounce");
    REQUIRE(test::find<juce::TextButton>(scene.view, "Cancel") == nullptr);
    scene.the<juce::TextButton>("Back to live").onClick();
    scene.view.refresh();
    REQUIRE(test::find<ui::RecordingBar>(scene.view, "Recording") == nullptr);
}

TEST_CASE("a recording that can be played is played by Space, and a click in the list goes there", "[unit]") {
    streaming::FilePlayer player;
    Scene scene(20.0);
    openDemo(scene, player);
    scene.view.refresh();
    REQUIRE(scene.view.keyPressed(KeyPress(KeyPress::spaceKey)));
    REQUIRE(player.playing());
    scene.the<juce::Button>("Stop").onClick();
    REQUIRE_FALSE(player.playing());

    auto& table = scene.table();
    const auto event = table.rows().rows()[2];
    juce::SparseSet<int> row;
    row.addRange({2, 3});
    table.select(row);
    auto& list = scene.the<juce::ListBox>("Events");
    REQUIRE(list.keyPressed(KeyPress(KeyPress::returnKey)));
    REQUIRE(player.position() == Approx(event.onset));
    REQUIRE(test::find<juce::Component>(scene.view, "Now") != nullptr);

    scene.the<juce::Slider>("Position").setValue(1.5, juce::sendNotificationSync);
    REQUIRE(player.position() == Approx(1.5));
}

TEST_CASE("the panel of the strongest sounds shows the moment that its title says", "[unit]") {
    streaming::FilePlayer player;
    player.prepare(48000.0);
    player.open(test::demoFile());
    Scene scene(20.0);
    auto& now = scene.the<ui::NowPanel>("Now");
    const auto heard = [&]() -> const detection::Timeline& {
        return *scene.controller.viewModel().history().timeline;
    };
    const auto shows = [&](std::int64_t column) {
        now.advance(10.0);
        const auto values = heard().column(column);
        const auto top = now.strongest();
        return !top.empty() && std::ranges::all_of(top, [&](const auto& entry) {
            return entry.value == values[static_cast<std::size_t>(entry.classIndex)];
        });
    };
    const auto largest = [](std::span<const float> values) { return *std::ranges::max_element(values); };
    auto& timeline = scene.the<ui::TimelineView>("Timeline");
    const auto columns = heard().columns();
    const double step = heard().secondsPerColumn();
    REQUIRE(test::find<ui::Caption>(now, "Now") != nullptr);
    timeline.onPointer(4.2, true); // the live stream's moment is now, wherever the pointer is
    REQUIRE(shows(columns - 1));
    timeline.onPointer({}, true);

    scene.controller.playback().open(juce::File("/tmp/walk.wav"));
    scene.view.refresh();
    REQUIRE(shows(columns - 1)); // it is still being heard
    timeline.onPointer(4.2, true);
    REQUIRE(shows(static_cast<std::int64_t>(4.2 / step)));
    scene.controller.live.statusNow.state = streaming::State::finished;
    scene.view.refresh();
    timeline.onPointer({}, true);
    // What rests is ordered exactly.
    REQUIRE(std::ranges::is_sorted(now.strongest(), std::ranges::greater(), &ui::Ranking::Entry::value));
    REQUIRE(shows(static_cast<std::int64_t>(4.2 / step))); // what cannot be played stays where it was
    REQUIRE(test::find<ui::Caption>(now, "Now") == nullptr);

    scene.controller.playback().filePlayer = &player;
    REQUIRE(shows(0));
    player.seek(2.0);
    REQUIRE(shows(static_cast<std::int64_t>(2.0 / step)));
    timeline.onPointer(6.0, true);
    REQUIRE(shows(static_cast<std::int64_t>(6.0 / step)));

    // While it plays, a pointer that rests gives way to what plays.
    player.play();
    timeline.onPointer(7.0, true);
    now.advance(0.0);
    REQUIRE(now.strongest().front().value == largest(heard().column(static_cast<std::int64_t>(7.0 / step))));
    now.advance(2.0);
    timeline.onPointer(8.0, false); // the page was turned below it
    REQUIRE(shows(static_cast<std::int64_t>(2.0 / step)));
    player.stop();
    REQUIRE(shows(static_cast<std::int64_t>(8.0 / step)));
}

TEST_CASE("a recording is shown whole, and the live stream's zoom is kept meanwhile", "[unit]") {
    Scene scene(100.0);
    const double before = scene.controller.view().get().visibleSeconds;
    scene.controller.playback().open(juce::File("/tmp/walk.wav"));
    scene.view.refresh();
    scene.controller.view().edit([](auto& view) { view.pinned.insert("Dog"); });
    scene.viewChanged();
    REQUIRE(scene.controller.view().get().visibleSeconds == before);
    scene.controller.playback().close();
    scene.view.refresh();
    REQUIRE(scene.controller.view().get().visibleSeconds == before);
}

TEST_CASE("the settings open, change what they say, and close by Escape", "[unit]") {
    Scene scene(10.0);
    REQUIRE(scene.view.keyPressed(KeyPress(',', juce::ModifierKeys::commandModifier, 0)));
    auto& settings = scene.the<ui::SettingsPanel>("Settings");

    auto* light = test::find<juce::TextButton>(settings, "Light theme");
    REQUIRE(light != nullptr);
    light->setToggleState(true, juce::sendNotificationSync);
    scene.viewChanged();
    REQUIRE(scene.controller.view().get().theme == ui::ThemeChoice::light);
    REQUIRE(ui::Theme::of(scene.view).light);

    auto* osc = test::find<juce::ToggleButton>(settings, "OSC out");
    REQUIRE(osc != nullptr);
    auto* port = test::find<juce::TextEditor>(settings, "OSC port");
    port->setText("9123", false);
    osc->setToggleState(true, juce::sendNotificationSync);
    REQUIRE(scene.controller.outputs().settings().osc);
    REQUIRE(scene.controller.outputs().settings().oscPort == 9123);
    port->setText("0", false);
    port->onReturnKey();
    REQUIRE(scene.controller.outputs().settings().oscPort == 9123);

    auto* history = test::find<juce::ComboBox>(settings, "History memory limit");
    REQUIRE(history->getSelectedId() == 128);
    history->setSelectedId(512, juce::sendNotificationSync);
    REQUIRE(scene.controller.view().get().historyMegabytes == 512);
    scene.controller.view().edit([](auto& view) { view.historyMegabytes = 200; }); // as a project may
    scene.viewChanged();
    REQUIRE(history->getSelectedId() == 200);

    auto* midi = test::find<juce::ToggleButton>(settings, "MIDI out");
    midi->setToggleState(true, juce::sendNotificationSync);
    REQUIRE(scene.value(ui::parameter::midiOut) == 1.0f);

    auto* release = test::find<juce::Slider>(settings, "Release");
    release->setValue(0.75, juce::sendNotificationSync);
    REQUIRE(scene.value(ui::parameter::release) == Approx(0.75f));

    auto* channel = test::find<juce::ComboBox>(settings, "Channel");
    REQUIRE(channel != nullptr);
    REQUIRE(channel->getText() == "Mix");
    channel->setSelectedItemIndex(2, juce::sendNotificationSync);
    REQUIRE(scene.value(ui::parameter::channel) == 2.0f);

    auto* monitor = test::find<juce::ToggleButton>(settings, "Hear the input");
    monitor->setToggleState(true, juce::sendNotificationSync);
    REQUIRE(scene.controller.shell().monitorsInput());

    REQUIRE(scene.view.keyPressed(KeyPress(KeyPress::escapeKey)));
    REQUIRE(test::find<ui::SettingsPanel>(scene.view, "Settings") == nullptr);
}

TEST_CASE("a typed note is kept, and what is no note changes nothing", "[unit]") {
    Scene scene(5.0);
    scene.view.keyPressed(KeyPress(',', juce::ModifierKeys::commandModifier, 0));
    auto& notes = scene.the<ui::NoteTable>("Notes of sounds");
    REQUIRE(notes.sounds() == 12);
    REQUIRE(notes.setNote(3, "D2"));
    REQUIRE(notes.setChannel(3, "10"));
    const auto note = [&] {
        const auto name = notes.rowName(3).upToFirstOccurrenceOf(",", false, false).toStdString();
        return scene.controller.outputs().settings().midi.noteFor(
            {99, name}); // in a model that numbers it otherwise
    };
    REQUIRE(note() == formats::MidiNote{50, 10});
    REQUIRE_FALSE(notes.setNote(3, "loud"));
    REQUIRE_FALSE(notes.setChannel(3, "17"));
    REQUIRE(note() == formats::MidiNote{50, 10});
    notes.setSearch("animal");
    REQUIRE(notes.sounds() == 4); // Dog, Rooster, Bird, Cat
    notes.reset();
    REQUIRE(scene.controller.outputs().settings().midi == formats::MidiMap());
}

TEST_CASE("a view can be opened and closed as often as one likes", "[unit]") {
    test::FakeController controller({"Dog", "Cat"});
    controller.live.addScene(10.0);
    for (int i = 0; i < 50; ++i) {
        ui::MainView view(controller);
        view.setSize(700 + 10 * i, 400 + 5 * i);
        view.refresh();
        if (i % 3 == 0) view.keyPressed(KeyPress(',', juce::ModifierKeys::commandModifier, 0));
        if (i % 4 == 0) controller.playback().open(juce::File("/tmp/a.wav"));
        if (i % 4 == 2) controller.playback().close();
        view.createComponentSnapshot(view.getLocalBounds());
    }
    SUCCEED();
}

TEST_CASE("what is heard while no view is open is known when one opens", "[unit]") {
    test::FakeController controller({"Dog", "Rain"});
    const auto listed = [&] {
        ui::MainView view(controller);
        view.setSize(1200, 720);
        controller.viewModel().setFrozen(true); // ends with the view
        auto* table = test::find<ui::EventTable>(view, "Events");
        REQUIRE(table != nullptr);
        return table->listed();
    };
    const auto hear = [&] {
        for (int i = 0; i < 20; ++i) controller.live.addColumn({i < 10 ? 0.9f : 0.0f, 0.1f});
    };
    REQUIRE(listed() == 0);
    hear();
    controller.viewModel().update(); // as its timer does
    REQUIRE(controller.viewModel().events().list().events.size() == 1);
    REQUIRE(listed() == 1);
    hear();
    REQUIRE(listed() == 2);
    REQUIRE_FALSE(controller.viewModel().frozen());
}

TEST_CASE("a hundred thousand events are listed and drawn as easily as ten", "[slow]") {
    test::FakeController controller({"Dog", "Cat"});
    for (int i = 0; i < 100'000; ++i) {
        controller.live.addColumn({0.9f, 0.0f});
        controller.live.addColumn({0.0f, 0.0f});
    }
    ui::MainView view(controller);
    view.setSize(1200, 720);
    view.refresh();
    auto* table = test::find<ui::EventTable>(view, "Events");
    REQUIRE(table->listed() == 100'000);
    int rows = 0;
    test::walk(*table, [&](juce::Component&) { ++rows; });
    REQUIRE(rows < 60);
    view.createComponentSnapshot(view.getLocalBounds());
}
