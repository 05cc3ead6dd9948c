#include "Cli/Archive.h"
#include "Support/Catch.h"

#include <cstdlib>
#include <random>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace earshot;
using test::Archive;
using test::runEarshot;
namespace fs = std::filesystem;

namespace {

int killsWanted() {
    const char* text = std::getenv("EARSHOT_KILLS");
    return text == nullptr ? 8 : std::max(1, std::atoi(text)); // NOLINT(cert-err34-c): anything else is 1
}

} // namespace

TEST_CASE("killed at any moment and started again, a batch ends as an undisturbed one", "[slow]") {
    const Archive archive(12);
    test::writeBytes(archive.in() / "broken.wav", "not a sound at all");
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<std::string> allKinds = {"--plot", "svg", "--keep-activations=safetensors"};
    CHECK(archive.run("whole", allKinds).exitCode == 1); // for the broken one
    const auto whole = std::chrono::steady_clock::now() - begin;
    const auto expected = test::contents(archive.folder("whole"));
    REQUIRE(expected.size() == 5 * 12 + 3 + 1);

    std::mt19937 random(7);
    std::uniform_int_distribution<std::int64_t> moment(
        0, std::chrono::duration_cast<std::chrono::milliseconds>(whole).count());
    const int wanted = killsWanted();
    int kills = 0;
    int batches = 0;
    while (kills < wanted) {
        const std::string output = "killed " + std::to_string(batches++);
        for (;;) {
            test::ProcessOptions options;
            // The rest of a batch that was almost done is not worth waiting for again.
            if (kills < wanted) options.signalAfter = std::chrono::milliseconds(moment(random));
            auto arguments = allKinds;
            arguments.insert(arguments.end(), {"--jobs", std::to_string(1 + kills % 3)});
            const auto result = archive.run(output, arguments, options);
            if (result.exitCode != 128 + SIGKILL) {
                INFO(result.errors);
                REQUIRE(result.exitCode == 1);
                break;
            }
            ++kills;
        }
        const auto found = test::contents(archive.folder(output));
        CHECK(test::changes(found, expected) == "");
    }
    CHECK(kills >= wanted);
}

TEST_CASE("Ctrl-C and SIGTERM end a batch cleanly, and the same command goes on", "[slow][no-emulator]") {
    const Archive archive(6);
    archive.run("whole");
    for (const int signal : {SIGINT, SIGTERM}) {
        const std::string output = "stopped " + std::to_string(signal);
        // Long enough that the signal finds it at work.
        const auto noisy = test::noise(32000 * 600, 3);
        test::writeAudio(archive.in() / "z.wav", test::AudioFormat::wavPcm16, 32000, 1, noisy);
        const auto stopped = archive.run(output, {"--jobs", "1", "--hop", "0.32"},
                                         {.signalAfter = std::chrono::milliseconds(1500), .signal = signal});
        CHECK(stopped.exitCode == 130);
        CHECK_THAT(stopped.errors,
                   ContainsSubstring("stopped: ") && ContainsSubstring("the same command goes on"));
        for (const auto& [name, bytes] : test::contents(archive.folder(output)))
            CHECK(name.find(".partial") == std::string::npos);
        fs::remove(archive.in() / "z.wav");
        const auto resumed = archive.run(output, {"--hop", "0.32"});
        CHECK(resumed.exitCode == 0);
        archive.run("whole " + output, {"--hop", "0.32"});
        CHECK(test::changes(test::contents(archive.folder(output)),
                            test::contents(archive.folder("whole " + output))) == "");
    }
}

TEST_CASE("a batch is the same for any number of jobs and threads", "[slow][no-emulator]") {
    const Archive archive(5);
    archive.run("first");
    const auto expected = test::contents(archive.folder("first"));
    for (const std::vector<std::string>& how : std::vector<std::vector<std::string>>{
             {"--jobs", "1"}, {"--jobs", "3"}, {"--threads", "1"}, {"--jobs", "1", "--threads", "3"}}) {
        const std::string output = "with" + how[0] + how[1] + std::to_string(how.size());
        CHECK(archive.run(output, how).exitCode == 0);
        CHECK(test::changes(test::contents(archive.folder(output)), expected) == "");
    }
}

TEST_CASE("a batch's files are what analyze says of each recording", "[unit]") {
    const Archive archive(2);
    const auto result = archive.run("out");
    CHECK(result.exitCode == 0);
    CHECK(result.output.empty());
    CHECK(test::lineCount(result.errors) == 1);
    CHECK_THAT(result.errors,
               ContainsSubstring("2 recordings, 3.0 s in ") && ContainsSubstring("x real time"));
    const auto recording = archive.in() / "disc 1" / "1.wav";
    const auto alone =
        runEarshot({"analyze", recording.string(), "--format", "csv", "--threshold", Archive::threshold});
    auto expected = test::parseCsv(alone.output);
    REQUIRE(expected.size() > 1);
    for (std::size_t i = 1; i < expected.size(); ++i) expected[i][0] = "disc 1/1.wav";
    CHECK(test::parseCsv(test::readBytes(archive.folder("out/disc 1/1.wav.csv"))) == expected);
    CHECK(archive.run("quiet", {"--quiet"}).errors.empty());
}

