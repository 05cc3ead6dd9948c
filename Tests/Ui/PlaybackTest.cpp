// Playing and looking at a recording: speed, frequencies and contrast.
#include "EveryState.h"
#include "Mouse.h"
#include "Support/Catch.h"
#include "Support/Pictures.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/Plot.h"
#include "Ui/Timeline/SpectrogramView.h"

#include <cmath>
#include <functional>
#include <vector>

using namespace earshot;
using ui::SpectrogramRange;

namespace {

streaming::SpectrogramHistory& withBands(streaming::SpectrogramHistory& history) {
    history.reset(64, 0.01, 50.0, 14000.0);
    return history;
}

// Chooses an entry of the spectrogram's menu.
void choose(test::StateScene& scene, const juce::String& text) {
    auto menu = scene.find<ui::SpectrogramView>("Spectrogram")->menu();
    bool found = false;
    for (juce::PopupMenu::MenuItemIterator item(menu); item.next();)
        if (item.getItem().text == text) {
            REQUIRE_FALSE(item.getItem().isTicked);
            item.getItem().action();
            found = true;
        }
    REQUIRE(found);
    scene.controller.view().dispatchPendingMessages();
}

// The timeline of a recording that can be played.
struct PlayedScene : test::StateScene {
    explicit PlayedScene(int width = 1200, int height = 720)
        : StateScene("recording", ui::ThemeChoice::dark, width, height) {}

    ui::TimelineView& timeline() { return *find<ui::TimelineView>("Timeline"); }
    juce::Point<int> at(double seconds, int y) {
        const double shown = 95.0; // all of it
        const int plot = ui::plotWidth(timeline());
        return {ui::size::laneNames + juce::roundToInt(seconds / shown * plot), y};
    }
    juce::Point<int> inRuler(double seconds) { return at(seconds, ui::size::ruler / 2); }
    juce::Point<int> inSpectrogram(double seconds) { return at(seconds, ui::size::ruler + 30); }
    bool press(juce::KeyPress key) { return view->keyPressed(key); }
    bool loopKey() { return press({'l', juce::ModifierKeys::shiftModifier, 'L'}); }
};

} // namespace

TEST_CASE("without an audio device nothing begins to play, and each way to play says why", "[unit]") {
    const juce::String why = "No audio device is open: choose one";
    const std::vector<std::function<void(PlayedScene&)>> ways{
        [](PlayedScene& scene) { scene.find<juce::Button>("Play")->onClick(); },
        [](PlayedScene& scene) { scene.find<juce::TextButton>("Loop")->onClick(); },
        [](PlayedScene& scene) { REQUIRE(scene.loopKey()); },
        [](PlayedScene& scene) { scene.find<juce::Button>("Play the mark")->onClick(); },
    };
    for (const auto& way : ways) {
        PlayedScene scene;
        test::drag(scene.timeline(), scene.inSpectrogram(4.0), scene.inSpectrogram(8.0));
        scene.controller.shell().problem = why;
        scene.view->refresh();
        REQUIRE(scene.find<ui::NoticeBar>(why) == nullptr);
        way(scene);
        CHECK_FALSE(scene.player.playing());
        CHECK(scene.find<ui::NoticeBar>(why) != nullptr);
        scene.controller.shell().problem = {};
        scene.view->refresh();
        way(scene);
        CHECK(scene.player.playing());
    }
}

TEST_CASE("a mark is looped by a button and a key, and its ends are dragged in the ruler", "[unit]") {
    PlayedScene scene;
    auto* loop = scene.find<juce::TextButton>("Loop");
    REQUIRE(loop != nullptr);
    loop->onClick(); // nothing is marked
    REQUIRE_FALSE(scene.player.looped());
    const auto* notice =
        scene.find<ui::NoticeBar>("Mark what is to be looped first: drag over the spectrogram, or press M");
    REQUIRE(notice != nullptr);

    test::drag(scene.timeline(), scene.inSpectrogram(4.0), scene.inSpectrogram(8.0));
    loop->onClick();
    REQUIRE(scene.player.playing());
    REQUIRE(scene.player.position() == Approx(4.0).margin(0.2));
    REQUIRE(scene.player.looped()->offset == Approx(8.0).margin(0.2));
    REQUIRE(loop->getToggleState());

    test::drag(scene.timeline(), scene.inRuler(8.0), scene.inRuler(12.0));
    REQUIRE(scene.player.looped()->onset == Approx(4.0).margin(0.2));
    REQUIRE(scene.player.looped()->offset == Approx(12.0).margin(0.2));
    REQUIRE(scene.player.playing());
    test::click(scene.timeline(), scene.inRuler(10.0)); // within it
    REQUIRE(scene.player.position() == Approx(10.0).margin(0.2));
    REQUIRE(scene.player.looped());
    test::writePicture(test::snapshot(*scene.view), "loop");
    test::click(scene.timeline(), scene.inRuler(2.0)); // beyond it
    REQUIRE_FALSE(scene.player.looped());
    REQUIRE(scene.timeline().mark().exists());

    REQUIRE(scene.loopKey());
    REQUIRE(scene.player.looped()->onset == Approx(4.0).margin(0.2));
    scene.timeline().clearMark();
    REQUIRE(scene.player.looped()); // it stays until it is ended
    REQUIRE(scene.player.playing());
    REQUIRE(scene.loopKey());
    REQUIRE_FALSE(scene.player.looped());
    REQUIRE(scene.player.playing());
    scene.player.stop();
}

