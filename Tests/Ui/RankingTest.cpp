#include "Support/Catch.h"
#include "Ui/Panels/NowPanel.h"

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <vector>

using earshot::ui::Ranking;

namespace {

constexpr double frame = 1.0 / 30.0;

std::vector<int> order(const Ranking& ranking) {
    std::vector<int> classes;
    for (const auto& entry : ranking.top()) classes.push_back(entry.classIndex);
    return classes;
}

void run(Ranking& ranking, const std::vector<float>& values, double seconds, double hold = 1.5) {
    const std::vector<bool> shown(values.size(), true);
    for (double at = 0.0; at < seconds; at += frame) ranking.update(values, shown, frame, hold);
}

} // namespace

TEST_CASE("the ranking lists the strongest, strongest first", "[unit]") {
    Ranking ranking(3);
    run(ranking, {0.1f, 0.9f, 0.3f, 0.6f}, 0.1);
    REQUIRE(order(ranking) == std::vector<int>{1, 3, 2});
    REQUIRE(ranking.top()[0].value == 0.9f);
}

TEST_CASE("values that tremble within the margin never change the order", "[unit]") {
    Ranking ranking(10);
    std::mt19937 random(7);
    std::uniform_real_distribution<float> tremble(-0.02f, 0.02f);
    std::vector<float> values(40);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.3f + 0.001f * static_cast<float>(i);
    run(ranking, values, 2.0);
    const auto before = order(ranking);
    const std::vector<bool> shown(values.size(), true);
    for (int step = 0; step < 1000; ++step) {
        auto trembling = values;
        for (float& value : trembling) value += tremble(random);
        ranking.update(trembling, shown, frame, 1.5);
        REQUIRE(order(ranking) == before);
    }
}

TEST_CASE("whatever comes, the order is right to within the margin once values rest", "[unit]") {
    std::mt19937 random(GENERATE(1u, 2u, 3u, 4u));
    std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
    Ranking ranking(10);
    std::vector<float> values(60);
    for (int scene = 0; scene < 20; ++scene) {
        for (float& value : values) value = uniform(random);
        run(ranking, values, 0.3 + static_cast<double>(uniform(random)));
    }
    run(ranking, values, 20.0);
    const auto top = ranking.top();
    REQUIRE(top.size() == 10);
    const auto classes = order(ranking);
    REQUIRE(std::set<int>(classes.begin(), classes.end()).size() == 10);
    for (std::size_t i = 1; i < top.size(); ++i)
        REQUIRE(top[i].value <= top[i - 1].value + Ranking::margin + 0.001f);
    float weakest = 1.0f;
    for (const auto& entry : top) weakest = std::min(weakest, entry.value);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::find(classes.begin(), classes.end(), static_cast<int>(i)) == classes.end())
            REQUIRE(values[i] <= weakest + Ranking::margin + 0.001f);
}

TEST_CASE("a loud sound is first at once", "[unit]") {
    Ranking ranking(10);
    std::vector<float> values(50, 0.02f);
    run(ranking, values, 3.0);
    values[42] = 0.9f;
    run(ranking, values, 0.2);
    REQUIRE(order(ranking).front() == 42);
}

TEST_CASE("a peak mark stands for the hold, then falls to the value", "[unit]") {
    Ranking ranking(1);
    run(ranking, {0.8f}, 0.5);
    run(ranking, {0.1f}, 0.9, 1.0);
    REQUIRE(ranking.top()[0].held == 0.8f);
    run(ranking, {0.1f}, 0.5, 1.0);
    const float falling = ranking.top()[0].held;
    REQUIRE(falling < 0.8f);
    REQUIRE(falling > 0.1f);
    run(ranking, {0.1f}, 3.0, 1.0);
    REQUIRE(ranking.top()[0].held == 0.1f);
}

TEST_CASE("one long update moves a mark as far as many short ones", "[unit]") {
    const double hold = GENERATE(0.0, 0.5, 1.0);
    Ranking once(1), often(1);
    const std::vector<bool> shown{true};
    for (auto* ranking : {&once, &often}) ranking->update(std::vector<float>{0.9f}, shown, 0.0, hold);
    once.update(std::vector<float>{0.0f}, shown, 1.5, hold);
    for (int i = 0; i < 150; ++i) often.update(std::vector<float>{0.0f}, shown, 0.01, hold);
    REQUIRE(once.top()[0].held == Approx(often.top()[0].held).margin(1e-3));
}

TEST_CASE("sounds that are not shown take no place", "[unit]") {
    Ranking ranking(10);
    const std::vector<float> values{0.9f, 0.5f, 0.7f};
    ranking.update(values, {true, true, true}, frame, 1.0);
    ranking.update(values, {false, true, true}, frame, 1.0);
    REQUIRE(order(ranking) == std::vector<int>{2, 1});
}

TEST_CASE("values that are no numbers count as silence", "[unit]") {
    Ranking ranking(10);
    ranking.update(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 0.5f}, {true, true}, frame,
                   1.0);
    REQUIRE(order(ranking) == std::vector<int>{1, 0});
    REQUIRE(ranking.top()[1].value == 0.0f);
}

TEST_CASE("another number of classes starts the ranking anew", "[unit]") {
    Ranking ranking(10);
    run(ranking, std::vector<float>(20, 0.5f), 1.0);
    run(ranking, {0.1f, 0.2f}, frame);
    REQUIRE(ranking.top().size() == 2);
}
