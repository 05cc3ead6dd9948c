#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Core/Formats/Npy.h"
#include "Support/Catch.h"
#include "Support/Folders.h"
#include "Support/ProceduralWeights.h"
#include "Support/Skip.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

using namespace earshot;
using test::runEarshot;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// A recording, a model with its list of labels, and all else that commands read.
class Desk {
  public:
    Desk() {
        test::makeNoise(directory_ / "noise.wav");
        test::writeNamedModel(directory_ / "my.safetensors", {"Dog", "Rain"});
        write("my.csv", "label\nDog\nRain\n");
        write("list.txt", path("noise.wav") + "\n");
        write("data.csv", "file,onset,offset,label\nnoise.wav,0,1,Dog\n");
        write("q.npy", "vectors");
        write("q.txt", "a dog\n");
        write("names.txt", "a dog\n");
        fs::create_directories(directory_ / "data/Zither");
        test::makeNoise(directory_ / "data/Zither/t1.wav");
    }

    const fs::path& folder() const { return directory_.path(); }
    std::string path(const std::string& name) const { return (directory_ / name).string(); }
    void write(const std::string& name, const std::string& bytes) const {
        test::writeBytes(directory_ / name, bytes);
    }
    std::string read(const std::string& name) const { return test::readBytes(directory_ / name); }
    Words analyze() const { return {"analyze", path("noise.wav"), "--model", path("my.safetensors")}; }
    Words forward() const {
        return {"forward", path("noise.wav"), "--mode", "fit", "--model", path("my.safetensors")};
    }
    Words evaluate() const {
        return {"evaluate", path("my.safetensors"), "--data", path("data.csv"), "--format", "json"};
    }
    Words embed() const {
        return {"embed", path("noise.wav"), "--kind", "latent", "--model", path("my.safetensors")};
    }
    // Kept activations of the recording, in "kept".
    Words events() const {
        if (!fs::exists(directory_ / "kept"))
            REQUIRE(
                runEarshot(analyze() + Words{"--output-dir", path("kept"), "--keep-activations"}).exitCode ==
                0);
        return {"events", path("kept"), "--format", "csv"};
    }

  private:
    test::TemporaryDirectory directory_;
};

const std::string keptFile = "kept/noise.wav.activations.safetensors";

// One line that holds the words, and nothing in the folder has changed.
void requireRefused(const Desk& desk, const Words& arguments, int exitCode, const std::string& words,
                    const test::ProcessOptions& options = {}) {
    CAPTURE(arguments);
    const auto before = test::contents(desk.folder());
    const auto result = runEarshot(arguments, options);
    CHECK(result.exitCode == exitCode);
    CHECK(result.output.empty());
    CHECK(test::lineCount(result.errors) == 1);
    CHECK_THAT(result.errors, ContainsSubstring(words));
    CHECK(test::changes(test::contents(desk.folder()), before) == "");
}

test::ProcessResult shell(const std::string& script, const Words& arguments = {}) {
    return test::runProcess("/bin/bash", Words{"-c", script, test::programPath()} + arguments);
}

} // namespace

