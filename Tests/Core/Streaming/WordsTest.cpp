// Other words for a stream or a recording that goes on.
#include "Core/Base/Error.h"
#include "Core/Streaming/FileSession.h"
#include "Core/Streaming/Session.h"
#include "Core/Streaming/StreamTools.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <mutex>
#include <numeric>

using namespace earshot;
using namespace earshot::streaming;
using test::eventually;

namespace {

constexpr double rate = 32000.0;

// A word is one of the numbers that the level model gives.
class Chooser : public detection::ColumnScorer {
  public:
    explicit Chooser(std::vector<std::size_t> chosen, int numbers = 2)
        : chosen_(std::move(chosen))
        , numbers_(numbers) {}

    int values() const override { return numbers_; }
    int classes() const override { return static_cast<int>(chosen_.size()); }
    void score(std::span<const float> values, std::span<float> probabilities) const override {
        for (std::size_t i = 0; i < chosen_.size(); ++i) probabilities[i] = values[chosen_[i]];
    }

  private:
    std::vector<std::size_t> chosen_;
    int numbers_;
};

class VectorModel : public test::LevelModel {
  public:
    VectorModel(std::vector<std::size_t> chosen, Hook beforePass)
        : test::LevelModel(std::move(beforePass))
        , scorer_(std::make_shared<Chooser>(std::move(chosen))) {}

    int classes() const override { return scorer_->classes(); }
    int values() const override { return 2; }
    std::shared_ptr<const detection::ColumnScorer> scorer() const override { return scorer_; }

  private:
    std::shared_ptr<const detection::ColumnScorer> scorer_;
};

std::vector<std::string> namesOf(const std::vector<std::size_t>& chosen) {
    std::vector<std::string> names;
    for (const std::size_t number : chosen) names.push_back(number == 0 ? "Loud" : "Late");
    return names;
}

ModelLoader vectorModel(std::vector<std::size_t> chosen, test::LevelModel::Hook beforePass = {}) {
    return [chosen = std::move(chosen), beforePass] {
        return LoadedModel{.network = std::make_unique<VectorModel>(chosen, beforePass),
                           .frontend = {},
                           .labels = test::labelsOf(namesOf(chosen)),
                           .name = "vectors",
                           .notice = {}};
    };
}

WordsLoader words(std::vector<std::size_t> chosen, std::string notice = {}) {
    return [chosen = std::move(chosen), notice = std::move(notice)] {
        return LoadedWords{std::make_shared<Chooser>(chosen), test::labelsOf(namesOf(chosen)), notice, {}};
    };
}

std::unique_ptr<History> historyOf(const HistoryProvider& source) {
    auto history = std::make_unique<History>();
    source.copySince(*history);
    return history;
}

bool hears(const HistoryProvider& source, const std::vector<std::string>& names) {
    const auto history = historyOf(source);
    return history->labels && history->labels->names() == names;
}

bool hasEnded(const HistoryProvider& source) { return source.status().state == State::finished; }

} // namespace

