// A live stream goes on in the history of the one before, as when a host changes its buffer size or its rate.
#include "Core/Streaming/Session.h"
#include "Core/Streaming/StreamTools.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

using namespace earshot;
using namespace earshot::streaming;
using test::columnsOf;
using test::eventually;
using test::historyOf;
using test::levelModel;

namespace {

constexpr int modelRate = 32000;

// Prepares, plays all of it before the ring is full, and releases.
void stream(Session& session, int rate, std::span<const float> sound, const HostTime& host = {}) {
    session.prepare(rate, false);
    session.push(sound, host);
    const double heard = session.status().heard;
    REQUIRE(eventually([&] { return static_cast<double>(columnsOf(session)) * 0.32 > heard - 0.96; }));
    session.release();
}

std::vector<float> valuesFrom(const History& history, std::int64_t first, std::int64_t end) {
    std::vector<float> values;
    for (auto i = first; i < end; ++i) {
        const auto column = history.timeline->column(i);
        values.insert(values.end(), column.begin(), column.end());
    }
    return values;
}

} // namespace

TEST_CASE("A live stream goes on where the next column begins, at any rate", "[unit][streaming]") {
    std::vector<double> begun;
    Session session;
    session.setListener([&](const Published& published) {
        if (published.restarted) begun.push_back(published.from);
    });
    session.setKeepsAudio(true);
    session.setModel(levelModel());
    REQUIRE(eventually([&] { return session.status().classes == 2; }));
    const auto first = test::noise(100'000, 3, 0.9f); // 3.125 s, which are 9.8 columns
    stream(session, modelRate, first, {true, 60.0});
    const auto before = historyOf(session);
    REQUIRE(before->timeline->columns() == 10);

    const int rate = GENERATE(int{modelRate}, 48000);
    CAPTURE(rate);
    const auto second = test::noise(static_cast<std::size_t>(rate) * 4, 4, 0.5f);
    stream(session, rate, second);
    const auto after = historyOf(session);
    CHECK(after->stream == before->stream);
    CHECK(after->generation == before->generation);
    REQUIRE(after->timeline->columns() == 23);
    CHECK(after->timeline->settled() == 23);
    CHECK(after->timeline->duration() == Approx(7.2));
    CHECK(session.status().heard == Approx(7.2));
    CHECK(valuesFrom(*after, 0, 10) == test::allColumns(*before->timeline));
    CHECK(after->spectrogram.frames() == 320 + 401);

    // The second stream is heard as one of its own.
    Session other;
    other.setModel(levelModel());
    REQUIRE(eventually([&] { return other.status().classes == 2; }));
    stream(other, rate, second);
    CHECK(valuesFrom(*after, 10, 23) == test::allColumns(*historyOf(other)->timeline));
    REQUIRE(begun.size() == 2);
    CHECK(begun[0] == 0.0);
    CHECK(begun[1] == Approx(3.2));

    CHECK(after->times.shown(3.1) == Approx(63.1));
    CHECK(after->times.shown(4.0) == Approx(4.0));
    CHECK_FALSE(after->times.host(4.0));

    std::vector<float> kept;
    double start = -1.0;
    int keptRate = 0;
    REQUIRE(session.copyAudio(after->stream, 0.0, 100.0, kept, start, keptRate));
    CHECK(start == 0.0);
    REQUIRE(kept.size() == std::size_t{modelRate} * 36 / 5);
    for (std::size_t i = 0; i < first.size(); ++i) REQUIRE(std::abs(kept[i] - first[i]) < 1e-4f);
    const auto gap = std::span(kept).subspan(first.size(), 2400);
    CHECK(std::ranges::all_of(gap, [](float sample) { return sample == 0.0f; }));
    if (rate != modelRate) return;
    for (std::size_t i = 0; i < second.size(); ++i) REQUIRE(std::abs(kept[102'400 + i] - second[i]) < 1e-4f);
}

TEST_CASE("Streams that hear nothing, and a host that plays on, leave a history whole", "[unit][streaming]") {
    Session session;
    session.setModel(levelModel());
    REQUIRE(eventually([&] { return session.status().classes == 2; }));
    const auto sound = test::noise(std::size_t{modelRate} * 16 / 5, 5, 0.9f); // 10 columns and no more
    stream(session, modelRate, sound, {true, 60.0});
    const auto before = historyOf(session);
    // The frame at the very end is there already, so that one column stays empty.
    for (int i = 0; i < 3; ++i) {
        session.prepare(modelRate, false);
        session.release();
        CHECK(session.status().heard == Approx(3.52));
        CHECK(columnsOf(session) == 10);
    }
    stream(session, modelRate, sound, {true, 63.52});
    const auto after = historyOf(session);
    CHECK(after->stream == before->stream);
    REQUIRE(after->timeline->columns() == 21);
    CHECK(valuesFrom(*after, 10, 11) == std::vector<float>(2));
    CHECK(valuesFrom(*after, 11, 21) == test::allColumns(*before->timeline));
    CHECK(after->times.segments().size() == 1);
    CHECK(after->times.shown(4.0) == Approx(64.0));
}

TEST_CASE("What came while no model was there is silence, and the next stream goes on after it",
          "[unit][streaming]") {
    Session session;
    session.setKeepsAudio(true);
    session.setModel(levelModel());
    REQUIRE(eventually([&] { return session.status().classes == 2; }));
    const auto sound = test::noise(std::size_t{modelRate} * 3, 7, 0.9f);
    session.prepare(modelRate, false);
    session.push(sound, {});
    REQUIRE(eventually([&] { return columnsOf(session) > 6; }));
    std::atomic<bool> open = false;
    session.setModel([&open] {
        while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return levelModel({}, "late")();
    });
    REQUIRE(eventually([&] { return session.status().state == State::loading; }));
    session.push(sound, {true, 60.0}); // waits for the model, and ends with the stream
    session.release();
    session.prepare(modelRate, false);
    REQUIRE(eventually([&] { return session.status().heard == Approx(6.08); }));
    open = true;
    session.push(sound, {});
    REQUIRE(eventually([&] { return columnsOf(session) > 26; }));
    session.release();
    CHECK(session.status().heard == Approx(9.08));
    std::vector<float> kept;
    double start = -1.0;
    int keptRate = 0;
    REQUIRE(session.copyAudio(historyOf(session)->stream, 0.0, 100.0, kept, start, keptRate));
    REQUIRE(kept.size() == std::size_t{modelRate} * 227 / 25);
    for (std::size_t i = 0; i < sound.size(); ++i) REQUIRE(std::abs(kept[i] - sound[i]) < 1e-4f);
    const auto second = kept.size() - sound.size();
    for (std::size_t i = 0; i < sound.size(); ++i) REQUIRE(std::abs(kept[second + i] - sound[i]) < 1e-4f);
}

TEST_CASE("A bounce and another model begin histories of their own", "[unit][streaming]") {
    Session session;
    session.setModel(levelModel());
    const auto sound = test::noise(std::size_t{modelRate} * 3, 6, 0.9f);
    REQUIRE(eventually([&] { return session.status().classes == 2; }));
    stream(session, modelRate, sound);
    const auto live = historyOf(session)->stream;
    session.prepare(modelRate, true);
    session.pushAndWait(sound, {});
    session.release();
    const auto bounce = historyOf(session);
    CHECK(bounce->stream != live);
    CHECK(bounce->timeline->columns() == 10);
    stream(session, modelRate, sound);
    const auto next = historyOf(session);
    CHECK(next->stream != bounce->stream);
    CHECK(next->timeline->columns() == 10);

    session.setModel(levelModel({}, "other"));
    REQUIRE(eventually([&] { return session.status().model == "other"; }));
    stream(session, modelRate, sound);
    const auto last = historyOf(session);
    CHECK(last->stream != next->stream);
    CHECK(last->timeline->columns() == 10);
    CHECK(session.status().heard == 3.0);
}
