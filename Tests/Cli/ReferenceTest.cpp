// Man pages and completions are made from the options, so that they name all of them.
#include "Cli/Earshot.h"
#include "Support/Catch.h"
#include "Support/Folders.h"
#include "Support/Paths.h"
#include "Support/Skip.h"

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

using namespace earshot;
using test::runEarshot;

namespace {

using Names = std::set<std::string>;

const std::vector<std::string> commands = {"analyze", "cut",    "embed", "evaluate", "events", "forward",
                                           "info",    "listen", "merge", "teach",    "train"};

// The options that --help lists.
Names optionsOf(const std::string& command) {
    const std::string help = runEarshot({command, "--help"}).output;
    static const std::regex line("^  (-[a-z], )?(--[a-z-]+)");
    Names names;
    std::istringstream lines(help);
    std::smatch found;
    for (std::string text; std::getline(lines, text);)
        if (std::regex_search(text, found, line)) names.insert(found[2]);
    return names;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

struct Reference {
    test::TemporaryDirectory folder;
    Reference() { REQUIRE(runEarshot({"--write-reference", folder.path().string()}).exitCode == 0); }
    std::string read(const std::string& name) const { return test::readBytes(folder / name); }
    std::string path(const std::string& name) const { return (folder / name).string(); }
};

// What the script prints in a shell. Skips where the shell is not installed.
std::optional<std::string> inShell(const std::string& shell, const std::vector<std::string>& arguments) {
    if (!std::filesystem::exists(shell)) {
        test::skip(shell + " is not there");
        return std::nullopt;
    }
    const auto result = test::runProcess(shell, arguments);
    INFO(result.errors);
    CHECK(result.exitCode == 0);
    CHECK(result.errors.empty());
    return result.output;
}

} // namespace

TEST_CASE("every option of every command stands in its man page and in all completions", "[unit]") {
    const Reference reference;
    const std::string bash = reference.read("earshot.bash"), zsh = reference.read("_earshot"),
                      fish = reference.read("earshot.fish");
    std::size_t options = 0;
    for (const auto& command : commands) {
        const std::string page = replaced(reference.read("earshot-" + command + ".1"), "\\-", "-");
        const auto line = bash.find("    " + command + ") options=");
        REQUIRE(line != std::string::npos);
        const std::string words = bash.substr(line, bash.find('\n', line) - line) + " ";
        const auto begin = zsh.find("        " + command + ")\n");
        REQUIRE(begin != std::string::npos);
        const std::string arguments = zsh.substr(begin, zsh.find(";;", begin) - begin);
        for (const auto& option : optionsOf(command)) {
            INFO(command << " " << option);
            CHECK_THAT(page, ContainsSubstring("\\fB" + option + "\\fR"));
            CHECK(std::regex_search(words, std::regex("[ ']" + option + "[ ']")));
            CHECK_THAT(arguments, ContainsSubstring("*" + option + "["));
            CHECK(std::regex_search(fish, std::regex("__fish_seen_subcommand_from " + command +
                                                     "'[^\n]* -l " + option.substr(2) + " ")));
            ++options;
        }
    }
    CHECK(options > 100);
}

TEST_CASE("the table of commands in the manual has them all", "[unit]") {
    const std::string page = test::readBytes(test::sourceDirectory() / "Resources/manual/command-line.md");
    for (const auto& command : commands)
        CHECK_THAT(page, ContainsSubstring("\n| `earshot " + command + "` |"));
}

TEST_CASE("no line of --help is longer than 80 columns", "[unit]") {
    std::vector<std::vector<std::string>> calls = {{"--help"}};
    for (const auto& command : commands) calls.push_back({command, "--help"});
    for (const auto& call : calls) {
        std::istringstream lines(runEarshot(call).output);
        std::size_t count = 0;
        for (std::string line; std::getline(lines, line); ++count) {
            INFO(call.front() << ": " << line);
            CHECK(line.size() <= 80);
            CHECK(!line.ends_with(' '));
        }
        CHECK(count > 5);
    }
}

TEST_CASE("help flows, and keeps choices that are explained apart", "[unit]") {
    const std::string help = runEarshot({"evaluate", "--help"}).output;
    CHECK_THAT(help, ContainsSubstring(
                         "\n  --noise HOURS           Also count false alarms on this many hours of\n"
                         "                          synthetic noise (white, pink, brown, hum, silence)\n"));
    CHECK_THAT(help, ContainsSubstring(
                         "\n  --thresholds model|best|P\n"
                         "                          model (default): the model's own for each sound, else\n"
                         "                            0.4\n"
                         "                          best: chosen on this same data, which shows the best\n"
                         "                            that thresholds could reach\n"
                         "                          P: one probability for all sounds\n"));
    CHECK_THAT(runEarshot({"embed", "--help"}).output,
               ContainsSubstring("Usage: earshot embed [OPTIONS] [FILE...]\n") &&
                   ContainsSubstring("Not with FILE, --kind, --per, --hop,"));
    CHECK_THAT(runEarshot({"forward", "--help"}).output,
               ContainsSubstring("Usage: earshot forward [OPTIONS] FILE\n") &&
                   ContainsSubstring("Where to write the result. Required\n"));
}

TEST_CASE("the examples of a command are its own", "[unit]") {
    for (const auto& command : commands) {
        const std::string help = runEarshot({command, "--help"}).output;
        INFO(command);
        CHECK_THAT(help, ContainsSubstring("\n  earshot " + command + " "));
        CHECK_THAT(help, !ContainsSubstring("EARSHOT_MODEL_MEMORY"));
    }
}

TEST_CASE("man pages are well formed", "[unit]") {
    const Reference reference;
    if (!std::filesystem::exists("/usr/bin/groff")) return test::skip("groff is not there");
    for (const auto& entry : std::filesystem::directory_iterator(reference.folder.path())) {
        if (entry.path().extension() != ".1") continue;
        CAPTURE(entry.path().filename());
        const auto result =
            test::runProcess("/usr/bin/groff", {"-man", "-ww", "-z", "-K", "utf8", entry.path().string()});
        CHECK(result.exitCode == 0);
        CHECK(result.errors.empty());
    }
}

TEST_CASE("bash completes commands, options, choices and folders", "[unit]") {
    const Reference reference;
    const auto complete = [&](const std::string& words, int at) {
        const std::string script = "source '" + reference.path("earshot.bash") + "'; cd '" +
                                   reference.folder.path().string() + "'; COMP_WORDS=(" + words +
                                   "); COMP_CWORD=" + std::to_string(at) +
                                   "; _earshot; echo \"${COMPREPLY[*]}\"";
        return inShell("/bin/bash", {"-c", script}).value_or("");
    };
    std::filesystem::create_directory(reference.folder / "earshot-folder");
    CHECK(complete("earshot an", 1) == "analyze\n");
    CHECK(complete("earshot analyze --output-d", 2) == "--output-dir\n");
    CHECK(complete("earshot analyze --mode ''", 3) == "auto crop repeat\n");
    CHECK(complete("earshot analyze --format ra", 3) == "raven\n");
    CHECK(complete("earshot analyze --output-dir ear", 3) == "earshot-folder\n");
    CHECK(complete("earshot analyze earshot.b", 2) == "earshot.bash\n");
    CHECK(complete("earshot analyze --threshold ''", 3) == "\n");
}

TEST_CASE("zsh reads its completion", "[unit]") {
    const Reference reference;
    inShell("/bin/zsh", {"-n", reference.path("_earshot")});
}

TEST_CASE("fish completes commands, options and choices", "[unit]") {
    const Reference reference;
    const auto complete = [&](const std::string& line) {
        return inShell("/usr/bin/fish",
                       {"--no-config", "-c",
                        "source '" + reference.path("earshot.fish") + "'; complete -C '" + line + "'"});
    };
    const auto command = complete("earshot an");
    if (!command) return;
    CHECK_THAT(*command, Catch::Matchers::StartsWith("analyze\t"));
    CHECK_THAT(complete("earshot analyze --output-d").value_or(""),
               Catch::Matchers::StartsWith("--output-dir\t"));
    CHECK_THAT(complete("earshot analyze --mode cr").value_or(""), Catch::Matchers::StartsWith("crop\t"));
}

TEST_CASE("the version names the libraries and the instruction set", "[unit]") {
    const auto result = runEarshot({"--version"});
    CHECK(result.exitCode == 0);
    CHECK(std::regex_search(result.output, std::regex(R"(^earshot \d+\.\d+\.\d+( \([0-9a-f]{10}\+?\))?\n)")));
    for (const char* library :
         {"oneDNN", "FFTW", "libsndfile", "libsoxr", "libzip", "SQLite", "utf8proc", "libpng"})
        CHECK(std::regex_search(result.output, std::regex("\n  " + std::string(library) + R"( \d+\.\d)")));
    CHECK_THAT(result.output, ContainsSubstring("\ninstruction set: "));
}