TEST_CASE("A stream goes on with other words, as if it had begun with them", "[unit][streaming]") {
    struct Call {
        std::vector<std::string> names;
        bool restarted, ended, goesOn;
        std::int64_t columns, firstKept;
    };
    std::vector<Call> calls;
    Session session;
    session.setListener([&](const Published& published) {
        calls.push_back({published.labels.names(), published.restarted, published.ended, published.goesOn,
                         published.timeline.columns(), published.timeline.firstKept()});
    });
    session.setModel(vectorModel({0}));
    session.prepare(rate, true);
    const auto audio = test::testSignal(static_cast<std::size_t>(rate) * 100);
    const auto half = audio.size() / 2;
    session.pushAndWait(std::span(audio).first(half), {});
    REQUIRE(eventually([&] { return historyOf(session)->timeline != nullptr; }));
    session.setWords(words({1, 0}, "a notice"), vectorModel({1, 0}));
    REQUIRE(eventually([&] { return hears(session, {"Late", "Loud"}); }));
    session.pushAndWait(std::span(audio).subspan(half), {});
    session.release();
    CHECK(session.status().message == "a notice");
    CHECK(session.status().classes == 2);

    Session other;
    other.setModel(vectorModel({1, 0}));
    other.prepare(rate, true);
    other.pushAndWait(audio, {});
    other.release();
    const auto heard = historyOf(session), expected = historyOf(other);
    REQUIRE(heard->timeline->firstKept() == 0);
    CHECK(heard->timeline->duration() == expected->timeline->duration());
    CHECK(test::allColumns(*heard->timeline) == test::allColumns(*expected->timeline));
    CHECK(heard->spectrogram.frames() == expected->spectrogram.frames());

    // The listener hears the end of the first words, and then the whole of what is kept with the others.
    const auto change = std::ranges::find_if(calls, [](const Call& call) { return call.goesOn; });
    REQUIRE(change != calls.end());
    REQUIRE(change != calls.begin());
    CHECK(change->ended);
    CHECK(change->names == std::vector<std::string>{"Loud"});
    const auto next = change + 1;
    REQUIRE(next != calls.end());
    CHECK(next->names == std::vector<std::string>{"Late", "Loud"});
    CHECK(!next->restarted);
    CHECK(next->columns == change->columns);
    CHECK(next->firstKept == 0);
    CHECK(std::ranges::count_if(calls, [](const Call& call) { return call.restarted; }) == 1);
    CHECK(std::ranges::count_if(calls, [](const Call& call) { return call.ended; }) == 2);
}

TEST_CASE(
    "The first word and the last go on with one stream, and a bounce without words runs the plain network",
    "[unit][streaming]") {
    const MakeNetwork plain = [] { return test::levelModel()({}).network; };
    const auto ready = [plain] { // for words; until then it has the network's two sounds
        auto model = vectorModel({0, 1})();
        model.plain = plain;
        return model;
    };
    Session session;
    session.setModel(ready);
    session.prepare(rate, false);
    const auto audio = test::testSignal(static_cast<std::size_t>(rate) * 40);
    session.push(std::span(audio).first(64000), {});
    REQUIRE(eventually([&] { return hears(session, {"Loud", "Late"}); }));
    REQUIRE(eventually([&] { return historyOf(session)->timeline->columns() > 0; }));
    const auto stream = historyOf(session)->stream;
    session.setWords(words({1}), vectorModel({1}));
    REQUIRE(eventually([&] { return hears(session, {"Late"}); }));
    session.setWords(
        [plain] {
            return LoadedWords{std::make_shared<Chooser>(std::vector<std::size_t>{0, 1}),
                               test::labelsOf({"Loud", "Late"}), "", plain};
        },
        ready);
    REQUIRE(eventually([&] { return hears(session, {"Loud", "Late"}); }));
    CHECK(historyOf(session)->stream == stream);
    session.release();

    const auto bounced = [&](ModelLoader loader) {
        Session other;
        other.setModel(std::move(loader));
        other.prepare(rate, true);
        other.pushAndWait(audio, {});
        other.release();
        return test::allColumns(*historyOf(other)->timeline);
    };
    const auto expected = bounced(test::levelModel()), rounded = bounced(vectorModel({0, 1}));
    REQUIRE(expected != rounded);
    CHECK(bounced(ready) == expected);
    session.prepare(rate, true);
    session.pushAndWait(audio, {});
    session.release();
    CHECK(test::allColumns(*historyOf(session)->timeline) == expected);

    // Live again, the stream takes words; a bounce has them too.
    const auto bounce = historyOf(session)->stream;
    session.prepare(rate, false);
    session.push(std::span(audio).first(64000), {});
    REQUIRE(eventually([&] {
        const auto history = historyOf(session);
        return history->stream != bounce && history->timeline->columns() > 0;
    }));
    const auto next = historyOf(session)->stream;
    session.setWords(words({1}), vectorModel({1}));
    REQUIRE(eventually([&] { return hears(session, {"Late"}); }));
    CHECK(historyOf(session)->stream == next);
    session.release();
    session.prepare(rate, true);
    session.pushAndWait(audio, {});
    session.release();
    CHECK(test::allColumns(*historyOf(session)->timeline) == bounced(vectorModel({1})));
}

