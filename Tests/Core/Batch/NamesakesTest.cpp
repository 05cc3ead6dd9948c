// Recordings of one name in different folders, whose results meet in one folder.
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchArchive.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <filesystem>
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
        request.inputs = batch::findInputs(arguments, {},
                                           {.wanted = {}, .usual = batch::baseOfResults(request.folder, {})});
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
    for (const bool restart : {false, true}) {
        auto request = cards.request({"two"});
        request.restart = restart;
        CHECK_THROWS_WITH(Batch(request), ContainsSubstring("two/a.wav") &&
                                              ContainsSubstring("another recording") &&
                                              ContainsSubstring("choose another folder"));
        CHECK(test::changes(cards.results(), before) == "");
    }
    // Beside others there is room, and what lies there stays known as another card's.
    CHECK(cards.run({"three"}).heard == 1);
    cards.add("three/a.wav", 4);
    CHECK_THROWS_WITH(cards.run({"three"}), ContainsSubstring("another recording"));
    auto other = cards.request({"three"});
    other.fingerprint = {{"threshold", "0.5"}};
    other.restart = true;
    CHECK_THROWS_WITH(Batch(other), ContainsSubstring("another recording"));
    CHECK(cards.results().at("a.wav.csv") == before.at("a.wav.csv"));
    // Its own card may come back.
    CHECK(cards.run({"one"}).heard == 0);
    CHECK(cards.results().at("a.wav.csv") == before.at("a.wav.csv"));
}

TEST_CASE("an archive that has moved as a whole keeps its results", "[unit]") {
    const Cards cards;
    for (std::uint32_t i = 1; i <= 3; ++i) cards.add("one/" + std::to_string(i) + ".wav", i);
    cards.run({"one"});
    const auto before = cards.results();
    fs::rename(cards.card("one"), cards.card("moved"));
    CHECK(cards.run({"moved"}).heard == 0);
    CHECK(test::changes(cards.results(), before) == "");
    cards.add("moved/2.wav", 7);
    const auto summary = cards.run({"moved"});
    CHECK(summary.heard == 1);
    CHECK(summary.failures.empty());
    CHECK(cards.results().at("2.wav.csv") != before.at("2.wav.csv"));
}

TEST_CASE("a run over a part of an archive uses the names of the whole one", "[unit]") {
    const Cards cards;
    cards.add("all/n1/a.wav", 1);
    cards.add("all/n2/a.wav", 2);
    cards.run({"all"});
    const auto before = cards.results();
    cards.add("all/n2/b.wav", 3);
    CHECK(cards.run({"all/n2"}).heard == 1);
    const auto now = cards.results();
    CHECK(now.at("n1/a.wav.csv") == before.at("n1/a.wav.csv"));
    CHECK(now.at("n2/a.wav.csv") == before.at("n2/a.wav.csv"));
    CHECK(now.count("n2/b.wav.csv") == 1);
    CHECK(now.count("b.wav.csv") == 0);
}

TEST_CASE("no recording has results under two names", "[unit]") {
    const Cards cards;
    cards.add("all/n1/a.wav", 1);
    cards.add("all/n2/b.wav", 2);
    cards.run({"all/n1"});
    const auto before = cards.results();
    CHECK_THROWS_WITH(cards.run({"all"}),
                      ContainsSubstring("n1/a.wav") && ContainsSubstring("under the name a.wav"));
    CHECK(test::changes(cards.results(), before) == "");
}
