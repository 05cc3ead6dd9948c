#include "Ui/HistoryViewModel.h"

#include "Core/Streaming/LiveHistory.h"
#include "Ear.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/ParameterIds.h"
#include "Ui/TimeAxis.h"

#include <algorithm>

using namespace earshot;
using namespace earshot::ui;
using test::Ear;

namespace {

void set(test::FakeController& controller, const char* id, float value) {
    auto* parameter = controller.parameters().getParameter(id);
    parameter->setValueNotifyingHost(parameter->convertTo0to1(value));
}

} // namespace

TEST_CASE("a view model says what is new, and nothing when nothing is", "[unit]") {
    test::FakeController controller({"Dog", "Rain"});
    HistoryViewModel viewModel(controller);
    Ear ear;
    viewModel.addListener(&ear);
    viewModel.update();
    REQUIRE(ear.last.replaced);
    const int calls = ear.calls;
    viewModel.update();
    REQUIRE(ear.calls == calls);

    for (int i = 0; i < 10; ++i) controller.live.addColumn({0.9f, 0.1f});
    viewModel.update();
    REQUIRE(ear.calls == calls + 1);
    REQUIRE(!ear.last.replaced);
    REQUIRE(ear.last.columns);
    REQUIRE(ear.last.events);
    REQUIRE(ear.last.firstColumn == 0);
    REQUIRE(viewModel.events().list().events.size() == 1);
    REQUIRE(viewModel.now(0) == 0.9f);
    REQUIRE(viewModel.now(7) == 0.0f);
    REQUIRE(viewModel.now(-1) == 0.0f);
    REQUIRE(viewModel.label(1) == "Rain");
    REQUIRE(viewModel.label(2).isEmpty());

    controller.live.addColumn({0.9f, 0.1f});
    viewModel.update();
    REQUIRE(ear.last.firstColumn == 6); // what was not settled before
    controller.live.statusNow.precision = "bfloat16";
    viewModel.update();
    REQUIRE(ear.last.status);
    controller.live.statusNow.load = 0.5;
    viewModel.update();
    REQUIRE(ear.last.status);
    REQUIRE(!ear.last.columns);
    viewModel.removeListener(&ear);
}

TEST_CASE("a changed threshold makes other events at once", "[unit]") {
    test::FakeController controller({"Dog", "Rain"});
    HistoryViewModel viewModel(controller);
    for (int i = 0; i < 10; ++i) controller.live.addColumn({0.35f, 0.0f});
    viewModel.update();
    REQUIRE(viewModel.events().list().events.empty());
    REQUIRE(viewModel.events().list().nearMisses.size() == 1);
    set(controller, parameter::threshold, 0.3f);
    viewModel.update();
    REQUIRE(viewModel.events().list().events.size() == 1);
    controller.view().edit([](ViewSettings& view) { view.classThresholds["Dog"] = 0.5f; });
    viewModel.update();
    REQUIRE(viewModel.events().list().events.empty());
    REQUIRE(viewModel.eventSettings().ruleFor(0).on == 0.5f);
}

TEST_CASE("a sound sounds until its event has been over for the hold time", "[unit]") {
    test::FakeController controller({"Dog", "Rain"});
    HistoryViewModel viewModel(controller);
    set(controller, parameter::hold, 1.0f);
    for (int i = 0; i < 5; ++i) controller.live.addColumn({0.9f, 0.0f});
    viewModel.update();
    REQUIRE(viewModel.sounding(0));
    REQUIRE(!viewModel.sounding(1));
    for (int i = 0; i < 3; ++i) controller.live.addColumn({0.0f, 0.0f});
    viewModel.update(); // over for 0.96 s
    REQUIRE(viewModel.sounding(0));
    controller.live.addColumn({0.0f, 0.0f});
    viewModel.update(); // 1.28 s
    REQUIRE(!viewModel.sounding(0));
    REQUIRE(!viewModel.sounding(-1));
    REQUIRE(!viewModel.sounding(2));
}