TEST_CASE("Words that cannot be had leave those that run", "[unit][streaming]") {
    Session session;
    session.setModel(vectorModel({0}));
    session.prepare(rate, false);
    session.push(std::vector<float>(64000), {});
    REQUIRE(eventually([&] { return hears(session, {"Loud"}); }));
    REQUIRE(eventually([&] { return historyOf(session)->timeline->columns() > 0; }));
    const auto generation = historyOf(session)->generation;
    session.setWords([]() -> LoadedWords { throw Error("no half of texts"); }, vectorModel({0}));
    REQUIRE(eventually([&] { return session.status().message == "no half of texts"; }));
    CHECK(session.status().state == State::running);
    CHECK(historyOf(session)->generation == generation);
    // The next words work, and their notice replaces the problem.
    session.setWords(words({1}), vectorModel({1}));
    REQUIRE(eventually([&] { return hears(session, {"Late"}); }));
    REQUIRE(eventually([&] { return session.status().message.empty(); }));
    session.release();
}

TEST_CASE("Words of another kind, and a next stream, load the model with the words", "[unit][streaming]") {
    Session session;
    session.setModel(test::levelModel()); // gives probabilities
    session.prepare(rate, false);
    session.push(std::vector<float>(64000), {});
    REQUIRE(eventually([&] { return hears(session, {"Loud", "Late"}); }));
    session.setWords(words({1}), vectorModel({1}));
    REQUIRE(eventually([&] { return hears(session, {"Late"}); }));
    CHECK(session.status().model == "vectors");

    // Of two changes at once the last one counts, also while a model loads.
    std::atomic<bool> open = false;
    session.setModel([&open] {
        while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return vectorModel({0})();
    });
    REQUIRE(eventually([&] { return session.status().state == State::loading; }));
    session.setWords(words({0, 1}), vectorModel({0, 1}));
    session.setWords(words({1, 0}), vectorModel({1, 0}));
    open = true;
    REQUIRE(eventually([&] { return hears(session, {"Late", "Loud"}); }));
    session.release();
    session.prepare(rate, false);
    session.push(std::vector<float>(64000), {});
    REQUIRE(eventually([&] { return historyOf(session)->timeline->columns() > 0; }));
    CHECK(hears(session, {"Late", "Loud"}));
    session.release();
    session.prepare(rate, false); // the same history
    session.push(std::vector<float>(64000), {});
    REQUIRE(eventually([&] { return historyOf(session)->timeline->columns() > 7; }));
    session.release();
    const auto both = test::allColumns(*historyOf(session)->timeline);
    REQUIRE(both.size() == 2 * std::size_t{14});

    // Without a stream as well.
    session.setWords(words({0}), vectorModel({0}));
    REQUIRE(eventually([&] { return hears(session, {"Loud"}); }));
    const auto loud = test::allColumns(*historyOf(session)->timeline);
    REQUIRE(loud.size() == 14);
    for (std::size_t i = 0; i < loud.size(); ++i) CHECK(loud[i] == both[2 * i + 1]);
}

