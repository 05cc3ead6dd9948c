#include "Ui/TimelineView.h"

#include "Mouse.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/Paths.h"
#include "Support/Pictures.h"
#include "Ui/ParameterIds.h"
#include "Ui/SoundFilter.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/LaneMenu.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/Timeline/PlayCursor.h"
#include "Ui/WordLanes.h"
#include "ViewWalk.h"

#include <algorithm>
#include <random>
#include <set>

using namespace earshot;
using namespace earshot::ui;

namespace {

const std::vector<std::string> names = {"Water",  "Dog",    "Train", "Brass", "Cymbal", "Rooster",
                                        "Speech", "Rain",   "Wind",  "Bird",  "Engine", "Music",
                                        "Piano",  "Guitar", "Bell",  "Crowd"};

// A timeline over a fake source, drawn off screen.
struct Scene {
    explicit Scene(ThemeChoice choice = ThemeChoice::dark, std::vector<std::string> labels = names)
        : controller(std::move(labels))
        , theme(choice)
        , viewModel(controller)
        , view(controller, viewModel, axis) {
        view.setLookAndFeel(&theme);
        controller.view().edit([](ViewSettings& settings) {
            settings.spectrogramShare = 121.0 / (512 - size::ruler - 14); // 121 logical pixels
            settings.quietLanes = true;
        });
        view.setSize(936, 512);
    }
    ~Scene() { view.setLookAndFeel(nullptr); }

    test::FakeController controller;
    Theme theme;
    HistoryViewModel viewModel;
    TimeAxis axis;
    TimelineView view;

    std::size_t classCount() const { return static_cast<std::size_t>(controller.live.statusNow.classes); }
};

constexpr int lanesTop = size::ruler + 121 + 14; // of 512 logical pixels: below ruler and spectrogram
constexpr int plotWidth = 936 - size::laneNames;

int laneY(const Scene& scene, int classIndex) {
    const auto& lanes = *test::find<LanesView>(const_cast<TimelineView&>(scene.view), "Sounds");
    return lanes.getY() + lanes.laneBounds(classIndex).getCentreY();
}

int xAt(const Scene& scene, double seconds) {
    return size::laneNames + static_cast<int>(scene.axis.x(seconds, plotWidth));
}

juce::MouseEvent mouse(Scene& scene, juce::Point<int> at, juce::ModifierKeys keys = {}, int clicks = 1) {
    return test::mouseEvent(scene.view, at, keys, at, clicks);
}

void click(Scene& scene, juce::Point<int> at) {
    const juce::ModifierKeys left(juce::ModifierKeys::leftButtonModifier);
    scene.view.mouseMove(mouse(scene, at));
    scene.view.mouseDown(mouse(scene, at, left));
    scene.view.mouseUp(mouse(scene, at, left));
}

void wheel(Scene& scene, juce::Point<int> at, float delta, juce::ModifierKeys keys = {}) {
    scene.view.mouseWheelMove(mouse(scene, at, keys), {0.0f, delta, false, false, false});
}

bool press(Scene& scene, int code, juce::juce_wchar letter = 0) {
    return scene.view.keyPressed(juce::KeyPress(code, {}, letter));
}

// How many different colours there are, up to 1000.
int colours(const juce::Image& picture) {
    std::set<juce::uint32> found;
    for (int y = 0; y < picture.getHeight() && found.size() < 1000; y += 3)
        for (int x = 0; x < picture.getWidth(); ++x) found.insert(picture.getPixelAt(x, y).getARGB());
    return static_cast<int>(found.size());
}

// `columns` of two sounds: a loud one from 3.2 s on for 3.2 s, and another that nearly is an event there.
void addDogAndRain(Scene& scene, int columns = 60, int unsettled = 4) {
    for (int i = 0; i < columns; ++i) {
        std::vector<float> values(scene.classCount(), 0.0f);
        if (i >= 10 && i < 20) {
            values[1] = 0.8f;
            values[7] = 0.3f;
        }
        scene.controller.live.addColumn(values, unsettled);
    }
    scene.viewModel.update();
}

} // namespace

