#include "Library/Client.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

using namespace earshot;

namespace {

struct Polled {
    std::vector<earshot_event> events;
    std::vector<float> columns;
    std::vector<earshot_change> changes;

    void poll(earshot_stream* stream, std::size_t classes) {
        std::vector<earshot_event> events8(8);
        std::size_t count = 0;
        do {
            REQUIRE(earshot_stream_poll_events(stream, events8.data(), events8.size(), &count) == EARSHOT_OK);
            events.insert(events.end(), events8.begin(),
                          events8.begin() + static_cast<std::ptrdiff_t>(count));
        } while (count > 0);
        std::vector<earshot_change> changes8(8);
        do {
            REQUIRE(earshot_stream_poll_changes(stream, changes8.data(), changes8.size(), &count) ==
                    EARSHOT_OK);
            changes.insert(changes.end(), changes8.begin(),
                           changes8.begin() + static_cast<std::ptrdiff_t>(count));
        } while (count > 0);
        std::vector<float> block(7 * classes);
        std::uint64_t first = 0;
        do {
            REQUIRE(earshot_stream_poll_activations(stream, block.data(), 7, &count, &first) == EARSHOT_OK);
            if (count > 0) REQUIRE(first * classes == columns.size());
            columns.insert(columns.end(), block.begin(),
                           block.begin() + static_cast<std::ptrdiff_t>(count * classes));
        } while (count > 0);
    }
};

test::Stream openStream(const test::Model& model, const test::Clip& clip, const earshot_analysis& analysis) {
    earshot_stream* stream = nullptr;
    const auto status = earshot_stream_open(model.get(), clip.rate, clip.channels, &analysis, &stream);
    INFO(earshot_last_error());
    REQUIRE(status == EARSHOT_OK);
    return test::Stream(stream);
}

// Pushes it in blocks of odd sizes, some of them empty and some planar.
template <typename Then>
void pushAll(earshot_stream* stream, const test::Clip& clip, unsigned seed, std::size_t largest,
             const Then& then) {
    std::mt19937 random(seed);
    const auto planes = clip.planes();
    for (std::size_t first = 0; first < clip.frames();) {
        const auto count = std::min<std::size_t>(random() % largest, clip.frames() - first);
        auto all = test::pointers(planes);
        for (auto& plane : all) plane += first;
        const auto* const interleaved = clip.samples.data() + first * static_cast<std::size_t>(clip.channels);
        REQUIRE((random() % 2 == 0 ? earshot_stream_push(stream, interleaved, count)
                                   : earshot_stream_push_planar(stream, all.data(), count)) == EARSHOT_OK);
        first += count;
        REQUIRE(earshot_stream_position(stream) == first);
        then();
    }
}

void sortByOnset(std::vector<earshot_event>& events) {
    std::ranges::sort(events, {}, [](const earshot_event& event) {
        return std::tuple(event.onset, event.class_index, event.offset);
    });
}

} // namespace

TEST_CASE("a stream in blocks of any size finds what the whole recording holds", "[unit]") {
    const auto model = test::openModel();
    const auto classes = earshot_model_class_count(model.get());
    const auto clip = test::demoClip();
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.keep_activations = 1;
    const auto whole = test::analyzeSamples(model, clip.audio(), analysis);
    auto expected = test::eventsOf(whole);
    REQUIRE(expected.size() >= 5);
    sortByOnset(expected);
    for (const bool live : {false, true}) {
        CAPTURE(live);
        analysis.live = live ? 1 : 0;
        const auto stream = openStream(model, clip, analysis);
        Polled polled;
        std::size_t before = 0;
        pushAll(stream.get(), clip, 5, live ? 3000 : 50000, [&] {
            polled.poll(stream.get(), classes);
            before = polled.events.size();
        });
        CHECK(before > 0); // they come while the stream goes on
        REQUIRE(earshot_stream_finish(stream.get()) == EARSHOT_OK);
        polled.poll(stream.get(), classes);
        sortByOnset(polled.events);
        CHECK(test::same(polled.events, expected));
        CHECK(test::same(polled.columns, test::activationsOf(whole, model)));
        CHECK(polled.changes.empty() != live);
    }
}