TEST_CASE("an output is never an input, whatever it is called", "[unit]") {
    const Desk desk;
    const auto recording = desk.path("noise.wav");
    const auto model = desk.path("my.safetensors");
    struct Case {
        Words arguments;
        std::string option, input;
    };
    const std::vector<Case> cases = {
        {desk.analyze(), "--output", "noise.wav"},
        {desk.analyze(), "--output", "my.safetensors"},
        {desk.analyze(), "--output", "my.csv"},
        {{"analyze", "--list", desk.path("list.txt"), "--model", model}, "--output", "list.txt"},
        {desk.analyze() + Words{"--queries", desk.path("q.npy")}, "--output", "q.npy"},
        {desk.analyze() + Words{"--queries", desk.path("q.npy")}, "--output", "q.txt"},
        {desk.analyze() + Words{"--queries", desk.path("q.npy"), "--query-names", desk.path("names.txt")},
         "--output", "names.txt"},
        {desk.forward(), "--out", "noise.wav"},
        {desk.forward(), "--out", "my.safetensors"},
        {desk.evaluate(), "--output", "my.safetensors"},
        {desk.evaluate(), "--output", "data.csv"},
        {desk.evaluate(), "--output", "noise.wav"},
        {{"evaluate", model, "--data", desk.path("data"), "--split", "all"},
         "--output",
         "data/Zither/t1.wav"},
        {desk.events(), "--output", keptFile},
    };
    for (const auto& [arguments, option, input] : cases) {
        for (const Words& more : {Words{}, Words{"--overwrite"}})
            requireRefused(desk, arguments + Words{option, desk.path(input)} + more, 2, "would overwrite");
        // By other names.
        fs::create_hard_link(desk.path(input), desk.path("hard"));
        fs::create_symlink(desk.path(input), desk.path("soft"));
        for (const char* name : {"hard", "soft"})
            requireRefused(desk, arguments + Words{option, desk.path(name), "--overwrite"}, 2,
                           "would overwrite");
        fs::remove(desk.path("hard"));
        fs::remove(desk.path("soft"));
    }
    SECTION("that is so for the model of the environment too") {
        requireRefused(desk, {"analyze", recording, "--output", model, "--overwrite"}, 2, "the model",
                       {.environment = {{"EARSHOT_MODEL", model}}});
    }
    SECTION("and for files that the shell opened") {
        const auto before = test::contents(desk.folder());
        for (const char* words :
             {"analyze - < noise.wav --output noise.wav", "analyze --list - < list.txt --output list.txt",
              "forward - --mode fit < noise.wav --out noise.wav"}) {
            CAPTURE(words);
            const auto result =
                shell("cd '" + desk.folder().string() + "' && \"$0\" " + words + " --overwrite");
            CHECK(result.exitCode == 2);
            CHECK_THAT(result.errors, ContainsSubstring("would overwrite"));
        }
        CHECK(test::changes(test::contents(desk.folder()), before) == "");
    }
    SECTION("and for a picture's and embeddings' names that lead to an input") {
        fs::create_symlink(recording, desk.path("noise.wav.svg"));
        const auto plot = shell("cd '" + desk.folder().string() +
                                "' && \"$0\" analyze noise.wav --plot svg "
                                "--overwrite");
        CHECK(plot.exitCode == 2);
        fs::create_symlink(recording, desk.path("noise.wav.embeddings.npy"));
        CHECK(runEarshot(desk.embed() + Words{"--overwrite"}).exitCode == 2);
        fs::create_directories(desk.path("events"));
        fs::create_symlink(desk.path(keptFile), desk.path("events/noise.wav.csv"));
        CHECK(
            runEarshot(desk.events() + Words{"--output-dir", desk.path("events"), "--overwrite"}).exitCode ==
            2);
    }
    SECTION("and two outputs are never one file") {
        const auto result = shell("cd '" + desk.folder().string() +
                                  "' && \"$0\" analyze noise.wav --plot svg --output noise.wav.svg");
        CHECK(result.exitCode == 2);
        CHECK_THAT(result.errors, ContainsSubstring("another of the results"));
    }
}

