#include "Cli/Earshot.h"
#include "Support/Catch.h"

using namespace earshot;
using test::runEarshot;

TEST_CASE("help and version are answers, not errors", "[unit]") {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                      {"-h"},
                                                      {"analyze", "--help"},
                                                      {"embed", "--help"},
                                                      {"forward", "--help"},
                                                      {"info", "--help"}}) {
        const auto result = runEarshot(arguments);
        CAPTURE(arguments);
        CHECK(result.exitCode == 0);
        CHECK_THAT(result.output, ContainsSubstring("Usage"));
        CHECK(result.errors.empty());
    }
    CHECK_THAT(runEarshot({"analyze", "--help"}).output, ContainsSubstring("--threshold") &&
                                                             ContainsSubstring("at most 4") &&
                                                             ContainsSubstring("Examples"));
    const auto version = runEarshot({"--version"});
    CHECK(version.exitCode == 0);
    CHECK_THAT(version.output, Catch::Matchers::StartsWith("earshot "));
    CHECK_THAT(version.output, ContainsSubstring("oneDNN"));
}

TEST_CASE("wrong usage is one line and exit code 2", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const std::string out = (directory / "out.safetensors").string();
    const std::vector<std::vector<std::string>> wrong = {
        {},
        {"analyse", file},
        {"--loud"},
        {"analyze"},
        {"analyze", file, "--loud"},
        {"analyze", file, "--threshold"},
        {"analyze", file, "--threshold", "1.01"},
        {"analyze", file, "--threshold", "-0.1"},
        {"analyze", file, "--threshold", "nan"},
        {"analyze", file, "--threshold", "half"},
        {"analyze", file, "--threshold", "0.5x"},
        {"analyze", file, "--threshold", ""},
        {"analyze", file, "--release-threshold", "2"},
        {"analyze", file, "--threshold", "0.3", "--release-threshold", "0.4"},
        {"analyze", file, "--hop", "0"},
        {"analyze", file, "--hop", "-1"},
        {"analyze", file, "--hop", "nan"},
        {"analyze", file, "--hop", "inf"},
        {"analyze", file, "--hop", "1e999"},
        {"analyze", file, "--hop", "10.3"},
        {"analyze", file, "--mode", "repeat", "--hop", "2.6"},
        {"analyze", file, "--mode", "fit"},
        {"analyze", file, "--format", "xml"},
        {"analyze", file, "--format", "csv", "--explain"},
        {"analyze", file, "--median", "2"},
        {"analyze", file, "--median", "0"},
        {"analyze", file, "--min-duration", "-1"},
        {"analyze", file, "--merge-gap", "inf"},
        {"analyze", file, "--threads", "0"},
        {"analyze", file, "--threads", "1.5"},
        {"analyze", file, "--class-threshold", "Dog"},
        {"analyze", file, "--class-threshold", "Dog=2"},
        {"analyze", file, "--class-threshold", "Dgo=0.2"},
        {"analyze", file, "--only", "Unicorn"},
        {"analyze", file, "--only", ""},
        {"analyze", file, "--output", file},
        {"analyze", file, "--output", "-"},
        {"events", file, "--output", "-"},
        {"evaluate", "--noise", "1", "--output", "-"},
        {"embed", "--texts", file, "--output", "-"},
        {"teach", file, "--output", "-"},
        {"forward", file, "--mode", "fit", "--out", "-"},
        {"forward", file, "--out", out},
        {"forward", file, "--mode", "fit"},
        {"forward", file, "--mode", "auto", "--out", out},
        {"forward", file, "--mode", "fit", "--out", file},
        {"info", "--format", "csv"},
        {"info", "one", "two"},
    };
    for (const auto& arguments : wrong) {
        CAPTURE(arguments);
        const auto result = runEarshot(arguments);
        CHECK(result.exitCode == 2);
        CHECK(result.output.empty());
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, Catch::Matchers::StartsWith("earshot: "));
    }
}