TEST_CASE("the timeline is drawn at every size and scale, dark and light", "[unit]") {
    for (const auto choice : {ThemeChoice::dark, ThemeChoice::light})
        for (const auto& [width, height] : {std::pair{488, 300}, {936, 512}, {1800, 1000}})
            for (const float scale : {1.0f, 2.0f}) {
                Scene scene(choice);
                scene.controller.live.addScene(28.0);
                scene.controller.view().edit([](ViewSettings& settings) { settings.pinned.insert("Dog"); });
                scene.view.setSize(width, height);
                scene.viewModel.update();
                const auto picture = test::snapshot(scene.view, scale);
                REQUIRE(picture.getWidth() == juce::roundToInt(static_cast<float>(width) * scale));
                REQUIRE(colours(picture) > 100);
                test::writePicture(picture, juce::String("timeline-") +
                                                (choice == ThemeChoice::dark ? "dark" : "light") + "-" +
                                                juce::String(width) + "@" + juce::String(scale, 0));
            }
}

TEST_CASE("a cell has its probability's colour where its time and lane are", "[unit]") {
    for (const float scale : {1.0f, 2.0f}) {
        Scene scene;
        addDogAndRain(scene);
        const auto picture = test::snapshot(scene.view, scale);
        const auto& palette = scene.theme.palette();
        const auto colourAt = [&](double seconds, int lane, int below = 0) {
            return picture.getPixelAt(
                static_cast<int>(static_cast<float>(xAt(scene, seconds)) * scale),
                static_cast<int>(static_cast<float>(laneY(scene, lane) + below) * scale));
        };
        using detection::SoundFamily;
        for (const double seconds : {5.0, 5.5, 6.0}) { // right of the event's label
            REQUIRE(colourAt(seconds, 1, 10) == palette.at(0.8f, SoundFamily::animals));
            REQUIRE(colourAt(seconds, 7) == palette.at(0.3f, SoundFamily::nature));
            REQUIRE(colourAt(seconds, 2) == palette.at(0.0f));
        }
        REQUIRE(colourAt(7.0, 1) == palette.at(0.0f));
    }
}

TEST_CASE("only columns that may still change are hatched", "[unit]") {
    Scene scene;
    addDogAndRain(scene, 60, 5);
    const auto picture = test::snapshot(scene.view);
    const auto different = [&](double from, double to) {
        std::set<juce::uint32> found;
        const int y = laneY(scene, 2);
        for (int x = xAt(scene, from) + 1; x < xAt(scene, to) - 1; ++x)
            for (int row = y - 10; row < y + 10; ++row) found.insert(picture.getPixelAt(x, row).getARGB());
        return found.size();
    };
    REQUIRE(different(8.0, 55 * 0.32) == 1);
    REQUIRE(different(55 * 0.32, 60 * 0.32) > 1);
}

TEST_CASE("scrolled and grown pictures are the same as those drawn at once", "[unit]") {
    for (const float scale : {1.0f, 1.5f}) {
        Scene grown;
        // The order of lanes is another matter: pinned ones stand by name.
        grown.controller.view().edit([](ViewSettings& view) { view.pinned = {names.begin(), names.end()}; });
        std::mt19937 random(4);
        const auto same = [&](Scene& scene) {
            Scene fresh;
            fresh.controller.live.copyOf(scene.controller.live);
            fresh.controller.view().set(scene.controller.view().get());
            fresh.viewModel.update();
            fresh.axis.setVisible(scene.axis.visible(), 0.0);
            fresh.axis.setStart(scene.axis.start());
            REQUIRE(fresh.view.lanes() == scene.view.lanes());
            const auto a = test::snapshot(scene.view, scale), b = test::snapshot(fresh.view, scale);
            for (int y = 0; y < a.getHeight(); y += 3)
                for (int x = static_cast<int>(size::laneNames * scale); x < a.getWidth() - 12; ++x)
                    if (a.getPixelAt(x, y) != b.getPixelAt(x, y)) return false;
            return true;
        };
        for (int round = 0; round < 12; ++round) {
            grown.controller.live.addScene(1.0 + static_cast<double>(random() % 8), round + 1u);
            grown.viewModel.update();
            if (round % 4 == 2) grown.axis.setStart(grown.axis.start() - 3.7);
            if (round % 4 == 3) grown.axis.follow();
            if (round == 7) grown.axis.setVisible(300.0, 10.0);
            test::snapshot(grown.view, scale);
            REQUIRE(same(grown));
        }
    }
}