TEST_CASE("a file that holds something is replaced when --overwrite says so, and not otherwise", "[unit]") {
    const Desk desk;
    const auto check = [&](const Words& arguments, const std::vector<std::string>& targets) {
        CAPTURE(arguments);
        for (const auto& target : targets) {
            fs::create_directories(fs::path(desk.path(target)).parent_path());
            desk.write(target, "mine");
        }
        const auto before = test::contents(desk.folder());
        const auto refused = runEarshot(arguments);
        CHECK(refused.exitCode == 1);
        CHECK(test::lineCount(refused.errors) == 1);
        CHECK_THAT(refused.errors, ContainsSubstring("--overwrite") &&
                                       ContainsSubstring(fs::path(targets.front()).filename().string()));
        CHECK(test::changes(test::contents(desk.folder()), before) == "");

        const auto replaced = runEarshot(arguments + Words{"--overwrite"});
        CAPTURE(replaced.errors);
        CHECK(replaced.exitCode == 0);
        for (const auto& target : targets) {
            CHECK(desk.read(target) != "mine");
            desk.write(target, "");
        }
        // Nothing is lost with an empty file.
        CHECK(runEarshot(arguments).exitCode == 0);
        for (const auto& target : targets) {
            CHECK(desk.read(target).size() > 4);
            fs::remove(desk.path(target));
        }
        CHECK(runEarshot(arguments).exitCode == 0);
        for (const auto& target : targets) CHECK(desk.read(target).size() > 4);
    };
    check(desk.analyze() + Words{"--output", desk.path("a.txt")}, {"a.txt"});
    check(desk.forward() + Words{"--out", desk.path("f.safetensors")}, {"f.safetensors"});
    check(desk.evaluate() + Words{"--output", desk.path("e.json")}, {"e.json"});
    check(desk.events() + Words{"--output", desk.path("v.csv")}, {"v.csv"});
    check(desk.events() + Words{"--output-dir", desk.path("ev")}, {"ev/noise.wav.csv"});
    check(desk.embed(), {"noise.wav.embeddings.csv", "noise.wav.embeddings.npy"});
    check(desk.embed() + Words{"--output-dir", desk.path("em")},
          {"em/noise.wav.embeddings.csv", "em/noise.wav.embeddings.npy"});

    SECTION("a picture, too") {
        desk.write("noise.wav.svg", "mine");
        const auto run = [&](const std::string& more) {
            return shell("cd '" + desk.folder().string() + "' && \"$0\" analyze noise.wav --plot svg" + more)
                .exitCode;
        };
        CHECK(run("") == 1);
        CHECK(desk.read("noise.wav.svg") == "mine");
        CHECK(run(" --overwrite") == 0);
        CHECK_THAT(desk.read("noise.wav.svg"), ContainsSubstring("</svg>"));
    }
    SECTION("of many files the first are named, and nothing is heard before") {
        fs::create_directories(desk.path("many"));
        for (int i = 0; i < 5; ++i) {
            const auto name = "many/" + std::to_string(i) + ".wav";
            test::makeNoise(desk.path(name));
            if (i > 0) desk.write(name + ".embeddings.npy", "mine");
        }
        requireRefused(
            desk, {"embed", desk.path("many"), "--kind", "latent", "--model", desk.path("my.safetensors")}, 1,
            "many/1.wav.embeddings.npy, " + desk.path("many/2.wav.embeddings.npy"));
        const auto refused = runEarshot(
            {"embed", desk.path("many"), "--kind", "latent", "--model", desk.path("my.safetensors")});
        CHECK_THAT(refused.errors, ContainsSubstring(" and 1 more: are there already"));
    }
}

TEST_CASE("results of --output go to devices, pipes and what the shell opened as they come", "[unit]") {
    const Desk desk;
    const auto csv = desk.analyze() + Words{"--format", "csv", "--threshold", "0"};
    const auto expected = runEarshot(csv).output;
    REQUIRE(test::lineCount(expected) == 3);
    CHECK(runEarshot(csv + Words{"--output", "/dev/null"}).exitCode == 0);
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(runEarshot(csv + Words{"--output", "/dev/stdout"}).output == expected);

    // Into a file that the shell opened, behind what is there.
    desk.write("log", "before\n");
    const auto log = desk.path("log");
    CHECK(shell("\"$0\" \"$@\" --output /dev/stdout >> '" + log + "'; echo after >> '" + log + "'", csv)
              .exitCode == 0);
    CHECK(desk.read("log") == "before\n" + expected + "after\n");
    CHECK(shell("\"$0\" \"$@\" --output /dev/fd/5 5> '" + log + "'", csv).exitCode == 0);
    CHECK(desk.read("log") == expected);
    const auto substituted = shell("\"$0\" \"$@\" --output >(cat); wait", csv);
    CHECK(substituted.output == expected);

    REQUIRE(::mkfifo(desk.path("pipe").c_str(), 0600) == 0);
    const auto pipe = desk.path("pipe");
    const auto piped = shell("cat '" + pipe + "' & \"$0\" \"$@\" --output '" + pipe + "'; wait", csv);
    CHECK(piped.exitCode == 0);
    CHECK(piped.output == expected);
    CHECK(fs::is_fifo(pipe));
    // Ctrl-C ends the wait for a reader.
    using std::chrono::milliseconds;
    const auto waiting =
        runEarshot(csv + Words{"--output", pipe}, {.signalAfter = milliseconds(2000), .signal = SIGINT});
    CHECK(waiting.exitCode == 130);
    CHECK(waiting.errors.empty());
}

