// Recordings of one name in different folders, whose results meet in one folder.
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchArchive.h"
#include "Core/Batch/Merge.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

using namespace earshot;
using batch::Batch;
namespace fs = std::filesystem;

namespace {

// Folders beside the archive's, each with recordings of its own.
class Cards {
  public:
    void add(const std::string& name, std::uint32_t seed) const {
        const auto file = card(name);
        fs::create_directories(file.parent_path());
        test::writeAudio(file, test::AudioFormat::wavPcm16, 32000, 1, test::noise(16000 + seed, seed));
    }
    fs::path card(const std::string& name) const { return archive_.folder(name); }
    // As `earshot analyze NAMES --output-dir out`.
    batch::BatchRequest request(const std::vector<std::string>& names) const {
        auto request = archive_.request("out");
        std::vector<std::string> arguments;
        for (const auto& name : names) arguments.push_back(card(name).string());
        request.inputs = batch::findInputs(
            arguments, {}, {.wanted = {}, .earlier = batch::basesOfResults(request.folder, {})});
        return request;
    }
    batch::BatchSummary run(const std::vector<std::string>& names) const {
        return test::runBatch(request(names));
    }
    std::map<std::string, std::string> results() const { return archive_.contents("out"); }

  private:
    test::BatchArchive archive_{1};
};

} // namespace

TEST_CASE("a recording's results never take the place of another's that has its name", "[unit]") {
    const Cards cards;
    cards.add("one/a.wav", 1);
    cards.add("two/a.wav", 2);
    cards.add("three/b.wav", 3);
    cards.run({"one"});
    const auto before = cards.results();
    const auto isRefused = [&](const batch::BatchRequest& request) {
        const auto results = cards.results();
        CHECK_THROWS_WITH(Batch(request), ContainsSubstring("under the same name") &&
                                              ContainsSubstring("choose another folder"));
        CHECK(test::changes(cards.results(), results) == "");
    };
    auto request = cards.request({"two"});
    isRefused(request);
    request.restart = true;
    isRefused(request);
    request.fingerprint = {{"threshold", "0.5"}};
    isRefused(request);
    // Beside others there is room, whichever comes next.
    CHECK(cards.run({"three"}).heard == 1);
    cards.add("three/a.wav", 4);
    isRefused(cards.request({"three"}));
    CHECK(cards.run({"one"}).heard == 0);
    cards.add("one/b.wav", 5);
    isRefused(cards.request({"one"}));
    // A file that both have says nothing of the others.
    fs::copy_file(cards.card("one/a.wav"), cards.card("four"));
    cards.add("four.d/b.wav", 6);
    fs::rename(cards.card("four"), cards.card("four.d/a.wav"));
    fs::last_write_time(cards.card("four.d/a.wav"), fs::last_write_time(cards.card("one/a.wav")));
    isRefused(cards.request({"four.d"}));
    CHECK(cards.results().at("a.wav.csv") == before.at("a.wav.csv"));
}

TEST_CASE("a merge, too, leaves the results of recordings elsewhere", "[unit]") {
    const Cards cards;
    cards.add("one/a.wav", 1);
    cards.add("two/a.wav", 2);
    cards.run({"one"});
    auto shard = cards.request({"two"});
    shard.shard = batch::Shard{0, 1};
    test::runBatch(shard);
    const auto before = cards.results();
    CHECK_THROWS_WITH(batch::mergeShards(batch::shardFoldersIn(shard.folder), shard.folder),
                      ContainsSubstring("under the same name"));
    CHECK(test::changes(cards.results(), before) == "");
}

TEST_CASE("an archive that has moved as a whole keeps its results", "[unit]") {
    const Cards cards;
    for (std::uint32_t i = 1; i <= 3; ++i) cards.add("one/" + std::to_string(i) + ".wav", i);
    cards.run({"one"});
    const auto before = cards.results();
    fs::rename(cards.card("one"), cards.card("moved"));
    cards.add("moved/2.wav", 7);
    const auto summary = cards.run({"moved"});
    CHECK(summary.heard == 1);
    CHECK(summary.failures.empty());
    CHECK(cards.results().at("1.wav.csv") == before.at("1.wav.csv"));
    CHECK(cards.results().at("2.wav.csv") != before.at("2.wav.csv"));
}

