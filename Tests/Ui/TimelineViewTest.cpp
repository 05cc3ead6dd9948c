#include "Ui/TimelineView.h"

#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/Pictures.h"
#include "Ui/Theme.h"

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
        , watcher(controller)
        , view(controller, watcher, axis) {
        view.setLookAndFeel(&theme);
        view.setSize(936, 512);
    }
    ~Scene() { view.setLookAndFeel(nullptr); }

    test::FakeController controller;
    Theme theme;
    Watcher watcher;
    TimeAxis axis;
    TimelineView view;
};

} // namespace

TEST_CASE("the timeline can be looked at", "[unit]") {
    for (const auto choice : {ThemeChoice::dark, ThemeChoice::light})
        for (const auto& [width, height] : {std::pair{488, 300}, {936, 512}, {1800, 1000}})
            for (const float scale : {1.0f, 2.0f}) {
                Scene scene(choice);
                scene.controller.live.addScene(28.0);
                scene.controller.view().edit([](ViewSettings& settings) { settings.pinned.insert("Dog"); });
                scene.view.setSize(width, height);
                scene.watcher.update();
                const auto picture = test::snapshot(scene.view, scale);
                REQUIRE(picture.getWidth() == juce::roundToInt(static_cast<float>(width) * scale));
                test::writePicture(picture, juce::String("timeline-") +
                                                (choice == ThemeChoice::dark ? "dark" : "light") + "-" +
                                                juce::String(width) + "@" + juce::String(scale, 0));
            }
}