TEST_CASE(
    "the file of --output follows a link, keeps what a file may be read by, and leaves nothing beside it",
    "[unit]") {
    const Desk desk;
    desk.write("target", "mine");
    REQUIRE(::chmod(desk.path("target").c_str(), 0640) == 0);
    fs::create_directories(desk.path("links"));
    fs::create_symlink("../target", desk.path("links/out"));
    const auto csv = desk.analyze() + Words{"--format", "csv", "--output", desk.path("links/out")};
    CHECK(runEarshot(csv).exitCode == 1);
    CHECK(runEarshot(csv + Words{"--overwrite"}).exitCode == 0);
    CHECK(fs::is_symlink(desk.path("links/out")));
    CHECK_THAT(desk.read("target"), Catch::Matchers::StartsWith("file,"));
    CHECK(fs::status(desk.path("target")).permissions() == fs::perms(0640));
    for (const auto& name : test::names(test::contents(desk.folder())))
        CHECK(name.find(".partial") == std::string::npos);
}

TEST_CASE("an output that cannot be written fails before anything is heard", "[unit]") {
    const Desk desk;
    fs::create_directories(desk.path("folder"));
    desk.write("file", "mine");
    // Were it heard first, its failure would come before the output's.
    desk.write("noise.wav", "no sound at all");
    for (const auto& [command, option] :
         {std::pair(desk.analyze(), "--output"), std::pair(desk.forward(), "--out"),
          std::pair(Words{"evaluate", desk.path("my.safetensors"), "--data", desk.path("data.csv")},
                    "--output")}) {
        requireRefused(desk, command + Words{option, desk.path("folder"), "--overwrite"}, 1,
                       "folder: cannot be written (Is a directory); name a file");
        requireRefused(desk, command + Words{option, desk.path("none/out"), "--overwrite"}, 1,
                       "none/out: cannot be written (No such file or directory)");
        requireRefused(desk, command + Words{option, desk.path("file/out"), "--overwrite"}, 1,
                       "file/out: cannot be written (Not a directory)");
        requireRefused(desk, command + Words{option, desk.path(std::string(300, 'n')), "--overwrite"}, 1,
                       "shorten it");
    }
}

TEST_CASE("results are worth having where their picture cannot be written", "[unit][file-limit]") {
    const Desk desk;
    const auto run = [&](const std::string& before) {
        return shell("cd '" + desk.folder().string() + "' && " + before +
                     " && \"$0\" analyze noise.wav --plot svg --format csv --threshold 0 --only Dog");
    };
    // A picture takes more than the results: 4 kB are enough for those alone.
    const auto full = run("ulimit -f 4");
    CHECK(full.exitCode == 1);
    CHECK(test::lineCount(full.errors) == 1);
    CHECK_THAT(full.errors, ContainsSubstring("noise.wav.svg: cannot be written"));
    CHECK(test::lineCount(full.output) == 2);
    CHECK_FALSE(fs::exists(desk.path("noise.wav.svg")));
    const auto folder = run("mkdir noise.wav.svg");
    CHECK(folder.exitCode == 1);
    CHECK_THAT(folder.errors, ContainsSubstring("noise.wav.svg: cannot be written (Is a directory)"));
}

