#include "Ui/Timeline/LaneOrder.h"

#include "Support/Catch.h"

#include <algorithm>
#include <random>

using earshot::ui::LaneOrder;

namespace {

constexpr double column = 0.32; // seconds

// Hears columns in real time; counts the moves.
struct Stream {
    explicit Stream(int classes)
        : probabilities(static_cast<std::size_t>(classes), 0.0f)
        , sounding(static_cast<std::size_t>(classes), false) {
        order.reset(classes);
    }
    void observe() {
        order.observe(probabilities, column, LaneOrder::liveHalfLife);
        now += column;
        if (order.settle(now, sounding)) ++moves;
    }
    void observe(double seconds) {
        for (double until = now + seconds; now < until;) observe();
    }
    std::vector<float> probabilities;
    std::vector<bool> sounding;
    LaneOrder order;
    double now = 100.0;
    int moves = 0;
};

} // namespace

TEST_CASE("small fluctuations never reorder lanes", "[unit]") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> little(-0.06f, 0.06f);
        Stream stream(30);
        std::vector<float> levels(30);
        for (float& level : levels) level = 0.5f + little(random);
        for (int i = 0; i < 1000; ++i) {
            for (std::size_t c = 0; c < 30; ++c) stream.probabilities[c] = levels[c] + little(random);
            stream.observe();
        }
        REQUIRE(stream.moves == 0);
    }
}

TEST_CASE("sounds that come and go around the threshold do not make lanes dance", "[unit]") {
    Stream stream(4);
    std::mt19937 random(2);
    for (int i = 0; i < 1000; ++i) {
        for (std::size_t c = 0; c < 4; ++c) {
            stream.probabilities[c] = 0.4f + 0.05f * static_cast<float>(random() % 3) - 0.05f;
            stream.sounding[c] = stream.probabilities[c] >= 0.4f;
        }
        stream.observe();
    }
    REQUIRE(stream.moves == 0);
}

TEST_CASE("a sounding lane rises from far below soon, and stays for a while", "[unit]") {
    Stream stream(527);
    stream.probabilities[0] = 0.1f;
    stream.observe(5.0);
    stream.probabilities[500] = 0.9f;
    stream.sounding[500] = true;
    stream.observe(2.0);
    REQUIRE(stream.order.order().front() == 500);
    REQUIRE(stream.moves == 1);
    stream.probabilities[500] = 0.0f;
    stream.sounding[500] = false;
    stream.probabilities[3] = 0.3f;
    stream.observe(4.0);
    REQUIRE(stream.order.order().front() == 500);
}

TEST_CASE("a lane that is clearly stronger passes only after some seconds", "[unit]") {
    Stream stream(2);
    stream.probabilities = {0.3f, 0.0f};
    stream.observe(5.0);
    stream.probabilities[1] = 0.9f;
    stream.observe(2.0);
    REQUIRE(stream.moves == 0);
    stream.observe(4.0);
    REQUIRE(stream.moves == 1);
    REQUIRE(stream.order.order() == std::vector<int>{1, 0});
}

TEST_CASE("a single loud column moves nothing", "[unit]") {
    Stream stream(5);
    stream.probabilities[0] = 0.4f;
    stream.observe(10.0);
    stream.probabilities[4] = 0.95f;
    stream.observe();
    stream.probabilities[4] = 0.0f;
    stream.observe(10.0);
    REQUIRE(stream.order.order().front() == 0);
}

TEST_CASE("the order is always all lanes, each once", "[unit]") {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> any(0.0f, 1.0f);
    Stream stream(40);
    for (int i = 0; i < 2000; ++i) {
        for (std::size_t c = 0; c < 40; ++c)
            if (random() % 10 == 0) {
                stream.probabilities[c] = any(random);
                stream.sounding[c] = stream.probabilities[c] > 0.6f;
            }
        stream.observe();
        auto sorted = stream.order.order();
        std::ranges::sort(sorted);
        for (int c = 0; c < 40; ++c) REQUIRE(sorted[static_cast<std::size_t>(c)] == c);
    }
    REQUIRE(stream.moves > 0);
    // Together, not one after another: at most one move a second.
    REQUIRE(stream.moves <= static_cast<int>(2000 * column) + 1);
}

TEST_CASE("of a recording nothing fades", "[unit]") {
    LaneOrder order;
    order.reset(2);
    for (int i = 0; i < 20; ++i) order.observe(std::vector<float>{0.0f, 0.8f}, column, 0.0);
    for (int i = 0; i < 5000; ++i) order.observe(std::vector<float>{0.3f, 0.0f}, column, 0.0);
    order.sort();
    REQUIRE(order.order().front() == 1);
    REQUIRE(order.strength(1) == Approx(0.8f).margin(0.01));
}