TEST_CASE("while frozen the history stands still, until another source is shown", "[unit]") {
    test::FakeController controller({"Dog"});
    HistoryViewModel viewModel(controller);
    controller.live.addColumn({0.5f});
    viewModel.update();
    viewModel.setFrozen(true);
    controller.live.addColumn({0.6f});
    viewModel.update();
    REQUIRE(viewModel.history().timeline->columns() == 1);
    REQUIRE(viewModel.status().heard == Approx(0.64));
    viewModel.setFrozen(false);
    viewModel.update();
    REQUIRE(viewModel.history().timeline->columns() == 2);
    viewModel.setFrozen(true);
    controller.playback().id = 2;
    Ear ear;
    viewModel.addListener(&ear);
    viewModel.update();
    REQUIRE(!viewModel.frozen());
    REQUIRE(ear.last.replaced);
    REQUIRE(ear.last.firstColumn == 0);
}

TEST_CASE("times are shown as people read them", "[unit]") {
    REQUIRE(clockText(62.9) == "01:02.9");
    REQUIRE(clockText(59.96) == "01:00.0");
    REQUIRE(clockText(0.0) == "00:00.0");
    REQUIRE(clockText(-0.01) == "00:00.0");
    REQUIRE(clockText(-1.5) == "-00:01.5");
    REQUIRE(clockText(3661.25, 2) == "1:01:01.25");
    REQUIRE(clockText(3599.99) == "1:00:00.0");
    REQUIRE(clockText(125.0, 0) == "02:05");
    REQUIRE(clockText(std::nan("")) == "--:--");
    REQUIRE(clockText(1e300).isNotEmpty());

    test::FakeController controller({"Dog"});
    controller.live.times.add({0.0, -2.0, true});
    controller.live.addColumn({0.5f});
    HistoryViewModel viewModel(controller);
    viewModel.update();
    REQUIRE(viewModel.timeText(0.5) == "-00:01.5");
}

namespace {

// A live stream's history without its session.
struct LongStream : test::FakeController, streaming::HistoryProvider {
    LongStream()
        : test::FakeController({"Dog", "Rain", "Bell"}) {
        playback().other = this;
    }

    streaming::Status status() const override { return history.status(); }
    bool copySince(streaming::History& copy) const override { return history.copySince(copy); }

    streaming::LiveHistory history;
};

} // namespace