TEST_CASE("a file that its owner has protected is not replaced", "[unit]") {
    const Desk desk;
    desk.write("out", "mine");
    fs::permissions(desk.path("out"), fs::perms::owner_read);
    fs::permissions(desk.folder(), fs::perms::all);
    const auto arguments = desk.analyze() + Words{"--output", desk.path("out"), "--overwrite"};
    // root may write everything.
    const auto result =
        ::geteuid() == 0
            ? shell("exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$0\" \"$@\"", arguments)
            : runEarshot(arguments);
    if (result.exitCode == 126 || result.exitCode == 127)
        return test::skip("nobody else can run the program here");
    CHECK(result.exitCode == 1);
    CHECK_THAT(result.errors, ContainsSubstring("out: cannot be written"));
    CHECK(desk.read("out") == "mine");
}

TEST_CASE("a full disk names the result and leaves the old one", "[unit][file-limit]") {
    const Desk desk;
    const auto limited = [&](const std::string& blocks, const Words& arguments) {
        return shell("ulimit -f " + blocks + "; exec \"$0\" \"$@\"", arguments);
    };
    desk.write("out", "mine");
    const auto check = [&](const test::ProcessResult& result, const std::string& name) {
        CHECK(result.exitCode == 1);
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, ContainsSubstring(name + ": cannot be written (File too large)"));
        for (const auto& file : test::names(test::contents(desk.folder())))
            CHECK(file.find(".partial") == std::string::npos);
    };
    check(limited("0", desk.analyze() + Words{"--output", desk.path("out"), "--overwrite"}), "out");
    check(limited("8", desk.forward() + Words{"--out", desk.path("out"), "--overwrite"}), "out");
    check(limited("0", desk.evaluate() + Words{"--output", desk.path("out"), "--overwrite"}), "out");
    CHECK(desk.read("out") == "mine");
    check(limited("0", desk.embed()), "noise.wav.embeddings.npy");
    CHECK_FALSE(fs::exists(desk.path("noise.wav.embeddings.csv")));
}

TEST_CASE("Ctrl-C keeps what was found, but not in place of a file that holds something", "[unit]") {
    const Desk desk;
    test::writeAudio(desk.path("long.wav"), test::AudioFormat::wavPcm16, 32000, 1,
                     test::noise(32000 * 60, 2));
    REQUIRE(::mkfifo(desk.path("pipe").c_str(), 0600) == 0);
    // The second recording comes through a pipe that holds less than this: who has written it knows that the
    // first is done.
    const auto script = "cd '" + desk.folder().string() +
                        "'; \"$0\" \"$@\" < pipe & pid=$!; exec 3> pipe; head -c 2000000 long.wav >&3; "
                        "kill -INT $pid; exec 3>&-; wait $pid";
    const auto arguments =
        desk.analyze() + Words{"-", "--format", "csv", "--threshold", "0", "--output", "out.csv"};
    const auto kept = shell(script, arguments);
    CHECK(kept.exitCode == 130);
    CHECK(kept.errors.empty());
    const auto rows = test::parseCsv(desk.read("out.csv"));
    REQUIRE(rows.size() >= 3);
    CHECK(rows[1][0] == desk.path("noise.wav"));

    desk.write("out.csv", "mine");
    const auto left = shell(script, arguments + Words{"--overwrite"});
    CHECK(left.exitCode == 130);
    CHECK_THAT(left.errors, ContainsSubstring("out.csv stays as it was"));
    CHECK(desk.read("out.csv") == "mine");
    for (const auto& file : test::names(test::contents(desk.folder())))
        CHECK(file.find(".partial") == std::string::npos);
}