TEST_CASE("a recording fills its timeline from left to right while it is heard", "[unit]") {
    Scene scene;
    auto& recording = scene.controller.live;
    scene.controller.playback().open(juce::File("/recordings/dawn.wav"));
    scene.axis.showEverything();
    std::set<double> zooms;
    for (unsigned part = 1; part <= 9; ++part) {
        recording.addScene(30.0, part);
        recording.statusNow.progress = recording.statusNow.heard / 300.7;
        scene.viewModel.update();
        zooms.insert(scene.axis.visible());
        REQUIRE(scene.axis.start() == 0.0);
    }
    REQUIRE(zooms.size() == 1);
    REQUIRE(*zooms.begin() == Approx(300.7));
    recording.finish(); // the user stopped it
    recording.statusNow.progress.reset();
    scene.viewModel.update();
    REQUIRE(scene.axis.visible() == Approx(recording.statusNow.heard));
}

TEST_CASE("the tip says what the pointer is on, and why a near miss is none", "[unit]") {
    Scene scene;
    addDogAndRain(scene);
    std::vector<std::optional<double>> pointed;
    scene.view.onPointer = [&](std::optional<double> seconds, bool) { pointed.push_back(seconds); };
    scene.view.mouseMove(mouse(scene, {xAt(scene, 5.0), laneY(scene, 1)}));
    REQUIRE(scene.view.hoverText().startsWith(juce::String::fromUTF8("Dog \xc2\xb7 00:0")));
    REQUIRE(scene.view.hoverText().contains("0.80\nEvent 00:03.2 to 00:06.4, peak 0.80, threshold 0.40"));
    scene.view.mouseMove(mouse(scene, {xAt(scene, 5.0), laneY(scene, 7)}));
    REQUIRE(scene.view.hoverText().contains("Not an event: 0.30 is below the threshold 0.40."));
    REQUIRE(!scene.view.hoverText().contains("to include it"));
    test::writePicture(test::snapshot(scene.view), "timeline-hover");
    scene.view.mouseMove(mouse(scene, {xAt(scene, 9.0), laneY(scene, 7)}));
    REQUIRE(!scene.view.hoverText().contains("\n"));
    scene.view.mouseMove(mouse(scene, {40, laneY(scene, 7)}));
    REQUIRE(scene.view.hoverText().isEmpty());
    scene.view.mouseExit(mouse(scene, {0, 0}));
    REQUIRE(scene.view.hoverText().isEmpty());

    // It came to 5 s, to 9 s, and left the plot.
    REQUIRE(pointed.size() == 3);
    REQUIRE(pointed[0].value() == Approx(5.0).margin(0.1));
    REQUIRE(pointed[1].value() == Approx(9.0).margin(0.1));
    REQUIRE_FALSE(pointed[2]);
}

TEST_CASE("a click on a near miss pins what would have let it in, Escape lets go", "[unit]") {
    Scene scene;
    addDogAndRain(scene);
    const juce::Point<int> rain(xAt(scene, 5.0), laneY(scene, 7));
    click(scene, rain);
    scene.view.mouseMove(mouse(scene, {xAt(scene, 12.0), laneY(scene, 2)}));
    REQUIRE(scene.view.hoverText().contains("Rain"));
    REQUIRE(scene.view.hoverText().contains("Set this sound's threshold to 0.30 to include it."));
    test::writePicture(test::snapshot(scene.view), "timeline-pinned");
    scene.controller.live.addScene(20.0);
    scene.viewModel.update();
    REQUIRE(scene.view.hoverText().contains("Rain")); // does not run away with the stream
    REQUIRE(press(scene, juce::KeyPress::escapeKey));
    REQUIRE(!scene.view.hoverText().contains("Rain"));
    REQUIRE(!press(scene, juce::KeyPress::escapeKey)); // left to whoever is around
    // And it does let it in.
    scene.controller.view().edit([](ViewSettings& view) { view.classThresholds["Rain"] = 0.30f; });
    scene.viewModel.update();
    scene.view.mouseMove(mouse(scene, rain));
    REQUIRE(scene.view.hoverText().contains("Event 00:03.2"));
}

