#include "Core/Batch/Journal.h"

#include "Core/Base/Database.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <iterator>
#include <optional>

using namespace earshot;
using batch::Journal;
using batch::JournalEntry;

namespace {

JournalEntry someEntry(const std::string& name, int events) {
    formats::RecordingEvents result{.file = name,
                                    .seconds = 12.3456789012345,
                                    .sampleRate = 44100,
                                    .channels = 2,
                                    .complete = true,
                                    .minHz = 50.0,
                                    .maxHz = 14000.0,
                                    .events = {}};
    if (events > 0)
        result.top = {{"Dog", 3, 0.1f / 3.0f}, {"say \"hi\", M\xc3\xb6we", 0, 1e-40f}, {"", 9, 0.0f}};
    for (int i = 0; i < events; ++i)
        result.events.push_back({.onset = i / 3.0,
                                 .offset = i / 3.0 + 0.1,
                                 .label = i % 2 == 0 ? "Dog" : "say \"hi\", M\xc3\xb6we",
                                 .classIndex = i,
                                 .peak = 0.1f + static_cast<float>(i) / 7.0f,
                                 .mean = 0.1f,
                                 .confidence = static_cast<float>(i) / 9.0f,
                                 .channel = i % 3});
    if (events > 0)
        result.start = WallTime{1'792'895'400'250, events % 2 == 0 ? std::optional(-5 * 3600) : std::nullopt};
    result.folder = "/archive";
    result.path = "/archive/" + name;
    return {.name = name,
            .base = "/archive",
            .stamp = {123456789012345, 1700000000123456789},
            .failure = {},
            .unreachable = {},
            .result = result};
}

void checkSame(const JournalEntry& a, const JournalEntry& b) {
    CHECK(a.name == b.name);
    CHECK(a.base == b.base);
    CHECK(a.stamp == b.stamp);
    CHECK(a.failure == b.failure);
    REQUIRE(a.result.has_value() == b.result.has_value());
    if (!a.result) return;
    CHECK(a.result->file == b.result->file);
    CHECK(a.result->seconds == b.result->seconds);
    CHECK(a.result->sampleRate == b.result->sampleRate);
    CHECK(a.result->channels == b.result->channels);
    CHECK(a.result->complete == b.result->complete);
    CHECK(a.result->minHz == b.result->minHz);
    CHECK(a.result->maxHz == b.result->maxHz);
    CHECK(a.result->top == b.result->top);
    CHECK(a.result->start == b.result->start);
    CHECK(a.result->folder == b.result->folder);
    CHECK(a.result->path == b.result->path);
    REQUIRE(a.result->events.size() == b.result->events.size());
    for (std::size_t i = 0; i < a.result->events.size(); ++i) {
        const auto& x = a.result->events[i];
        const auto& y = b.result->events[i];
        CHECK(std::tie(x.onset, x.offset, x.label, x.classIndex, x.peak, x.mean, x.confidence, x.channel) ==
              std::tie(y.onset, y.offset, y.label, y.classIndex, y.peak, y.mean, y.confidence, y.channel));
    }
}

} // namespace

TEST_CASE("a journal gives recordings back bit for bit, also once it was closed", "[unit]") {
    const test::TemporaryDirectory folder;
    auto damaged = someEntry("cut.wav", 2);
    damaged.failure = "cut.wav: ends early";
    damaged.result->complete = false;
    const std::vector<JournalEntry> entries = {someEntry("a.wav", 3),
                                               someEntry("sub/latin \xe4.wav", 0),
                                               damaged,
                                               {.name = "bad.wav",
                                                .base = {},
                                                .stamp = {},
                                                .failure = "bad.wav: not audio",
                                                .unreachable = {},
                                                .result = {}}};
    {
        Journal journal(folder.path());
        for (const auto& entry : entries) journal.record(entry);
    }
    Journal journal(folder.path());
    for (const auto& entry : entries) {
        const auto found = journal.find(entry.name);
        REQUIRE(found);
        checkSame(*found, entry);
    }
    CHECK_FALSE(journal.find("other.wav"));
    const auto known = journal.recordings();
    CHECK(known.size() == entries.size());
    CHECK(known.at("bad.wav").failed);
    CHECK_FALSE(known.at("a.wav").failed);
    CHECK(known.at("a.wav").hasTop);
    CHECK_FALSE(known.at("bad.wav").hasTop);
    CHECK(known.at("a.wav").stamp == entries[0].stamp);
}

TEST_CASE("likeliest sounds that make no sense are left out of a stranger's journal", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto topAfter = [&](const std::string& text) {
        Journal(folder.path()).record(someEntry("a.wav", 1));
        Database(Journal::fileIn(folder.path()), Database::Access::write)
            .prepare("UPDATE recordings SET top = ?")
            .bind(1, text)
            .run();
        return Journal(folder.path()).find("a.wav")->result->top;
    };
    CHECK(topAfter("").empty());
    CHECK(topAfter("garbage").empty());
    const auto top = topAfter("3 0.5 Dog\n-1 0.5 A\n2 nan B\n9e99 0.1 C\n1 2 D\n4 0.25 Hand drum\n5");
    REQUIRE(top.size() == 2);
    CHECK(top[0] == formats::SoundScore{"Dog", 3, 0.5f});
    CHECK(top[1] == formats::SoundScore{"Hand drum", 4, 0.25f});
    std::string many;
    for (int i = 0; i < 5000; ++i) many += "1 0.5 Dog\n";
    CHECK(std::ssize(topAfter(many)) == formats::maxTopSounds);
}