TEST_CASE("what a killed program leaves is gone after the next", "[unit]") {
    const Desk desk;
    test::writeAudio(desk.path("long.wav"), test::AudioFormat::wavPcm16, 32000, 1,
                     test::noise(32000 * 40, 2));
    fs::create_directories(desk.path("out"));
    // Of an earlier version, or a stranger's.
    desk.write("out/noise.wav.embeddings.npy.part", "mine");
    const Words slowly = {
        "embed",   desk.path("long.wav"),       "--kind",       "latent",        "--hop", "0.32",
        "--model", desk.path("my.safetensors"), "--output-dir", desk.path("out")};
    const auto killed = runEarshot(slowly, {.signalAfter = std::chrono::milliseconds(700)});
    if (killed.exitCode == 128 + SIGKILL)
        for (const auto& name : test::names(test::contents(desk.path("out"))))
            CHECK((name.ends_with(".partial") || name.ends_with(".part")));
    const auto whole = runEarshot(killed.exitCode == 0 ? slowly + Words{"--overwrite"} : slowly);
    CAPTURE(whole.errors);
    CHECK(whole.exitCode == 0);
    CHECK(test::names(test::contents(desk.path("out"))) ==
          std::set<std::string>{"long.wav.embeddings.csv", "long.wav.embeddings.npy",
                                "noise.wav.embeddings.npy.part"});
    const auto vectors = formats::readNpy(desk.path("out/long.wav.embeddings.npy"));
    CHECK(test::lineCount(desk.read("out/long.wav.embeddings.csv")) == vectors.shape.front() + 1);
}

TEST_CASE("of many results one that cannot be written fails alone", "[unit]") {
    const Desk desk;
    test::makeNoise(desk.path("more.wav"));
    fs::create_directories(desk.path("out/more.wav.embeddings.npy"));
    const auto result =
        runEarshot({"embed", desk.path("more.wav"), desk.path("noise.wav"), "--kind", "latent", "--model",
                    desk.path("my.safetensors"), "--output-dir", desk.path("out")});
    CHECK(result.exitCode == 1);
    CHECK(test::lineCount(result.errors) == 1);
    CHECK_THAT(result.errors, ContainsSubstring("more.wav.embeddings.npy: cannot be written"));
    CHECK_FALSE(fs::exists(desk.path("out/more.wav.embeddings.csv")));
    CHECK(fs::exists(desk.path("out/noise.wav.embeddings.npy")));

    fs::copy_file(desk.path("noise.wav"), desk.path("also.wav"));
    REQUIRE(runEarshot({"analyze", desk.path("noise.wav"), desk.path("also.wav"), "--model",
                        desk.path("my.safetensors"), "--output-dir", desk.path("kept"), "--keep-activations"})
                .exitCode == 0);
    fs::create_directories(desk.path("events/also.wav.csv"));
    const auto events =
        runEarshot({"events", desk.path("kept"), "--format", "csv", "--output-dir", desk.path("events")});
    CHECK(events.exitCode == 1);
    CHECK(test::lineCount(events.errors) == 1);
    CHECK_THAT(events.errors, ContainsSubstring("also.wav.csv: cannot be written"));
    CHECK(fs::exists(desk.path("events/noise.wav.csv")));
}

TEST_CASE("a share without locks is named as the cause", "[unit]") {
    const Desk desk;
    test::ProcessOptions options;
    options.environment = {{"LD_PRELOAD", test::noLocksLibraryPath()}};
    const auto refused = runEarshot(desk.analyze() + Words{"--output-dir", desk.path("out")}, options);
    CHECK(refused.exitCode == 1);
    CHECK_THAT(refused.errors, ContainsSubstring("journal.sqlite: its folder has no locks (") &&
                                   ContainsSubstring("choose a folder on a file system that has locks") &&
                                   !ContainsSubstring("close the program"));
    for (const auto& name : test::names(test::contents(desk.path("out"))))
        CHECK(name.find(".partial") == std::string::npos);
    CHECK(runEarshot(desk.analyze() + Words{"--output-dir", desk.path("out")}).exitCode == 0);
}