TEST_CASE("a note includes its near miss, and closes when the rules change", "[unit]") {
    Scene scene;
    addDogAndRain(scene);
    juce::StringArray said;
    scene.view.onNotice = [&](const juce::String& text, Tone) { said.add(text); };
    const juce::Point<int> rain(xAt(scene, 5.0), laneY(scene, 7));
    const auto button = [&](const char* title) { return test::find<juce::TextButton>(scene.view, title); };
    const auto shows = [&](const char* title) {
        return button(title) != nullptr && button(title)->isVisible();
    };
    click(scene, rain);
    REQUIRE(shows("Include it"));
    REQUIRE_FALSE(shows("Not this")); // nothing is taught
    test::writePicture(test::snapshot(scene.view), "timeline-note");
    auto* sensitivity = scene.controller.parameters().getParameter(parameter::sensitivity);
    sensitivity->setValueNotifyingHost(sensitivity->convertTo0to1(-0.2f));
    scene.viewModel.update();
    REQUIRE_FALSE(scene.view.hoverText().contains("to include it"));
    sensitivity->setValueNotifyingHost(sensitivity->convertTo0to1(0.0f));
    scene.viewModel.update();

    click(scene, rain);
    button("Include it")->onClick();
    REQUIRE(scene.controller.view().get().classThresholds.at("Rain") == Approx(0.3f));
    REQUIRE(said.size() == 1);
    REQUIRE(said[0].startsWith("Threshold of Rain set to 0.30"));
    REQUIRE_FALSE(shows("Include it"));
    scene.view.mouseMove(mouse(scene, rain));
    REQUIRE(scene.view.hoverText().contains("Event 00:03.2 to 00:06.4, peak 0.30, threshold 0.30"));
    REQUIRE_FALSE(press(scene, 'i', 'i')); // there is no note to act on
}

TEST_CASE("a note closes when its recording begins to play", "[unit]") {
    streaming::FilePlayer player;
    player.prepare(48000.0);
    player.open(test::demoFile());
    Scene scene;
    addDogAndRain(scene);
    scene.controller.playback().filePlayer = &player;
    scene.controller.playback().open(juce::File("/tmp/walk.wav"));
    scene.viewModel.update();
    const auto children = scene.view.getChildren();
    const auto cursor = std::ranges::find_if(
        children, [](auto* child) { return dynamic_cast<PlayCursor*>(child) != nullptr; });
    REQUIRE(cursor != children.end());
    const auto follow = [&] { dynamic_cast<PlayCursor&>(**cursor).onFollow(); };
    click(scene, {xAt(scene, 5.0), laneY(scene, 7)});
    follow();
    REQUIRE(scene.view.hoverText().contains("to include it"));
    player.play();
    follow();
    REQUIRE_FALSE(scene.view.hoverText().contains("to include it"));
    // One that is opened while it plays stays.
    click(scene, {xAt(scene, 5.0), laneY(scene, 7)});
    follow();
    REQUIRE(scene.view.hoverText().contains("to include it"));
    player.stop();
}