TEST_CASE("usage errors say what would be right", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    CHECK_THAT(runEarshot({"analyze", file, "--hop", "11"}).errors,
               ContainsSubstring("0.08") && ContainsSubstring("10.24"));
    CHECK_THAT(runEarshot({"analyze", file, "--mode", "repeat", "--hop", "11"}).errors,
               ContainsSubstring("2.56"));
    CHECK_THAT(runEarshot({"analyze", file, "--only", "Dgo"}).errors, ContainsSubstring("'Dog'"));
    CHECK_THAT(runEarshot({"analyze", file, "--only", "guitar"}).errors,
               ContainsSubstring("'Acoustic guitar'"));
    CHECK_THAT(runEarshot({"analyze", file, "--output", "-"}).errors,
               ContainsSubstring("--output: '-' is no file; leave --output out to write to standard output"));
    CHECK_THAT(runEarshot({"forward", file, "--mode", "fit", "--out", "-"}).errors,
               ContainsSubstring("--out: '-' is no file; name a file"));
    CHECK_THAT(runEarshot({"analyze", file, "--threshold", "2"}).errors,
               ContainsSubstring("--threshold") && ContainsSubstring("from 0 to 1"));
    // Choices have names alone, also where the program counts them.
    for (const std::string wrong : {"foo", "1", "CROP"})
        CHECK_THAT(runEarshot({"analyze", file, "--mode", wrong}).errors,
                   ContainsSubstring("--mode: '" + wrong + "' is none of auto, crop, repeat; see"));
    for (const std::string option : {"--plot", "--precision", "--format"})
        CHECK_THAT(runEarshot({"analyze", file, option, "0"}).errors,
                   ContainsSubstring(option + ": '0' is none of "));
}

TEST_CASE("a mistyped command or option, and a recording without one, suggest what was meant", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const auto says = [](const std::vector<std::string>& arguments) {
        const auto result = runEarshot(arguments);
        CAPTURE(arguments);
        CHECK(result.exitCode == 2);
        CHECK(result.output.empty());
        CHECK(test::lineCount(result.errors) == 1);
        return result.errors;
    };
    const auto command = [](const std::string& meant) {
        return ContainsSubstring("did you mean 'earshot " + meant + "'?");
    };
    CHECK_THAT(says({"analyse", file}), command("analyze") && ContainsSubstring("no command 'analyse'"));
    CHECK_THAT(says({"Analyze", file}), command("analyze"));
    CHECK_THAT(says({"anlayze", file, "--threshold", "0.3"}), command("analyze"));
    CHECK_THAT(says({"eval"}), command("evaluate"));
    CHECK_THAT(says({"evalute"}), command("evaluate"));
    CHECK_THAT(says({"event", "results"}), command("events"));
    CHECK_THAT(says({"tain"}), command("train"));
    CHECK_THAT(says({"tech", "folder"}), command("teach"));
    CHECK_THAT(says({"help"}), command("--help"));
    CHECK_THAT(says({"version"}), command("--version"));

    CHECK_THAT(says({file}), ContainsSubstring("did you mean: earshot analyze " + file + " (see"));
    CHECK_THAT(says({"recording.wav"}), ContainsSubstring("did you mean: earshot analyze recording.wav"));
    CHECK_THAT(says({"my recording.FLAC"}), ContainsSubstring("earshot analyze 'my recording.FLAC'"));
    CHECK_THAT(says({directory.path().string()}),
               ContainsSubstring("earshot analyze " + directory.path().string()));
    CHECK_THAT(says({"*.opus"}), ContainsSubstring("earshot analyze '*.opus'"));
    CHECK_THAT(says({"-"}), ContainsSubstring("earshot analyze -"));
    CHECK_THAT(says({"--format", "csv", file}), ContainsSubstring("earshot analyze " + file));
    CHECK_THAT(says({"night.activations.safetensors"}), ContainsSubstring("earshot events night."));
    CHECK_THAT(says({"model.ckpt"}), ContainsSubstring("earshot info model.ckpt"));

    const auto other = says({"transcribe", "--loud"});
    CHECK_THAT(other, ContainsSubstring("no command 'transcribe'; the commands are analyze, cut, embed, ") &&
                          !ContainsSubstring("did you mean"));
    CHECK_THAT(
        says({"analyze", file, "--treshold", "0.3"}),
        ContainsSubstring("no option --treshold; did you mean --threshold? (see 'earshot analyze --help')"));
    CHECK_THAT(says({"analyze", file, "--outputdir=x"}), ContainsSubstring("did you mean --output-dir?"));
    CHECK_THAT(says({"--verson"}), ContainsSubstring("did you mean --version?"));
    CHECK_THAT(says({"analyze", file, "--brightness"}), !ContainsSubstring("did you mean"));
}