TEST_CASE("a recording is known once, as it was heard last", "[unit]") {
    const test::TemporaryDirectory folder;
    Journal journal(folder.path());
    journal.record(someEntry("a.wav", 5));
    journal.record(someEntry("b.wav", 2));
    journal.record(someEntry("a.wav", 1));
    CHECK(journal.recordings().size() == 2);
    CHECK(journal.find("a.wav")->result->events.size() == 1);
    CHECK(journal.find("b.wav")->result->events.size() == 2);
    journal.clear();
    CHECK(journal.recordings().empty());
    CHECK_FALSE(journal.find("b.wav"));
}

TEST_CASE("a journal keeps the fingerprint, lists and the plan in their order", "[unit]") {
    const test::TemporaryDirectory folder;
    const batch::Fingerprint fingerprint = {{"model", "abc"}, {"threshold", "0.4"}, {"a", ""}};
    {
        Journal journal(folder.path());
        CHECK(journal.fingerprint().empty());
        CHECK(journal.plan().list.empty());
        journal.setFingerprint({{"old", "1"}});
        journal.setFingerprint(fingerprint);
        journal.setList("labels", {"b", "a", "b"});
        journal.setPlan({.total = 9, .list = "hash", .mine = {{0, "x"}, {4, "a"}, {8, "b"}}});
    }
    Journal journal(folder.path());
    CHECK(journal.fingerprint() == fingerprint);
    CHECK(journal.list("labels") == std::vector<std::string>{"b", "a", "b"});
    CHECK(journal.list("none").empty());
    const auto plan = journal.plan();
    CHECK(plan.total == 9);
    CHECK(plan.list == "hash");
    CHECK(plan.mine.size() == 3);
    CHECK(plan.mine[1] == std::pair<std::size_t, std::string>{4, "a"});
}

TEST_CASE("a folder has one owner at a time", "[unit]") {
    const test::TemporaryDirectory folder;
    std::optional<batch::FolderLock> first(folder.path());
    CHECK_THROWS_WITH(batch::FolderLock(folder.path()), ContainsSubstring("another earshot"));
    first.reset();
    CHECK_NOTHROW(batch::FolderLock(folder.path()));
}

TEST_CASE("a journal that is none is an error with its name", "[unit]") {
    const test::TemporaryDirectory folder;
    std::filesystem::create_directories(folder / ".earshot");
    test::writeBytes(Journal::fileIn(folder.path()), std::string(4096, 'x'));
    CHECK_THROWS_WITH(Journal(folder.path()), ContainsSubstring("journal.sqlite"));
    std::filesystem::remove(Journal::fileIn(folder.path()));
    Database(Journal::fileIn(folder.path())).execute("PRAGMA user_version = 99");
    CHECK_THROWS_WITH(Journal(folder.path()), ContainsSubstring("another version"));
}

TEST_CASE("another version of Earshot goes on with the same settings", "[unit]") {
    const batch::Fingerprint before = {{"earshot", "0.1.0"}, {"mode", "auto"}};
    CHECK(batch::sameResults(before, {{"earshot", "0.2.0"}, {"mode", "auto"}}));
    CHECK_FALSE(batch::sameResults(before, {{"earshot", "0.1.0"}, {"mode", "crop"}}));
    const auto own = [](const std::string& thresholds) {
        return batch::Fingerprint{{"mode", "auto"}, {"class thresholds", thresholds}};
    };
    const auto thresholds = own("Dog=0.3, Gunshot, gunfire=0.5");
    for (const std::string same : {"Gunshot, gunfire=0.50, dog=0.3", "Dog=.30, gunshot, Gunfire=5e-1"}) {
        CHECK(batch::sameResults(thresholds, own(same)));
        CHECK(batch::differences(thresholds, own(same)).empty());
    }
    for (const std::string other : {"Dog=0.31, Gunshot, gunfire=0.5", "Dog=0.3", "default", ""})
        CHECK_FALSE(batch::sameResults(thresholds, own(other)));
    CHECK_FALSE(batch::sameResults(before, {{"earshot", "0.2.0"}, {"mode", "auto"}, {"hop", "1"}}));
}

TEST_CASE("changed settings are named with both values", "[unit]") {
    using batch::differences;
    CHECK(differences({{"a", "1"}}, {{"a", "1"}}).empty());
    CHECK(differences({{"threshold", "0.4"}, {"mode", "auto"}}, {{"threshold", "0.5"}, {"mode", "auto"}}) ==
          "threshold was 0.4 and is 0.5 now");
    CHECK(differences({{"old", "1"}}, {{"new", "2"}}) ==
          "new was not set and is 2 now, old was 1 and is not set now");
}