TEST_CASE("a note teaches what its sound is not, where that is taught", "[unit]") {
    Scene scene;
    scene.controller.teaching().now.sounds = {{"Rain", 3, 0, 6.0, 3, true, {}}};
    addDogAndRain(scene);
    scene.controller.viewModel().update(); // of which spans are taught
    click(scene, {xAt(scene, 5.0), laneY(scene, 7)});
    auto* button = test::find<juce::TextButton>(scene.view, "Not this");
    REQUIRE(button != nullptr);
    REQUIRE(button->isVisible());
    button->onClick();
    REQUIRE(scene.controller.teaching().examples.size() == 1);
    const auto& example = scene.controller.teaching().examples[0];
    REQUIRE(example.sound == "Rain");
    REQUIRE_FALSE(example.is);
    REQUIRE(example.onset == Approx(3.2));
    REQUIRE(example.offset == Approx(6.4));
    REQUIRE_FALSE(scene.view.hoverText().contains("to include it"));
}

TEST_CASE("a search without results offers an example first, and words second", "[unit]") {
    Scene scene;
    addDogAndRain(scene);
    const auto& lanes = *test::find<LanesView>(scene.view, "Sounds");
    const auto searched = [&] {
        scene.viewModel.update();
        scene.view.setSearch({});
        scene.view.setSearch("kettle");
        return lanes.emptyText();
    };
    REQUIRE_FALSE(searched().contains("example"));
    scene.controller.teaching().now.possible = true;
    REQUIRE(searched() == "No sound is called " + inQuotes("kettle") +
                              ".\nTeach it from an example: drag over one in the spectrogram and name it.");
    scene.controller.words().now.possible = true;
    const auto both = searched();
    REQUIRE(both.indexOf("Teach it from an example") > 0);
    REQUIRE(both.indexOf("Press Return to listen for") > both.indexOf("Teach it from an example"));
}

TEST_CASE("the spectrogram's tip tells time and frequency", "[unit]") {
    Scene scene;
    scene.controller.live.addScene(20.0);
    scene.viewModel.update();
    scene.view.mouseMove(mouse(scene, {xAt(scene, 5.0), size::ruler + 1}));
    REQUIRE(scene.view.hoverText().endsWith("kHz"));
    scene.view.mouseMove(mouse(scene, {xAt(scene, 5.0), size::ruler + 119}));
    REQUIRE(scene.view.hoverText().endsWith(" Hz"));
}

TEST_CASE("the wheel scrolls, and zooms at the pointer with control", "[unit]") {
    Scene scene;
    scene.controller.live.addScene(120.0);
    scene.viewModel.update();
    const juce::Point<int> at(500, 300);
    const auto moment = [&] { return scene.axis.seconds(500 - size::laneNames, plotWidth); };
    wheel(scene, at, 2.0f);
    REQUIRE(scene.axis.start() == Approx(scene.axis.contentEnd() - 60.0));
    REQUIRE(!scene.axis.following());
    const double before = moment();
    wheel(scene, at, 0.2f, juce::ModifierKeys(juce::ModifierKeys::ctrlModifier));
    REQUIRE(scene.axis.visible() < 30.0);
    REQUIRE(moment() == Approx(before));
    REQUIRE(scene.controller.view().get().visibleSeconds == Approx(scene.axis.visible()));
    scene.view.mouseMagnify(mouse(scene, at), 0.5f);
    REQUIRE(moment() == Approx(before));
    scene.view.mouseDoubleClick(mouse(scene, at, {}, 2));
    REQUIRE(scene.axis.following());
}

TEST_CASE("keys scroll, zoom, choose a lane and act on it", "[unit]") {
    Scene scene;
    scene.controller.live.addScene(120.0);
    scene.viewModel.update();
    press(scene, juce::KeyPress::leftKey);
    REQUIRE(!scene.axis.following());
    press(scene, juce::KeyPress::homeKey);
    REQUIRE(scene.axis.start() == 0.0);
    press(scene, '+', '+');
    REQUIRE(scene.axis.visible() == Approx(24.0));
    press(scene, juce::KeyPress::endKey);
    REQUIRE(scene.axis.following());
    REQUIRE(!press(scene, 'p', 'p')); // no lane is chosen
    press(scene, juce::KeyPress::downKey);
    press(scene, juce::KeyPress::downKey);
    const int lane = scene.view.lanes()[1];
    const auto name = scene.viewModel.label(lane).toStdString();
    REQUIRE(press(scene, 'p', 'p'));
    REQUIRE(scene.controller.view().get().pinned.contains(name));
    REQUIRE(press(scene, 's', 's'));
    REQUIRE(scene.controller.view().get().solo.contains(name));
    REQUIRE(press(scene, 'h', 'h'));
    REQUIRE(scene.controller.view().get().hidden.contains(name));
}

