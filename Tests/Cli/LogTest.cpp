// --log and EARSHOT_LOG: what the command line prints as messages and failures, it logs.
#include "Cli/Earshot.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <filesystem>

using namespace earshot;
using earshot::test::runEarshot;
namespace fs = std::filesystem;

TEST_CASE("a failure is logged to the file that --log or EARSHOT_LOG names", "[unit][log]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "earshot.log";
    const std::vector<std::string> failing = {"analyze", folder.path() / "none.wav", "--quiet"};
    auto named = failing;
    named.insert(named.end(), {"--log", file.string()});
    CHECK(runEarshot(named).exitCode != 0);
    const auto first = test::readBytes(file);
    CHECK_THAT(first, ContainsSubstring("# Earshot log, UTF-8\n") &&
                          ContainsSubstring(": earshot analyze\n") && ContainsSubstring("none.wav"));
    CHECK(runEarshot(failing, {.environment = {{"EARSHOT_LOG", file.string()}}}).exitCode != 0);
    CHECK(test::readBytes(file).size() > first.size());
    CHECK(test::readBytes(file).starts_with(first));
}

TEST_CASE("the user's log has failures alone, and off is off", "[unit][log]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "earshot" / "earshot.log";
    const auto run = [&](const std::vector<std::string>& arguments, const std::string& log) {
        return runEarshot(arguments,
                          {.environment = {{"EARSHOT_LOG", log}, {"XDG_STATE_HOME", folder.path().string()}}})
            .exitCode;
    };
    CHECK(run({"info"}, "") == 0);
    CHECK(run({"info", "/nowhere/m.ckpt"}, "off") == 1);
    CHECK_FALSE(fs::exists(file.parent_path()));
    CHECK(run({"info", "/nowhere/m.ckpt"}, "") == 1);
    CHECK_THAT(test::readBytes(file),
               ContainsSubstring("earshot info\n") && ContainsSubstring("/nowhere/m.ckpt"));
}

TEST_CASE("a log that cannot be written is a note, and changes no result", "[unit][log]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "notes.txt";
    test::writeBytes(file, "mine\n");
    const auto plain = runEarshot({"info"});
    const auto noted = runEarshot({"info", "--log", file.string()});
    CHECK(noted.exitCode == 0);
    CHECK(noted.output == plain.output);
    CHECK(noted.errors == "earshot: " + file.string() +
                              ": --log cannot be written (it is not a log of Earshot); name another file\n");
    CHECK(test::readBytes(file) == "mine\n");
    const auto silent = runEarshot({"info"}, {.environment = {{"EARSHOT_LOG", "/proc/none/log"}}});
    CHECK(silent.exitCode == 0);
    CHECK(silent.errors == plain.errors);
}
