// Playing and looking at a recording: speed, frequencies and contrast.
#include "EveryState.h"
#include "Support/Catch.h"
#include "Support/Pictures.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/SpectrogramView.h"

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

} // namespace

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