TEST_CASE("a drag beyond the edge of the view marks on", "[unit]") {
    PlayedScene scene;
    auto& timeline = scene.timeline();
    for (int i = 0; i < 10; ++i) REQUIRE(timeline.keyPressed({'+', {}, '+'})); // about 10 s are in view
    const int right = timeline.getWidth();
    const juce::Point<int> from(right - 100, ui::size::ruler + 30), to(right + 400, from.y);
    const auto keys = test::leftButton();
    timeline.mouseDown(test::mouseEvent(timeline, from, keys, from));
    for (int i = 0; i < 5; ++i) timeline.mouseDrag(test::mouseEvent(timeline, to, keys, from));
    timeline.mouseUp(test::mouseEvent(timeline, to, keys, from));
    const double inView = 100.0 / ui::plotWidth(timeline) * 95.0 / std::pow(1.25, 10);
    REQUIRE(timeline.mark().seconds() > 3.0 * inView);
}

TEST_CASE("a drag in the ruler scrubs, and leaves playing as it was", "[unit]") {
    PlayedScene scene;
    auto& timeline = scene.timeline();
    const auto from = scene.inRuler(3.0), to = scene.inRuler(9.0);
    const auto keys = test::leftButton();
    timeline.mouseDown(test::mouseEvent(timeline, from, keys, from));
    timeline.mouseDrag(test::mouseEvent(timeline, to, keys, from));
    REQUIRE(scene.player.playing()); // it is heard
    REQUIRE(scene.player.position() == Approx(9.0).margin(0.2));
    timeline.mouseUp(test::mouseEvent(timeline, to, keys, from));
    REQUIRE_FALSE(scene.player.playing());
    REQUIRE(scene.player.position() == Approx(9.0).margin(0.2));
    REQUIRE_FALSE(timeline.mark().exists());
    scene.player.play();
    test::drag(timeline, scene.inRuler(2.0), scene.inRuler(6.0));
    REQUIRE(scene.player.playing());
    REQUIRE(scene.player.position() == Approx(6.0).margin(0.3));
    scene.player.stop();
}

TEST_CASE("the playback speed is chosen beside the play button, and stays with the next recording",
          "[unit]") {
    test::StateScene scene("recording", ui::ThemeChoice::dark, 1200, 720);
    auto* speed = scene.find<juce::ComboBox>("Playback speed");
    REQUIRE(speed != nullptr);
    REQUIRE(speed->getText() == juce::String::fromUTF8("1 ×"));
    speed->setSelectedId(50, juce::sendNotificationSync);
    REQUIRE(scene.player.speed() == 0.5);
    scene.player.open(juce::File(scene.controller.playback().recording()).getFullPathName().toStdString());
    scene.view->refresh();
    REQUIRE(speed->getText() == juce::String::fromUTF8("0.5 ×"));
}

TEST_CASE("frequencies are shown as far as the model has them", "[unit]") {
    streaming::SpectrogramHistory history;
    ui::ViewSettings view;
    REQUIRE(SpectrogramRange::of(view, history) == SpectrogramRange());
    withBands(history);
    REQUIRE(SpectrogramRange::of(view, history) == SpectrogramRange());
    const auto hertz = [&](double point) {
        const auto range = SpectrogramRange::of(view, history);
        REQUIRE(range.pointOf(range.inside(point)) == Approx(point));
        return ui::imageOf(history).frequency(range.inside(point));
    };
    view.maxHertz = 2000.0;
    REQUIRE(hertz(0.0) == Approx(2000.0).epsilon(0.01));
    REQUIRE(hertz(1.0) < 80.0); // the middle of the lowest band
    view.minHertz = 4000.0;
    view.maxHertz = 1e6;
    REQUIRE(hertz(0.0) == Approx(14000.0).epsilon(0.05));
    REQUIRE(hertz(1.0) == Approx(4000.0).epsilon(0.01));
    // Where the model has nothing, all is shown.
    view.minHertz = 20000.0;
    REQUIRE(SpectrogramRange::of(view, history) == SpectrogramRange());
    view.maxHertz = 100.0; // turned round
    REQUIRE(SpectrogramRange::of(view, history) == SpectrogramRange());
    view.contrast = 7;
    REQUIRE(SpectrogramRange::of(view, history).contrast == 1);
}

TEST_CASE("the spectrogram's menu chooses frequencies and contrast, which the pointer and the project know",
          "[unit]") {
    test::StateScene scene("live", ui::ThemeChoice::dark, 1200, 720);
    auto& spectrogram = *scene.find<ui::SpectrogramView>("Spectrogram");
    const auto shown = [&] { return test::snapshot(spectrogram); };
    const auto differs = [](const juce::Image& a, const juce::Image& b) {
        for (int y = 0; y < a.getHeight(); y += 3)
            for (int x = ui::size::laneNames; x < a.getWidth(); x += 3)
                if (a.getPixelAt(x, y) != b.getPixelAt(x, y)) return true;
        return false;
    };
    const auto all = shown();
    REQUIRE(spectrogram.hertzAt(0) > 10000.0);
    choose(scene, "Up to 2 kHz");
    REQUIRE(spectrogram.hertzAt(0) == Approx(2000.0).epsilon(0.05));
    REQUIRE(scene.controller.view().get().maxHertz == 2000.0);
    const auto low = shown();
    REQUIRE(differs(all, low));
    choose(scene, "High");
    REQUIRE(scene.controller.view().get().contrast == 1);
    REQUIRE(differs(low, shown()));
    test::writePicture(test::snapshot(*scene.view), "spectrogram-2kHz");
    choose(scene, "Normal");
    choose(scene, "All");
    REQUIRE_FALSE(differs(all, shown()));
}
