#include "Support/Catch.h"
#include "Ui/Panels/EventTable.h"

#include <algorithm>
#include <random>

using namespace earshot;
using detection::Event;
using ui::EventColumn;
using ui::EventRows;

namespace {

std::vector<Event> someEvents(int count, int classes, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<Event> events;
    double onset = 0.0;
    for (int i = 0; i < count; ++i) {
        onset += 0.01 + uniform(random);
        events.push_back({static_cast<int>(uniform(random) * classes), onset, onset + 0.3 + uniform(random),
                          static_cast<float>(uniform(random)), 0.2f});
    }
    return events;
}

detection::Labels labels() {
    return detection::Labels::read({{"earshot.labels", R"(["Zither","Dog","Ant","Music","Bell"])"}},
                                   "m.safetensors", 5);
}

} // namespace

TEST_CASE("rows hold exactly the events of the shown classes, in any order", "[unit]") {
    const auto events = someEvents(500, 5);
    const auto names = labels();
    const std::vector<bool> shown{true, false, true, true, false};
    const auto column =
        GENERATE(EventColumn::time, EventColumn::sound, EventColumn::length, EventColumn::peak);
    const bool descending = GENERATE(false, true);
    EventRows rows;
    REQUIRE(rows.update(events, &names, shown, {column, descending}));
    REQUIRE(rows.count() == std::count_if(events.begin(), events.end(), [&](const Event& event) {
                return shown[static_cast<std::size_t>(event.classIndex)];
            }));
    const auto list = rows.rows();
    for (std::size_t i = 1; i < list.size(); ++i) {
        const auto& first = descending ? list[i] : list[i - 1];
        const auto& second = descending ? list[i - 1] : list[i];
        if (column == EventColumn::time) REQUIRE(first.onset <= second.onset);
        if (column == EventColumn::sound)
            REQUIRE(names.name(first.classIndex) <= names.name(second.classIndex));
        if (column == EventColumn::length)
            REQUIRE(first.offset - first.onset <= second.offset - second.onset);
        if (column == EventColumn::peak) REQUIRE(first.peak <= second.peak);
    }
}

TEST_CASE("rows that stay the same are told from those that moved", "[unit]") {
    auto events = someEvents(100, 5);
    const auto names = labels();
    const std::vector<bool> shown(5, true);
    EventRows rows;
    rows.update(events, &names, shown, {});
    REQUIRE_FALSE(rows.update(events, &names, shown, {}));

    events.push_back({1, 1000.0, 1001.0, 0.5f, 0.4f});
    REQUIRE(rows.update(events, &names, shown, {}));
    REQUIRE(rows.unchanged() == 100);

    events.back().offset = 1002.0; // it grows: the same event
    REQUIRE(rows.update(events, &names, shown, {}));
    REQUIRE(rows.unchanged() == 101);

    events.erase(events.begin() + 40);
    REQUIRE(rows.update(events, &names, shown, {}));
    REQUIRE(rows.unchanged() == 40);
}

TEST_CASE("classes beyond what is known are not listed", "[unit]") {
    const std::vector<Event> events{{7, 0.0, 1.0, 0.5f, 0.5f}, {-1, 0.0, 1.0, 0.5f, 0.5f}};
    EventRows rows;
    rows.update(events, nullptr, {true, true}, {EventColumn::sound, false});
    REQUIRE(rows.count() == 0);
}