TEST_CASE("a batch goes on, notices other settings, and starts anew when asked", "[unit]") {
    const Archive archive(2);
    archive.run("out");
    CHECK_THAT(archive.run("out").errors, ContainsSubstring("2 of 2 recordings are done already"));
    const auto other = archive.run("out", {"--median", "3"});
    CHECK(other.exitCode == 1);
    CHECK(test::lineCount(other.errors) == 1);
    CHECK_THAT(other.errors,
               ContainsSubstring("median was 1 and is 3 now") && ContainsSubstring("--restart"));
    CHECK(archive.run("out", {"--median", "3", "--restart"}).exitCode == 0);
    archive.run("fresh", {"--median", "3"});
    CHECK(test::changes(test::contents(archive.folder("out")), test::contents(archive.folder("fresh"))) ==
          "");
}

TEST_CASE("lists that differ from run to run give each recording one name below --base", "[unit]") {
    const Archive archive(4); // 0.wav and 3.wav in disc 0, the others in discs of their own
    archive.run("whole");
    const auto run = [&](const std::string& file, const std::vector<std::string>& more) {
        const auto list = archive.folder("list.txt");
        test::writeBytes(list, (archive.in() / file).string() + "\n");
        auto words = archive.command("out", {"--list", list.string()});
        words.erase(words.begin() + 1); // the archive as a whole
        words.insert(words.end(), more.begin(), more.end());
        return runEarshot(words);
    };
    const std::vector<std::string> base = {"--base", archive.in().string()};
    CHECK(run("disc 0/0.wav", base).exitCode == 0);
    CHECK(run("disc 1/1.wav", base).exitCode == 0);
    // Without the option the names stay those of before.
    CHECK(run("disc 2/2.wav", {}).exitCode == 0);
    CHECK(run("disc 0/3.wav", {}).exitCode == 0);
    CHECK(archive.run("out").exitCode == 0);
    CHECK(test::changes(test::contents(archive.folder("out")), test::contents(archive.folder("whole"))) ==
          "");
    const auto outside = run("disc 0/0.wav", {"--base", archive.folder("whole").string()});
    CHECK(outside.exitCode == 1);
    CHECK_THAT(outside.errors, ContainsSubstring("does not lie below"));
}

TEST_CASE("another program in the folder is noticed", "[unit]") {
    const Archive archive(1);
    archive.run("out");
    const int lock = ::open(archive.folder("out/.earshot/lock").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(lock >= 0);
    REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
    const auto result = archive.run("out");
    ::close(lock);
    CHECK(result.exitCode == 1);
    CHECK_THAT(result.errors, ContainsSubstring("another earshot is at work"));
}

TEST_CASE("a batch without room stops with one line and goes on later", "[slow][file-limit]") {
    const Archive archive(3);
    archive.run("fresh");
    // A limit to the size of files (in blocks of 512 bytes) stands in for a full disk: it strikes at a
    // recording's files, at joined ones, or at the journal.
    const auto below = [&](const char* file) {
        return (fs::file_size(archive.folder("fresh") / file) - 1) / 512;
    };
    int round = 0;
    for (const auto blocks : {below("disc 0/0.wav.csv"), below("events.csv"), below("events.sqlite"),
                              below(".earshot/journal.sqlite")}) {
        const std::string limit = std::to_string(blocks);
        CAPTURE(limit);
        const std::string output = "out" + std::to_string(round++);
        std::vector<std::string> words = {"-c", "trap '' XFSZ; ulimit -f " + limit + "; exec \"$0\" \"$@\"",
                                          test::programPath()};
        for (const std::string& word : archive.command(output)) words.push_back(word);
        const auto full = test::runProcess("/bin/sh", words);
        INFO(full.errors);
        CHECK(full.exitCode == 1);
        CHECK(test::lineCount(full.errors) == 1);
        CHECK_THAT(full.errors, ContainsSubstring(output));
        for (const auto& [name, bytes] : test::contents(archive.folder(output)))
            CHECK(name.find(".partial") == std::string::npos);
        CHECK(archive.run(output).exitCode == 0);
        CHECK(test::changes(test::contents(archive.folder(output)),
                            test::contents(archive.folder("fresh"))) == "");
    }
}

TEST_CASE("what makes no sense in a batch is said before anything is done", "[unit]") {
    const Archive archive(1);
    for (const auto& wrong : std::vector<std::vector<std::string>>{{"--output", "x.csv"},
                                                                   {"--explain"},
                                                                   {"--format", "table"},
                                                                   {"--format", "csv,nothing"},
                                                                   {"--joined", "midi"},
                                                                   {"--shard", "3/3"},
                                                                   {"--jobs", "0"},
                                                                   {"-"}}) {
        CAPTURE(wrong);
        const auto result = runEarshot([&] {
            std::vector<std::string> words = {"analyze", archive.in().string(), "--output-dir",
                                              archive.folder("out").string()};
            words.insert(words.end(), wrong.begin(), wrong.end());
            return words;
        }());
        CHECK(result.exitCode == 2);
        CHECK(test::lineCount(result.errors) == 1);
    }
    CHECK_FALSE(fs::exists(archive.folder("out")));
}

TEST_CASE("results beside the recordings: the output folder is theirs", "[unit]") {
    const Archive archive(2);
    archive.run("out");
    auto expected = test::contents(archive.folder("out"));
    expected.merge(test::contents(archive.in()));
    CHECK(archive.run("in").exitCode == 0);
    CHECK(test::changes(test::contents(archive.in()), expected) == "");
    CHECK_THAT(archive.run("in").errors, ContainsSubstring("2 of 2 recordings are done already"));
}
