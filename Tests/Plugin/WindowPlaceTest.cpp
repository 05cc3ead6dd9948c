#include "Plugin/WindowPlace.h"

#include "Support/Catch.h"

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