TEST_CASE("a closed standard output is an error when there is something to write", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const std::string out = (directory / "out.csv").string();
    const auto run = [](const std::string& words) {
        return test::runProcess("/bin/sh", {"-c", test::programPath() + " " + words});
    };
    for (const std::string& words : {"analyze " + file, "analyze --format csv " + file, std::string("info"),
                                     std::string("--help"), std::string("--version")}) {
        CAPTURE(words);
        const auto closed = run(words + " >&-");
        CHECK(closed.exitCode == 1);
        CHECK(test::lineCount(closed.errors) == 1);
        CHECK_THAT(closed.errors, ContainsSubstring("earshot: standard output: is closed; "));
        CHECK(run(words + " <&- >&- 2>&-").exitCode == 1);
        CHECK(run(words + " <&- 2>&-").exitCode == 0);
        CHECK(!run(words + " <&- 2>&-").output.empty());
    }
    CHECK(run("analyze --output /dev/stdout " + file + " >&-").exitCode == 1);
    // Nothing to write there.
    CHECK(run("analyze --quiet --format csv --output " + out + " " + file + " <&- >&- 2>&-").exitCode == 0);
    CHECK_THAT(test::readBytes(out), Catch::Matchers::StartsWith("file,"));
}

TEST_CASE("a missing model fails with where it was looked for", "[unit][no-emulator]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    for (const std::string command : {"analyze", "info"}) {
        std::vector<std::string> arguments = {command};
        if (command == "analyze") arguments.push_back(file);
        const auto fromEnvironment =
            runEarshot(arguments, {.environment = {{"EARSHOT_MODEL", "/nowhere/m.ckpt"}}});
        CHECK(fromEnvironment.exitCode == 1);
        CHECK_THAT(fromEnvironment.errors,
                   ContainsSubstring("/nowhere/m.ckpt") && ContainsSubstring("EARSHOT_MODEL"));
    }
    const auto named = runEarshot({"analyze", file, "--model", "/nowhere/m.ckpt"});
    CHECK(named.exitCode == 1);
    CHECK(named.output.empty());
    CHECK(test::lineCount(named.errors) == 1);
    CHECK(runEarshot({"analyze", file, "--model", file}).exitCode == 1);
    CHECK(runEarshot({"analyze", file, "--model", directory.path().string()}).exitCode == 1);

    // A copy of the program without a model beside it.
    std::filesystem::create_directory(directory / "bin");
    const auto lonely = directory / "bin" / "earshot";
    std::filesystem::copy_file(test::programPath(), lonely);
    const auto result = test::runProcess(lonely, {"info"}, {.environment = {{"EARSHOT_MODEL", ""}}});
    CHECK(result.exitCode == 1);
    CHECK_THAT(result.errors, ContainsSubstring("bin/Models/earshot-default.safetensors") &&
                                  ContainsSubstring("share/earshot/Models") && ContainsSubstring("--model"));
}