TEST_CASE("recordings that moved together with their results have the same names", "[unit]") {
    const Cards cards;
    cards.add("project/in/a.wav", 1);
    cards.add("project/in/b.wav", 2);
    auto request = cards.request({"project/in"});
    request.folder = cards.card("project/out");
    test::runBatch(request);
    // A copy, whose files have times of their own.
    fs::copy(cards.card("project"), cards.card("copy"), fs::copy_options::recursive);
    for (const char* name : {"copy/in/a.wav", "copy/in/b.wav"})
        fs::last_write_time(cards.card(name), fs::file_time_type::clock::now() + std::chrono::hours(1));
    auto copied = cards.request({"copy/in"});
    copied.folder = cards.card("copy/out");
    const auto summary = test::runBatch(copied);
    CHECK(summary.heard == 2);
    CHECK(summary.failures.empty());
    CHECK(test::changes(test::contents(copied.folder), test::contents(request.folder)) == "");
}

TEST_CASE("an archive that was copied without its times is heard again when that is asked for", "[unit]") {
    const Cards cards;
    cards.add("one/a.wav", 1);
    cards.run({"one"});
    const auto before = cards.results();
    fs::rename(cards.card("one"), cards.card("copy"));
    fs::last_write_time(cards.card("copy/a.wav"), fs::file_time_type::clock::now() + std::chrono::hours(1));
    auto request = cards.request({"copy"});
    CHECK_THROWS_WITH(Batch(request),
                      ContainsSubstring("one/a.wav") && ContainsSubstring("--restart if it is the same"));
    CHECK(test::changes(cards.results(), before) == "");
    request.restart = true;
    CHECK(test::runBatch(request).heard == 1);
    CHECK(test::changes(cards.results(), before) == "");
}

TEST_CASE("a run over a part of an archive uses the names of the whole one and misses nothing", "[unit]") {
    const Cards cards;
    cards.add("all/n1/a.wav", 1);
    cards.add("all/n2/a.wav", 2);
    cards.run({"all"});
    const auto before = cards.results();
    cards.add("all/n2/b.wav", 3);
    auto request = cards.request({"all/n2"});
    request.forgetMissing = true;
    const auto summary = test::runBatch(request);
    CHECK(summary.heard == 1);
    CHECK(summary.failures.empty());
    const auto now = cards.results();
    CHECK(now.at("n1/a.wav.csv") == before.at("n1/a.wav.csv"));
    CHECK(now.at("n2/a.wav.csv") == before.at("n2/a.wav.csv"));
    CHECK(now.count("n2/b.wav.csv") == 1);
    CHECK(now.count("b.wav.csv") == 0);
    CHECK_THAT(now.at("events.csv"), ContainsSubstring("n1/a.wav"));
    // What is gone is missed all the same.
    fs::remove(cards.card("all/n1/a.wav"));
    CHECK(cards.run({"all/n2"}).failures.size() == 1);
}

TEST_CASE("no recording has results under two names, whatever was named in between", "[unit]") {
    const Cards cards;
    cards.add("all/n1/a.wav", 1);
    cards.add("all/n2/b.wav", 2);
    cards.add("all/n3/c.wav", 3);
    cards.run({"all/n1"});
    const auto before = cards.results();
    CHECK_THROWS_WITH(cards.run({"all"}),
                      ContainsSubstring("n1/a.wav") && ContainsSubstring("under the name a.wav"));
    CHECK(test::changes(cards.results(), before) == "");
    CHECK(cards.run({"all/nil"}).failures.size() == 1); // nothing is there
    CHECK(cards.run({"all/n1"}).heard == 0);
    CHECK(cards.run({"all/n2", "all/n3"}).heard == 2);
    CHECK(cards.run({"all/n1"}).heard == 0);
    CHECK(cards.run({"all/n2"}).heard == 0);
    CHECK_THROWS_WITH(cards.run({"all"}), ContainsSubstring("under the name a.wav"));
}