TEST_CASE("a search shows the lanes it names, by sound or group, and says when there are none", "[unit]") {
    Scene scene;
    addDogAndRain(scene);
    scene.view.setSearch("dOg");
    REQUIRE(scene.view.lanes() == std::vector<int>{1});
    scene.view.setSearch("animal");
    REQUIRE(std::ranges::count(scene.view.lanes(), 1) == 1);
    REQUIRE(std::ranges::count(scene.view.lanes(), 2) == 0);
    scene.view.setSearch("zither of doom");
    REQUIRE(scene.view.lanes().empty());
    test::writePicture(test::snapshot(scene.view), "timeline-nothing-found");
    scene.view.setSearch("");
    REQUIRE(scene.view.lanes().size() == names.size());
}

TEST_CASE("every lane has a place of its own, however often the stream begins anew", "[unit]") {
    Scene scene;
    scene.controller.live.addScene(5.0);
    scene.viewModel.update();
    scene.viewModel.start(); // all is told again, with the same lanes in the same order
    const auto* lanes = test::find<LanesView>(scene.view, "Sounds");
    REQUIRE(lanes != nullptr);
    std::set<int> tops;
    for (int c = 0; c < static_cast<int>(names.size()); ++c) {
        REQUIRE_FALSE(lanes->laneBounds(c).isEmpty());
        tops.insert(lanes->laneBounds(c).getY());
    }
    REQUIRE(tops.size() == names.size());
}

TEST_CASE("once a recording has ended its loudest sounds stand on top", "[unit]") {
    Scene scene;
    scene.controller.playback().open(juce::File("/recordings/dawn.wav"));
    const auto add = [&](std::size_t sound, float probability) {
        std::vector<float> values(scene.classCount(), 0.0f);
        values[sound] = probability;
        for (int i = 0; i < 10; ++i) scene.controller.live.addColumn(values);
    };
    add(3, 0.2f);
    scene.viewModel.update();
    REQUIRE(scene.view.lanes().front() == 3);
    add(11, 0.94f);
    scene.controller.live.finish();
    scene.viewModel.update();
    REQUIRE(scene.view.lanes()[0] == 11);
    REQUIRE(scene.view.lanes()[1] == 3);
}

TEST_CASE("the lanes of a recording have the same order each time it is opened", "[unit]") {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> any(0.0f, 1.0f);
    std::vector<std::vector<float>> columns(200);
    for (auto& column : columns)
        for (std::size_t c = 0; c < names.size(); ++c)
            column.push_back(c % 3 == 0 ? 0.0f : any(random)); // some are equally faint
    std::vector<std::vector<int>> orders;
    for (const std::size_t atOnce : {1u, 7u, 200u}) {
        Scene scene;
        scene.controller.playback().open(juce::File("/recordings/dawn.wav"));
        for (std::size_t i = 0; i < columns.size(); ++i) {
            scene.controller.live.addColumn(columns[i]);
            if (i % atOnce == 0) scene.viewModel.update();
        }
        scene.controller.live.finish();
        scene.viewModel.update();
        orders.push_back(scene.view.lanes());
    }
    REQUIRE(orders[0] == orders[1]);
    REQUIRE(orders[0] == orders[2]);
}