TEST_CASE("short streams end as recordings of their length", "[unit]") {
    const auto model = test::openModel();
    const auto classes = earshot_model_class_count(model.get());
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.keep_activations = 1;
    for (const double seconds : {0.001, 0.049, 0.06, 0.5, 1.9, 2.1}) {
        CAPTURE(seconds);
        const test::Clip clip{.samples = test::noise(static_cast<std::size_t>(seconds * 44100), 3, 0.3f),
                              .channels = 1,
                              .rate = 44100};
        const auto stream = openStream(model, clip, analysis);
        pushAll(stream.get(), clip, 2, 1000, [] {});
        REQUIRE(earshot_stream_finish(stream.get()) == EARSHOT_OK);
        Polled polled;
        polled.poll(stream.get(), classes);
        const auto whole = test::analyzeSamples(model, clip.audio(), analysis);
        CHECK(test::same(polled.columns, test::activationsOf(whole, model)));
        CHECK(test::same(polled.events, test::eventsOf(whole)));
    }
}

TEST_CASE("live changes come soon after the sound, each onset with one offset", "[unit]") {
    const auto model = test::openModel();
    const auto classes = earshot_model_class_count(model.get());
    const auto clip = test::demoClip();
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.live = 1;
    analysis.hop = 0.64;
    const auto stream = openStream(model, clip, analysis);
    const auto speech = earshot_model_find_class(model.get(), "Speech");
    Polled polled;
    double heardAt = -1.0; // when the first onset of speech was known
    pushAll(stream.get(), clip, 9, 4000, [&] {
        polled.poll(stream.get(), classes);
        const auto isOnset = [&](const earshot_change& change) {
            return change.kind == EARSHOT_ONSET && change.event.class_index == speech;
        };
        if (heardAt < 0.0 && std::ranges::any_of(polled.changes, isOnset))
            heardAt = static_cast<double>(earshot_stream_position(stream.get())) / clip.rate;
    });
    CHECK(heardAt > 2.0); // the speech begins at 2 s
    CHECK(heardAt < 4.0);
    REQUIRE(earshot_stream_finish(stream.get()) == EARSHOT_OK);
    polled.poll(stream.get(), classes);
    std::vector<int> sounding(classes, 0);
    for (const auto& change : polled.changes) {
        auto& count = sounding[static_cast<std::size_t>(change.event.class_index)];
        count += change.kind == EARSHOT_ONSET ? 1 : -1;
        CHECK((count == 0 || count == 1));
    }
    CHECK(std::ranges::all_of(sounding, [](int count) { return count == 0; }));
}

TEST_CASE("another thread may poll while one pushes, and the model may be closed", "[unit]") {
    auto model = test::openModel();
    const auto classes = earshot_model_class_count(model.get());
    const auto clip = test::demoClip();
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.keep_activations = 1;
    analysis.live = 1;
    analysis.hop = 2.56;
    const auto whole = test::analyzeSamples(model, clip.audio(), analysis);
    const auto stream = openStream(model, clip, analysis);
    const auto expected = test::activationsOf(whole, model);
    model.reset();
    Polled polled;
    std::atomic<bool> ended{false};
    std::atomic<bool> failed{false};
    std::uint64_t before = 0;
    std::thread poller([&] {
        std::vector<float> block(classes);
        while (true) {
            const bool last = ended.load(); // what is polled after this is all
            std::size_t count = 0;
            do {
                if (earshot_stream_poll_activations(stream.get(), block.data(), 1, &count, nullptr) !=
                    EARSHOT_OK)
                    failed = true;
                if (count == 1) polled.columns.insert(polled.columns.end(), block.begin(), block.end());
            } while (count > 0);
            earshot_event event;
            if (earshot_stream_poll_events(stream.get(), &event, 1, &count) != EARSHOT_OK) failed = true;
            const auto now = earshot_stream_position(stream.get());
            if (now < before) failed = true;
            before = now;
            if (last) break;
            std::this_thread::yield();
        }
    });
    pushAll(stream.get(), clip, 4, 20000, [] {});
    CHECK(earshot_stream_finish(stream.get()) == EARSHOT_OK);
    ended = true;
    poller.join();
    CHECK(!failed);
    CHECK(test::same(polled.columns, expected));
}

TEST_CASE("threads share a model", "[unit]") {
    const auto model = test::openModel();
    const auto clip = test::Clip{.samples = test::noise(96000, 3, 0.3f), .channels = 1, .rate = 32000};
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.keep_activations = 1;
    const auto expected = test::activationsOf(test::analyzeSamples(model, clip.audio(), analysis), model);
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 2; ++round) {
                earshot_result* made = nullptr;
                const auto audio = clip.audio();
                if (earshot_analyze_samples(model.get(), &audio, &analysis, &made) != EARSHOT_OK) continue;
                const test::Result result(made);
                const auto* values = earshot_result_activations(made);
                if (std::equal(expected.begin(), expected.end(), values)) ++right;
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(right == 6);
}
