#include "Plugin/Window/WindowPlace.h"

#include "Support/Catch.h"
#include "Ui/MainView.h"

using namespace earshot;
using juce::Point;
using juce::Rectangle;
using plugin::windowPlace;

TEST_CASE("a window opens within its screen", "[unit]") {
    const Rectangle<int> screen(0, 0, 1300, 820);
    CHECK(windowPlace({1200, 720}, {}, screen, 32) == Rectangle<int>(50, 66, 1200, 720));
    CHECK(windowPlace({1200, 720}, Point<int>(20, 60), screen, 32) == Rectangle<int>(20, 60, 1200, 720));
    // Too far to the right and too low, above the title bar's room, and beyond the screen.
    CHECK(windowPlace({1200, 720}, Point<int>(900, 700), screen, 32) == Rectangle<int>(100, 100, 1200, 720));
    CHECK(windowPlace({1200, 720}, Point<int>(-40, 0), screen, 32) == Rectangle<int>(0, 32, 1200, 720));
    // A size from a larger screen.
    CHECK(windowPlace({2560, 1400}, Point<int>(300, 200), screen, 32) == Rectangle<int>(0, 32, 1300, 788));
    CHECK(windowPlace({2560, 600}, {}, screen, 32) == Rectangle<int>(0, 126, 1300, 600));
    // A second screen to the left, with a panel at its top.
    const Rectangle<int> second(-1024, 24, 1024, 576);
    CHECK(windowPlace({1200, 720}, Point<int>(-900, 100), second, 32) ==
          Rectangle<int>(-1024, 56, 1024, 544));
}

TEST_CASE("a window fits a scaled screen", "[unit]") {
    // 1920 x 1080 physical pixels, as the desktop tells them at its scale.
    for (const double scale : {1.0, 1.5, 2.0}) {
        const Rectangle<int> screen(0, 0, static_cast<int>(1920 / scale), static_cast<int>(1080 / scale));
        const auto place = windowPlace({1200, 720}, Point<int>(800, 500), screen, 32);
        CAPTURE(scale);
        CHECK(screen.contains(place));
        CHECK(place.getWidth() >= ui::MainView::minWidth);
        CHECK(place.getHeight() >= ui::MainView::minHeight);
    }
}

TEST_CASE("a view is enlarged as the user wants it, as far as the screen has room", "[unit]") {
    using plugin::zoomIn;
    const Point<int> smallest(640, 360);
    const Rectangle<int> screen(0, 0, 1280, 800);
    CHECK(zoomIn(screen, smallest, 100) == 1.0);
    CHECK(zoomIn(screen, smallest, 75) == 0.75);
    CHECK(zoomIn(screen, smallest, 200) == 2.0);
    CHECK(zoomIn(Rectangle<int>(0, 0, 960, 800), smallest, 200) == 1.5);
    CHECK(zoomIn(Rectangle<int>(0, 0, 1280, 450), smallest, 150) == 1.25);
    CHECK(zoomIn(Rectangle<int>(0, 0, 320, 200), smallest, 200) == 1.0);
    CHECK(zoomIn(Rectangle<int>(0, 0, 320, 200), smallest, 75) == 0.75);
}

TEST_CASE("what a host enlarges has less of the screen, but nothing is enlarged twice", "[unit]") {
    using plugin::areaForEditor;
    const Rectangle<int> screen(0, 0, 1920, 1080), scaled(0, 0, 960, 540);
    CHECK(areaForEditor(screen, 1.0, 1.0) == screen);
    CHECK(areaForEditor(screen, 1.0, 1.5) == Rectangle<int>(0, 0, 1280, 720));
    CHECK(areaForEditor(screen, 1.0, 2.0) == scaled);
    CHECK(areaForEditor(scaled, 2.0, 2.0) == scaled); // the host tells the desktop's scale
    CHECK(areaForEditor(scaled, 2.0, 1.0) == scaled);
    CHECK(areaForEditor(Rectangle<int>(0, 0, 1300, 820), 1.0, 1.0) == Rectangle<int>(0, 0, 1300, 820));
}
