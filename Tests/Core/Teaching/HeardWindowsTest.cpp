#include "Core/Teaching/HeardWindows.h"

#include "Support/Catch.h"

#include <vector>

using namespace earshot;
using Detected = std::vector<std::pair<std::size_t, int>>;

TEST_CASE("classes count while the sound is there, from their own thresholds", "[unit]") {
    teaching::HeardWindow window;
    window.sounds = {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f}; // (3 steps, 2 sounds)
    // Three classes of the model, and one that was taught to it before.
    const std::vector<float> probabilities = {0.5f, 0.1f, 0.0f, 0.9f, 0.0f, 0.9f,
                                              0.9f, 0.9f, 0.3f, 0.2f, 0.1f, 0.9f};
    window.keepDetected(probabilities, std::vector<float>{0.4f, 0.2f, 0.5f}, 2);
    CHECK(window.detected == Detected{{0, 0}, {1, 1}});
}

TEST_CASE("what is detected in half of a sound's recordings is named, the most frequent first", "[unit]") {
    teaching::HeardWindows heard;
    heard.sounds = 1;
    const auto add = [&](bool plain, float there, Detected detected) {
        teaching::HeardWindow window;
        window.plain = plain;
        window.sounds = {there};
        window.detected = std::move(detected);
        heard.windows.push_back(std::move(window));
    };
    CHECK(heard.alsoDetected(0).empty());
    add(true, 1.0f, {{0, 3}, {0, 7}, {0, 8}});
    add(true, 1.0f, {{0, 7}});
    add(true, 1.0f, {{0, 3}, {0, 7}});
    add(true, 1.0f, {});
    for (int i = 0; i < 9; ++i) add(false, 1.0f, {{0, 5}}); // scenes hold other sounds
    for (int i = 0; i < 9; ++i) add(true, 0.0f, {});
    CHECK(heard.alsoDetected(0) == std::vector<int>{7, 3});
}