TEST_CASE("A recording is scored again for other words, while it is heard and after", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    const auto path = folder / "signal.wav";
    test::writeAudio(path, test::AudioFormat::wavFloat, 32000, 1, test::testSignal(32000 * 60));
    const auto expected = [&](const std::vector<std::size_t>& chosen) {
        const FileSession session(path, vectorModel(chosen), {});
        REQUIRE(eventually([&] { return hasEnded(session); }));
        return test::allColumns(*historyOf(session)->timeline);
    };
    {
        FileSession session(path, vectorModel({0}), {});
        REQUIRE(eventually([&] { return hasEnded(session); }));
        for (const std::vector<std::size_t>& chosen : {std::vector<std::size_t>{1}, {0, 1}, {1, 0, 1}}) {
            session.setWords(words(chosen, "words"));
            REQUIRE(eventually([&] { return hears(session, namesOf(chosen)); }));
            CHECK(test::allColumns(*historyOf(session)->timeline) == expected(chosen));
            REQUIRE(eventually([&] { return session.status().message == "words"; }));
            CHECK(hasEnded(session));
        }
        session.setWords([]() -> LoadedWords { throw Error("no half of texts"); });
        REQUIRE(eventually([&] { return session.status().message == "no half of texts"; }));
        CHECK(hears(session, {"Late", "Loud", "Late"}));
    }
    {
        std::atomic<bool> open = false;
        std::atomic<int> passes = 0;
        FileSession session(path,
                            vectorModel({0},
                                        [&] {
                                            if (++passes > 2)
                                                while (!open)
                                                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                        }),
                            {});
        REQUIRE(eventually([&] { return passes > 2; }));
        session.setWords(words({1, 0}, "words"));
        open = true;
        REQUIRE(eventually([&] { return hasEnded(session); }));
        CHECK(hears(session, {"Late", "Loud"}));
        CHECK(session.status().message == "words");
        CHECK(test::allColumns(*historyOf(session)->timeline) == expected({1, 0}));
    }
    {
        FileSession session(path, test::levelModel(), {}); // keeps no vectors
        REQUIRE(eventually([&] { return hasEnded(session); }));
        session.setWords(words({1}));
        REQUIRE(eventually([&] {
            return session.status().message == "Open the recording again to listen for these words";
        }));
        CHECK(hears(session, {"Loud", "Late"}));
    }
}

TEST_CASE("What a recording's end said stays when words change, unless these have news",
          "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    // What the status says after these words.
    const auto messageAfter = [](FileSession& session, const WordsLoader& loader) {
        std::atomic<bool> begun = false, go = false, done = false;
        std::string message;
        session.setWords([&](const StopToken& stop) {
            begun = true;
            while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return loader(stop);
        });
        REQUIRE(eventually([&] { return begun.load(); }));
        session.setWords([&, loader](const StopToken& stop) { // which comes next
            message = session.status().message;
            done = true;
            return loader(stop);
        });
        session.cancel(); // stops no words
        go = true;
        REQUIRE(eventually([&] { return done.load(); }));
        return message;
    };
    const WordsLoader late = [](const StopToken& stop) {
        stop.check();
        return words({1})();
    };
    {
        FileSession session(folder / "missing.wav", vectorModel({0}), {});
        REQUIRE(eventually([&] { return session.status().state == State::failed; }));
        const auto reason = session.status().message;
        CHECK_THAT(reason, ContainsSubstring("missing.wav"));
        CHECK(messageAfter(session, late) == reason);
        CHECK(session.status().state == State::failed);
    }
    const auto path = folder / "signal.wav";
    test::writeAudio(path, test::AudioFormat::wavFloat, 32000, 1, test::testSignal(32000 * 60));
    std::atomic<bool> open = false;
    std::atomic<int> passes = 0;
    const auto hold = [&] {
        ++passes;
        while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    FileSession session(path, vectorModel({0}, hold), {});
    REQUIRE(eventually([&] { return passes > 0; }));
    session.cancel();
    session.setWords([late](const StopToken& stop) { // the analysis has not ended yet
        auto loaded = late(stop);
        loaded.labels = test::labelsOf({"After all"});
        return loaded;
    });
    open = true;
    REQUIRE(eventually([&] { return hasEnded(session); }));
    REQUIRE(eventually([&] { return hears(session, {"After all"}); }));
    const auto reason = session.status().message;
    CHECK_THAT(reason, ContainsSubstring("Stopped after"));
    CHECK(messageAfter(session, late) == reason);
    CHECK(hears(session, {"Late"}));
    CHECK(messageAfter(session, words({0}, "news")) == "news");
    CHECK(messageAfter(session, late) == reason);
}