TEST_CASE("old columns go, and their events stay as they were judged", "[unit]") {
    LongStream stream;
    streaming::History labelled;
    stream.live.copySince(labelled);
    detection::Timeline timeline(3, 0.32);
    detection::Timeline whole(3, 0.32);
    frontend::LogMelSettings bands;
    bands.melBands = 4;
    stream.history.begin(labelled.labels, timeline, bands);
    stream.history.setLimit(300'000);
    HistoryViewModel viewModel(stream);
    Ear ear;
    viewModel.addListener(&ear);
    const auto write = [&](std::int64_t i) {
        // Dog sounds for 5 s of every minute, Rain for a column of every hour.
        const std::vector<float> column = {i % 188 < 16 ? 0.9f : 0.05f, i % 11'250 == 40 ? 0.7f : 0.0f, 0.1f};
        timeline.add(i, column);
        whole.add(i, column);
        timeline.settle(std::max<std::int64_t>(0, i - 6));
        whole.settle(std::max<std::int64_t>(0, i - 6));
        stream.history.addFrames(std::vector<float>(std::size_t{32} * 4));
        stream.history.add(timeline);
        timeline.forget(timeline.settled());
        if (i % 50 == 0) viewModel.update();
    };
    for (std::int64_t i = 0; i < 30'000; ++i) write(i);
    viewModel.update();
    const auto& mirror = *viewModel.history().timeline;
    REQUIRE(mirror.firstKept() > 15'000);
    REQUIRE(mirror.bytes() == viewModel.status().kept.columns.bytes);
    REQUIRE(viewModel.status().kept.bytes() <= 300'000);
    REQUIRE(viewModel.events().list() == detection::deriveEvents(whole, viewModel.eventSettings()));
    REQUIRE(viewModel.events().list().events.size() == 160 + 3);
    REQUIRE(viewModel.events().eventAt(0, 188 * 0.32 + 1.0) != nullptr);
    REQUIRE(viewModel.end() == Approx(30'000 * 0.32));
    REQUIRE(viewModel.now(2) == 0.1f);

    // Other rules judge what is kept, and only that.
    const auto judged = viewModel.events().list().events;
    set(stream, parameter::threshold, 0.95f);
    viewModel.update();
    const auto keeps = [&](double since) {
        const auto old = [&](const detection::Event& event) { return event.offset <= since; };
        const auto& events = viewModel.events().list().events;
        return std::ranges::count_if(events, old) == std::ranges::count_if(judged, old);
    };
    const double since = mirror.start(mirror.firstKept());
    REQUIRE(keeps(since));
    for (const auto& event : viewModel.events().list().events) REQUIRE(event.onset < since);

    // A frozen view may find all that it had gone.
    viewModel.setFrozen(true);
    for (std::int64_t i = 30'000; i < 60'000; ++i) write(i);
    REQUIRE(mirror.columns() == 30'000);
    viewModel.setFrozen(false);
    viewModel.update();
    REQUIRE(viewModel.history().timeline->firstKept() > 30'000);
    REQUIRE(keeps(since));
    set(stream, parameter::threshold, 0.4f);
    viewModel.update();
    REQUIRE(keeps(since));
    REQUIRE(viewModel.events().list().events.back().onset > 59'000 * 0.32);
}

TEST_CASE("a recording's channels are shown one at a time, and listed together", "[unit]") {
    test::FakeController controller({"Dog", "Rain"});
    controller.playback().recorded =
        std::make_unique<test::FakeSource>(std::vector<std::string>{"Dog", "Rain"});
    auto& first = *controller.playback().recorded;
    auto& second = *first.others.emplace_back(
        std::make_unique<test::FakeSource>(std::vector<std::string>{"Dog", "Rain"}));
    first.shareLabels(second);
    controller.playback().open(juce::File("/tmp/a.wav"));
    for (int i = 0; i < 20; ++i) first.addColumn({i > 10 ? 0.9f : 0.1f, 0.1f}, 0);
    for (int i = 0; i < 20; ++i) second.addColumn({i > 15 ? 0.8f : 0.1f, i < 5 ? 0.9f : 0.1f}, 0);
    first.statusNow.channels = {1, 2};
    HistoryViewModel viewModel(controller);
    Ear ear;
    viewModel.addListener(&ear);
    viewModel.update();
    const auto listed = [&] {
        std::vector<std::pair<int, int>> all; // channel and class
        for (const auto& event : viewModel.found()) all.emplace_back(event.channel, event.classIndex);
        return all;
    };
    using Listed = std::vector<std::pair<int, int>>;
    CHECK(listed() == Listed{{2, 1}, {1, 0}, {2, 0}});
    CHECK(viewModel.channel() == 1);
    CHECK(viewModel.now(0) == 0.9f);
    viewModel.showChannel(3); // which there is not
    viewModel.update();
    CHECK(viewModel.channel() == 1);
    const int calls = ear.calls;
    viewModel.showChannel(2);
    viewModel.update();
    CHECK(ear.calls == calls + 1);
    CHECK(ear.last.replaced);
    CHECK(ear.last.sameAudio);
    CHECK(viewModel.channel() == 2);
    CHECK(viewModel.now(0) == 0.8f);
    CHECK(listed() == Listed{{2, 1}, {1, 0}, {2, 0}});
    viewModel.update();
    CHECK(ear.calls == calls + 1);
    // The one that is not shown goes on.
    first.addColumn({0.1f, 0.1f}, 0);
    first.addColumn({0.1f, 0.9f}, 0);
    viewModel.update();
    CHECK(listed() == Listed{{2, 1}, {1, 0}, {2, 0}, {1, 1}});
    CHECK_FALSE(ear.last.columns);
    viewModel.removeListener(&ear);
    // Another recording begins with its first channel.
    controller.playback().close();
    viewModel.update();
    CHECK(viewModel.channel() == 0);
    CHECK(viewModel.found().empty());
}
