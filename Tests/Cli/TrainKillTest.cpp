// A training that replaces a finished one, killed at each of its renames, writes and removals: what --resume
// makes of the files is the whole training or a refusal, never the model of an early epoch.
#include "Cli/Earshot.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <csignal>
#include <string>
#include <utility>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

class Training {
  public:
    Training() {
        constexpr int rate = 32000;
        for (const std::string name : {"Beep", "Hiss"}) {
            fs::create_directories(sounds() / name);
            for (int i = 0; i < 4; ++i)
                test::writeAudio(sounds() / name / (std::to_string(i) + ".wav"), test::AudioFormat::wavPcm16,
                                 rate, 1,
                                 name == "Beep" ? test::sine(2500.0 * (1.0 + 0.05 * i), 0.5, rate)
                                                : test::noise(rate / 2, 7u + static_cast<unsigned>(i), 0.3f));
        }
    }

    test::ProcessResult run(const std::string& more, const test::ProcessOptions& options = {}) const {
        std::vector<std::string> words = {"train",
                                          "--data",
                                          sounds().string(),
                                          "--output",
                                          (work() / "my.safetensors").string(),
                                          "--width",
                                          "8",
                                          "--depths",
                                          "1,1,1,1",
                                          "--heads",
                                          "1,1,2,2",
                                          "--epochs",
                                          "2",
                                          "--scenes-per-epoch",
                                          "8",
                                          "--batch",
                                          "8",
                                          "--valid-scenes",
                                          "2",
                                          "--rate",
                                          "0.003",
                                          "--threads",
                                          "1",
                                          "--quiet"};
        if (!more.empty()) words.push_back(more);
        return test::runEarshot(words, options);
    }

    fs::path sounds() const { return folder_ / "sounds"; }
    fs::path work() const { return folder_ / "work"; }
    fs::path finished() const { return folder_ / "finished"; }
    std::string file(const char* extension) const {
        const auto path = work() / (std::string("my") + extension);
        return fs::exists(path) ? test::readBytes(path) : std::string("none");
    }

  private:
    test::TemporaryDirectory folder_;
};

} // namespace

TEST_CASE("killed anywhere, a training that replaces another resumes as itself or is refused", "[slow]") {
    const Training training;
    fs::create_directories(training.work());
    const auto first = training.run("");
    INFO(first.errors);
    REQUIRE(first.exitCode == 0);
    fs::copy(training.work(), training.finished());
    const auto model = training.file(".safetensors");
    int resumed = 0, refused = 0;
    // What a write or a removal leaves is what the next call finds.
    for (const auto& [call, when] : {std::pair<std::string, std::string>{"rename", "before"},
                                     {"rename", "after"},
                                     {"unlink", "before"},
                                     {"write", "before"}})
        for (int number = 1;; ++number) {
            CAPTURE(call, when, number);
            fs::remove_all(training.work());
            fs::copy(training.finished(), training.work());
            test::ProcessOptions options;
            options.environment = {{"LD_PRELOAD", test::killLibraryPath()},
                                   {"EARSHOT_KILL", when + ":" + std::to_string(number)},
                                   {"EARSHOT_KILL_CALL", call}};
            const auto killed = training.run("--overwrite", options);
            INFO(killed.errors);
            REQUIRE((killed.exitCode == 0 || killed.exitCode == 128 + SIGKILL));
            if (killed.exitCode == 0) break;
            const bool hasCard = training.file(".md") != "none";
            if (hasCard) REQUIRE(training.file(".safetensors") == model);
            const auto again = training.run("--resume");
            INFO(again.errors);
            REQUIRE((again.exitCode == 0 || again.exitCode == 1));
            (again.exitCode == 0 ? resumed : refused) += 1;
            if (again.exitCode == 0) {
                REQUIRE(training.file(".safetensors") == model);
                REQUIRE(test::lineCount(training.file(".csv")) == 3);
                REQUIRE(training.file(".md") != "none");
                REQUIRE(training.file(".svg") != "none");
            } else {
                REQUIRE(again.errors.find("there is nothing to resume") != std::string::npos);
            }
        }
    CHECK(resumed > 0);
    CHECK(refused > 0);
}

TEST_CASE("a training does not resume beside a model that is not its own", "[slow]") {
    const Training training;
    fs::create_directories(training.work());
    REQUIRE(training.run("").exitCode == 0);
    const auto model = training.file(".safetensors");
    const auto state = training.file(".training.safetensors");
    const auto expectRefused = [&](const std::string& found) {
        const auto result = training.run("--resume");
        CHECK(result.exitCode == 1);
        CHECK_THAT(result.errors, ContainsSubstring("my.safetensors: expected the model of epoch ") &&
                                      ContainsSubstring(found) && ContainsSubstring("--overwrite"));
    };
    CHECK(training.run("--resume").exitCode == 0); // scores again
    CHECK(training.file(".safetensors") == model);
    auto other = model;
    other[other.size() - 2] = static_cast<char>(other[other.size() - 2] ^ 1); // a weight of the last tensor
    test::writeBytes(training.work() / "my.safetensors", other);
    expectRefused("found another");
    fs::remove(training.work() / "my.safetensors");
    expectRefused("found none");
    CHECK(training.file(".training.safetensors") == state);
}
