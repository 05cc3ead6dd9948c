// Two programs write one file at once, with a delay between making the temporary file and locking it.
#include "Cli/Archive.h"
#include "Cli/NamedModel.h"
#include "Support/Catch.h"

#include <array>
#include <functional>
#include <future>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

// Two recordings, of which the second has a result many times as long, and what writes each of them.
class TwoWriters {
  public:
    TwoWriters() {
        for (const std::size_t i : {0u, 1u})
            test::writeAudio(recording(i), test::AudioFormat::wavPcm16, 32000, 1,
                             test::noise(32000 * (1 + 6 * i), static_cast<unsigned>(i + 1)));
        test::writeNamedModel(folder_ / "model.safetensors", {"a", "b", "c", "d", "e"});
        const auto kept = run({"analyze", recording(0), recording(1), "--model", model(), "--output-dir",
                               (folder_ / "kept").string(), "--keep-activations", "--threshold", "0.001"});
        INFO(kept.errors);
        REQUIRE(kept.exitCode == 0);
    }

    std::string recording(std::size_t i) const {
        return (folder_ / (i == 0 ? "short.wav" : "long.wav")).string();
    }
    std::string kept(std::size_t i) const {
        return (folder_ / "kept" / (i == 0 ? "short.wav" : "long.wav")).string() + ".activations.safetensors";
    }
    std::string model() const { return (folder_ / "model.safetensors").string(); }
    fs::path output() const { return folder_ / "written" / "out"; }

    // command(i): the arguments of a writer of output(). Two at once, `rounds` times: whoever ends with
    // success has written the whole file or was followed by the other, and who fails says why.
    void race(const std::function<std::vector<std::string>(std::size_t)>& command, int rounds,
              const std::string& locks = "flock") {
        std::array<std::string, 2> alone;
        for (const std::size_t i : {0u, 1u}) {
            fs::create_directories(output().parent_path());
            const auto result = run(command(i));
            INFO(result.errors);
            REQUIRE(result.exitCode == 0);
            alone[i] = test::readBytes(output());
            fs::remove_all(output().parent_path());
        }
        REQUIRE(alone[0] != alone[1]);
        test::ProcessOptions options;
        options.environment = {{"LD_PRELOAD", test::delayLibraryPath()},
                               {"EARSHOT_LOCK_DELAY", "4000"},
                               {"EARSHOT_LOCKS", locks}};
        std::array<int, 2> successes{};
        for (int round = 0; round < rounds; ++round) {
            CAPTURE(round);
            fs::create_directories(output().parent_path());
            auto other = std::async(std::launch::async, [&] { return run(command(1), options); });
            const std::array results = {run(command(0), options), other.get()};
            const std::string found = test::readBytes(output());
            const auto files =
                std::distance(fs::directory_iterator(output().parent_path()), fs::directory_iterator());
            std::array<bool, 2> succeeded{};
            for (const std::size_t i : {0u, 1u}) {
                succeeded[i] = results[i].exitCode == 0;
                successes[i] += succeeded[i] ? 1 : 0;
                INFO(results[i].errors);
                REQUIRE((succeeded[i] ||
                         results[i].errors.find("another earshot is writing it") != std::string::npos));
            }
            REQUIRE(((succeeded[0] && found == alone[0]) || (succeeded[1] && found == alone[1])));
            REQUIRE(files == 1);
            fs::remove_all(output().parent_path());
        }
        CHECK(successes[0] > 0);
        CHECK(successes[1] > 0);
    }

  private:
    static test::ProcessResult run(const std::vector<std::string>& arguments,
                                   const test::ProcessOptions& options = {}) {
        return test::runEarshot(arguments, options);
    }

    test::TemporaryDirectory folder_;
};

} // namespace

TEST_CASE("of two writers of one table of results each has all of it or none", "[slow]") {
    TwoWriters writers;
    for (const std::string format : {"csv", "json", "midi"})
        for (const std::string locks : {"flock", "none"}) {
            CAPTURE(format, locks);
            writers.race(
                [&](std::size_t i) -> std::vector<std::string> {
                    return {"events",      writers.kept(i), "--format", format,
                            "--threshold", "0.001",         "--output", writers.output().string(),
                            "--overwrite", "--quiet"};
                },
                format == "csv" && locks == "flock" ? 200 : 30, locks);
        }
}

TEST_CASE("of two writers of one file of tensors each has all of it or none", "[slow]") {
    TwoWriters writers;
    writers.race(
        [&](std::size_t i) -> std::vector<std::string> {
            return {"forward", writers.recording(i),      "--model",    writers.model(), "--mode", "crop",
                    "--out",   writers.output().string(), "--overwrite"};
        },
        30);
}

TEST_CASE("of two batches in one folder each has all of it or none", "[slow]") {
    TwoWriters writers;
    test::ProcessOptions options;
    options.environment = {{"LD_PRELOAD", test::delayLibraryPath()}, {"EARSHOT_LOCK_DELAY", "4000"}};
    const auto folder = writers.output().parent_path();
    const auto batch = [&] {
        return test::runEarshot({"analyze", writers.recording(0), "--model", writers.model(), "--format",
                                 "csv", "--joined", "csv,sqlite", "--plot", "svg", "--keep-activations",
                                 "--threshold", "0.001", "--output-dir", folder.string(), "--quiet"},
                                options);
    };
    REQUIRE(batch().exitCode == 0);
    const auto expected = test::contents(folder);
    for (int round = 0; round < 30; ++round) {
        CAPTURE(round);
        fs::remove_all(folder);
        auto other = std::async(std::launch::async, batch);
        const std::array results = {batch(), other.get()};
        for (const auto& result : results) {
            INFO(result.errors);
            REQUIRE((result.exitCode == 0 ||
                     result.errors.find("another earshot is at work") != std::string::npos));
        }
        REQUIRE((results[0].exitCode == 0 || results[1].exitCode == 0));
        REQUIRE(test::changes(test::contents(folder), expected) == "");
    }
}
