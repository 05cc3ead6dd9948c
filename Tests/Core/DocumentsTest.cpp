// The README, the manual and the maps: their size, their links, and the messages they quote.
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

std::string textOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> documents() {
    const fs::path root = test::sourceDirectory();
    std::vector<fs::path> found;
    for (const char* name :
         {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Source/README.md",
          "Tests/README.md", "Models/README.md", "Models/NOTES.md", "findings/README.md"})
        found.push_back(root / name);
    for (const auto& entry : fs::directory_iterator(root / "Resources" / "manual"))
        if (entry.path().extension() == ".md") found.push_back(entry.path());
    return found;
}

// The anchor that a heading gets: lower case, no punctuation, blanks as hyphens.
std::string anchorOf(const std::string& heading) {
    std::string anchor;
    for (const char c : heading) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(byte));
        if (c == ' ') anchor += '-';
    }
    return anchor;
}

std::set<std::string> anchorsOf(const std::string& text) {
    std::set<std::string> anchors;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (const auto marks = line.find_first_not_of('#');
            marks > 0 && marks < line.size() && line[marks] == ' ')
            anchors.insert(anchorOf(line.substr(marks + 1)));
    return anchors;
}

// All sources as one text, in which neighbouring string literals are one and quotes are not escaped.
std::string sources() {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(test::sourceDirectory() / "Source"))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
            all += textOf(entry.path());
    all = std::regex_replace(all, std::regex("\"\\s*\""), "");
    return std::regex_replace(all, std::regex("\\\\\""), "\"");
}

} // namespace

TEST_CASE("the README stays a door", "[unit]") {
    const auto size = fs::file_size(test::sourceDirectory() / "README.md");
    REQUIRE(size > 1000);
    REQUIRE(size <= 8192);
}

TEST_CASE("links of the documents lead to files and headings that are there", "[unit]") {
    const std::regex link(R"(\]\(([^)\s]+)\))");
    int links = 0;
    for (const auto& file : documents()) {
        const std::string text = textOf(file);
        CAPTURE(file.string());
        REQUIRE_FALSE(text.empty());
        for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found) {
            const std::string target = (*found)[1];
            if (target.rfind("https://", 0) == 0) continue;
            const auto hash = target.find('#');
            const fs::path path = hash == 0 ? file : file.parent_path() / target.substr(0, hash);
            CAPTURE(target);
            REQUIRE(fs::exists(path));
            if (hash != std::string::npos) CHECK(anchorsOf(textOf(path)).count(target.substr(hash + 1)) == 1);
            ++links;
        }
    }
    REQUIRE(links > 40);
}

// The README's first command builds the program alone.
TEST_CASE("what the documents install they build first", "[unit]") {
    const std::string build = "\ncmake --build build/release && ", install = "cmake --install build/release";
    int installs = 0;
    for (const auto& file : documents()) {
        const std::string text = textOf(file);
        CAPTURE(file.string());
        for (auto at = text.find(install); at != std::string::npos; at = text.find(install, at + 1)) {
            CHECK(at >= build.size());
            CHECK(text.compare(at - build.size(), build.size(), build) == 0);
            ++installs;
        }
    }
    REQUIRE(installs == 2);
}

TEST_CASE("messages that the manual quotes are those of the program", "[unit]") {
    const std::string text = textOf(test::sourceDirectory() / "Resources" / "manual" / "troubleshooting.md");
    const std::string program = sources();
    const std::regex quoted(R"(\n\| `([^`]+)`)"), placeholder(R"([A-Z]{2,}|\bN\b|\.\.\.)");
    const std::string messages = text.substr(text.find("\n## Messages\n"));
    int compared = 0;
    for (std::sregex_iterator found(messages.begin(), messages.end(), quoted), end; found != end; ++found) {
        const std::string message = (*found)[1];
        CAPTURE(message);
        // The program puts messages together from parts, so two neighbouring words are compared at a time.
        int pairs = 0, there = 0;
        for (std::sregex_token_iterator part(message.begin(), message.end(), placeholder, -1), last;
             part != last; ++part) {
            std::istringstream words(*part);
            std::string before, word;
            for (words >> before; words >> word; before = word) {
                ++pairs;
                there += program.find(before + ' ' + word) != std::string::npos ? 1 : 0;
            }
        }
        CAPTURE(there, pairs);
        CHECK(3 * there >= 2 * pairs);
        compared += pairs >= 3 ? 1 : 0;
    }
    REQUIRE(compared > 20);
}