TEST_CASE("only sounds with an event or a near miss in view have a lane, and a row opens the rest",
          "[unit]") {
    Scene scene;
    scene.controller.view().edit([](ViewSettings& view) { view.quietLanes = false; });
    addDogAndRain(scene, 200);
    const auto& lanes = *test::find<LanesView>(scene.view, "Sounds");
    scene.axis.setStart(0.0);
    scene.axis.dispatchPendingMessages();
    auto* row = test::find<MoreLanes>(scene.view, "Show 14 sounds without events in view");
    REQUIRE(row != nullptr);
    REQUIRE(std::set<int>(scene.view.lanes().begin(), scene.view.lanes().end()) == std::set<int>{1, 7});
    REQUIRE(row->getButtonText() == "and 14 more");
    REQUIRE(row->getY() == 2 * LanesView::pitch);
    test::writePicture(test::snapshot(scene.view), "timeline-lanes-in-view");

    scene.axis.setStart(30.0); // both ended before
    scene.axis.dispatchPendingMessages();
    REQUIRE(scene.view.lanes().empty());
    REQUIRE(lanes.emptyText() == "No events in view.");
    REQUIRE(row->getButtonText() == "16 sounds without events in view");
    REQUIRE(row->getY() == 0);

    // What the user pins, solos, searches or goes to has a lane.
    scene.controller.view().edit([](ViewSettings& view) { view.pinned = {"Bell"}; });
    scene.controller.view().dispatchPendingMessages();
    REQUIRE(scene.view.lanes() == std::vector<int>{14});
    scene.view.setSearch("wind");
    REQUIRE(scene.view.lanes() == std::vector<int>{8});
    REQUIRE_FALSE(row->isVisible());
    scene.view.setSearch("");
    scene.view.reveal(10, 31.0, 33.0);
    REQUIRE(scene.view.lanes() == std::vector<int>{14, 10});

    row->onClick();
    REQUIRE(scene.view.lanes().size() == names.size());
    REQUIRE(scene.controller.view().get().quietLanes);
    REQUIRE(row->getTitle() == "Hide 15 sounds without events in view");
    REQUIRE(row->getY() == LanesView::pitch); // below the pinned one
    for (const int lane : scene.view.lanes())
        REQUIRE(lanes.laneAt(lanes.laneBounds(lane).getCentreY()) == lane);
    REQUIRE(lanes.laneAt(row->getBounds().getCentreY()) == -1);
    test::writePicture(test::snapshot(scene.view), "timeline-all-lanes");
    REQUIRE(press(scene, 'a', 'a'));
    REQUIRE_FALSE(scene.controller.view().get().quietLanes);
}

TEST_CASE("what is shown is pinned first, then as ordered, without what is hidden", "[unit]") {
    const auto labels =
        detection::Labels::read({{"earshot.labels", R"(["Dog","Rain","Bird","Cat"])"}}, "m.safetensors", 4);
    const std::vector<int> order = {3, 2, 1, 0};
    ViewSettings view;
    REQUIRE(shownLanes(labels, order, view, "") == order);
    view.pinned = {"Rain", "Bird"};
    REQUIRE(shownLanes(labels, order, view, "") == std::vector<int>{2, 1, 3, 0});
    view.hidden = {"Cat"};
    REQUIRE(shownLanes(labels, order, view, "") == std::vector<int>{2, 1, 0});
    REQUIRE(shownLanes(labels, order, view, "cat") == std::vector<int>{3});
    view.solo = {"Cat"};
    REQUIRE(shownLanes(labels, order, view, "") == std::vector<int>{3});
    view.solo = {"A sound of another model"};
    REQUIRE(shownLanes(labels, order, view, "") == std::vector<int>{2, 1, 0});
}

TEST_CASE("where there is nothing to see the timeline says why", "[unit]") {
    const auto description = [](Scene& scene) {
        for (auto* child : scene.view.getChildren())
            if (auto* lanes = dynamic_cast<LanesView*>(child)) return lanes->emptyText();
        return juce::String();
    };
    Scene scene;
    scene.viewModel.update();
    REQUIRE(description(scene) == "Listening. Sounds appear here as they happen.");
    scene.controller.live.statusNow.state = streaming::State::loading;
    scene.viewModel.update();
    REQUIRE(description(scene) == "Loading the model...");
    scene.controller.live.statusNow.state = streaming::State::failed;
    scene.controller.live.statusNow.message = "The model cannot be read: choose another";
    scene.viewModel.update();
    REQUIRE(description(scene) == "The model cannot be read: choose another");
    test::writePicture(test::snapshot(scene.view), "timeline-failed");
    scene.controller.live.statusNow.state = streaming::State::running;
    addDogAndRain(scene);
    REQUIRE(description(scene).isEmpty());
}

TEST_CASE("a stretch can be revealed", "[unit]") {
    Scene scene;
    scene.controller.live.addScene(120.0);
    scene.viewModel.update();
    const int last = scene.view.lanes().back();
    scene.view.reveal(last, 20.0, 22.0);
    REQUIRE(scene.axis.start() <= 20.0);
    REQUIRE(scene.axis.end() >= 22.0);
    REQUIRE(!scene.axis.following());
    test::writePicture(test::snapshot(scene.view), "timeline-revealed");
}

TEST_CASE("what is revealed scrolls the lanes only if its own is out of sight", "[unit]") {
    Scene scene;
    scene.controller.live.addScene(120.0);
    scene.viewModel.update();
    const auto& lanes = *test::find<LanesView>(scene.view, "Sounds");
    scene.axis.setStart(10.0);
    scene.axis.dispatchPendingMessages(); // its sounds are on top
    const int first = scene.view.lanes()[0], second = scene.view.lanes()[1], last = scene.view.lanes().back();
    const int y = lanes.laneBounds(first).getY();
    scene.view.reveal(second, 20.0, 22.0);
    REQUIRE(lanes.laneBounds(first).getY() == y);
    REQUIRE(lanes.laneBounds(last).getY() > lanes.getHeight());
    scene.view.reveal(last, 20.0, 22.0);
    REQUIRE(lanes.laneBounds(last).getBottom() <= lanes.getHeight());
    REQUIRE(lanes.laneBounds(first).getY() < y);
}

TEST_CASE("names pin at a click on their mark", "[unit]") {
    Scene scene;
    addDogAndRain(scene);
    const int lane = scene.view.lanes()[2];
    const auto name = scene.viewModel.label(lane).toStdString();
    click(scene, {size::laneNames - 15, laneY(scene, lane)});
    REQUIRE(scene.controller.view().get().pinned.contains(name));
}

TEST_CASE("a sound goes back from a threshold of its own to the common one", "[unit]") {
    Scene scene;
    scene.controller.view().edit([](ViewSettings& view) { view.classThresholds["Dog"] = 0.8f; });
    addDogAndRain(scene);
    const float common = commonThreshold(scene.controller, scene.viewModel, 1);
    REQUIRE(common == Approx(0.4f));
    ThresholdPanel panel(scene.controller.view(), "Dog", common);
    REQUIRE(panel.slider.getValue() == Approx(0.8));
    panel.reset.onClick();
    REQUIRE(panel.slider.getValue() == Approx(0.4));
    REQUIRE(scene.controller.view().get().classThresholds.empty());
}

TEST_CASE("keys pin, show alone and hide the chosen sound", "[unit]") {
    Scene scene;
    addDogAndRain(scene);
    const auto& state = scene.controller.view();
    const auto press = [&](char letter) {
        return scene.view.keyPressed(juce::KeyPress(letter, {}, static_cast<juce::juce_wchar>(letter)));
    };
    REQUIRE_FALSE(press('p')); // no sound is chosen yet: the key is the host's
    REQUIRE(scene.view.keyPressed(juce::KeyPress(juce::KeyPress::downKey)));
    const auto name = scene.viewModel.label(scene.view.lanes()[0]).toStdString();
    REQUIRE(press('p'));
    REQUIRE(state.get().pinned.contains(name));
    REQUIRE(press('p'));
    REQUIRE(state.get().pinned.empty());
    REQUIRE(press('s'));
    REQUIRE(state.get().solo == std::set<std::string>{name});
    REQUIRE(press('s'));
    REQUIRE(state.get().solo.empty());
    REQUIRE(press('h'));
    REQUIRE(state.get().hidden == std::set<std::string>{name});
    REQUIRE_FALSE(press('x'));
}
