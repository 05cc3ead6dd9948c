// The arrows between folders point one way, and each third-party library stays in its one file.
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Include {
    std::filesystem::path file; // relative to Source
    std::string target;         // as written
};

std::vector<Include> includesUnder(const std::filesystem::path& root) {
    static const std::regex pattern(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
    std::vector<Include> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        const auto extension = entry.path().extension();
        if (extension != ".cpp" && extension != ".h") continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);)
            if (std::smatch match; std::regex_search(line, match, pattern))
                found.push_back({entry.path().lexically_relative(root), match[1]});
    }
    return found;
}

// "Core/Model/Config.h" -> "Core/Model", "Cli/Main.cpp" -> "Cli"
std::string roomOf(const std::filesystem::path& path) {
    auto part = path.begin();
    const auto first = part->string();
    return first == "Core" ? first + "/" + (++part)->string() : first;
}

const std::filesystem::path& sourceRoot() {
    static const auto root = earshot::test::sourceDirectory() / "Source";
    return root;
}

} // namespace

TEST_CASE("rooms include only the rooms below them", "[unit]") {
    using Rooms = std::set<std::string>;
    const Rooms layers = {"Core/Base", "Core/Tensor", "Core/Audio", "Core/Frontend", "Core/Model"};
    const auto with = [](Rooms rooms, const Rooms& more) {
        rooms.insert(more.begin(), more.end());
        return rooms;
    };
    const Rooms engine = with(layers, {"Core/Detection", "Core/Formats"});
    const std::map<std::string, Rooms> below = {
        {"Core/Base", {}},
        {"Core/Tensor", {"Core/Base"}},
        {"Core/Audio", {"Core/Base", "Core/Tensor"}},
        {"Core/Frontend", {"Core/Base", "Core/Tensor"}},
        {"Core/Model", {"Core/Base", "Core/Tensor", "Core/Frontend"}},
        {"Core/Text", {"Core/Base", "Core/Tensor", "Core/Model"}},
        {"Core/Formats", {"Core/Base"}},
        {"Core/Detection", with(layers, {"Core/Formats", "Core/Text"})},
        {"Core/Batch",
         {"Core/Base", "Core/Tensor", "Core/Audio", "Core/Detection", "Core/Formats", "Core/Model"}},
        {"Core/Pictures", {"Core/Base", "Core/Frontend", "Core/Detection"}},
        {"Core/Streaming", with(layers, {"Core/Detection"})},
        {"Core/Evaluation", with(layers, {"Core/Detection"})},
        {"Core/Training", with(engine, {"Core/Evaluation"})},
        {"Core/Teaching", with(layers, {"Core/Detection", "Core/Evaluation", "Core/Training"})},
        {"Cli", with(engine, {"Core/Batch", "Core/Pictures", "Core/Text", "Core/Training", "Core/Evaluation",
                              "Core/Teaching"})},
        {"Library", with(engine, {"Core/Streaming"})},
        {"Python", {}}, // over earshot.h alone, and so is Vamp
        {"Vamp", {}},
        {"Ui", with(engine, {"Core/Streaming", "Core/Teaching"})},
        {"Plugin", with(engine, {"Core/Batch", "Core/Streaming", "Core/Teaching", "Ui"})},
    };
    std::size_t checked = 0;
    for (const auto& [file, target] : includesUnder(sourceRoot())) {
        if (!(target.starts_with("Core/") || target.starts_with("Cli/") || target.starts_with("Ui/") ||
              target.starts_with("Plugin/") || target.starts_with("Library/") ||
              target.starts_with("Python/") || target.starts_with("Vamp/")))
            continue;
        const auto from = roomOf(file), to = roomOf(target);
        INFO(file << " includes " << target);
        REQUIRE(below.count(from) == 1);
        REQUIRE((from == to || below.at(from).count(to) == 1));
        ++checked;
    }
    REQUIRE(checked > 100);
}

// Folders within a room are floors as well. Files at a room's top are used by all of it or join it, and are
// not counted.
TEST_CASE("sub-rooms include each other in one direction", "[unit]") {
    const std::set<std::string> circular = {"Ui"}; // to be mended
    const auto subRoomOf = [](const std::filesystem::path& path) {
        const auto folder = path.parent_path().generic_string();
        return folder == roomOf(path) ? std::string() : folder;
    };
    std::map<std::string, std::set<std::string>> below;
    for (const auto& [file, target] : includesUnder(sourceRoot())) {
        if (!std::filesystem::exists(sourceRoot() / target) || roomOf(file) != roomOf(target)) continue;
        const auto from = subRoomOf(file), to = subRoomOf(target);
        if (!from.empty() && !to.empty() && from != to) below[from].insert(to);
    }
    REQUIRE(below.size() > 10);
    for (bool more = true; more;) { // until all that is below is known
        more = false;
        for (auto& [room, lower] : below)
            for (const auto& each : std::set<std::string>(lower)) {
                const auto before = lower.size();
                if (const auto found = below.find(each); found != below.end())
                    lower.insert(found->second.begin(), found->second.end());
                more = more || lower.size() > before;
            }
    }
    std::set<std::string> found;
    for (const auto& [room, lower] : below) {
        if (lower.count(room) == 0) continue;
        found.insert(roomOf(room));
        INFO(room << " includes what includes it");
        CHECK(circular.count(roomOf(room)) == 1);
    }
    CHECK(found == circular); // none is listed that is mended
}

TEST_CASE("each library appears in one file, behind a header that names none of it", "[unit]") {
    const std::map<std::string, std::string> owners = {
        {"dnnl", "Core/Tensor/Primitives.cpp"},
        {"oneapi", "Core/Tensor/Primitives.cpp"},
        {"fftw3", "Core/Frontend/Fft.cpp"},
        {"sndfile", "Core/Audio/SoundFile.cpp"},
        {"soxr", "Core/Audio/Resampler.cpp"},
        {"zip.h", "Core/Model/Reading/ZipArchive.cpp"},
        {"omp.h", "Core/Tensor/Threads.cpp"},
        {"sqlite3", "Core/Base/Database.cpp"},
        {"openssl", "Core/Base/Platform/PosixHash.cpp"},
        {"png.h", "Core/Pictures/Png.cpp"},
        {"utf8proc", "Core/Base/Unicode.cpp"},
        {"cairo", "Core/Pictures/Rendering.cpp"},
        {"librsvg", "Core/Pictures/Rendering.cpp"},
    };
    // The system's own headers belong to Platform, and to what only glibc has.
    const std::set<std::string> systemHeaders = {"fcntl.h",   "unistd.h",  "dlfcn.h", "link.h", "signal.h",
                                                 "termios.h", "windows.h", "io.h",    "poll.h", "dirent.h"};
    std::size_t systemUses = 0;
    std::set<std::string> seen;
    for (const auto& [file, target] : includesUnder(sourceRoot())) {
        INFO(file << " includes " << target);
        const bool platform = file.parent_path().filename() == "Platform" || roomOf(file) == "Ui" ||
                              file.filename() == "LibraryNotes.cpp";
        REQUIRE((platform || (systemHeaders.count(target) == 0 && !target.starts_with("sys/"))));
        if (platform && systemHeaders.count(target) == 1) ++systemUses;
        const auto room = roomOf(file);
        REQUIRE((room == "Ui" || room == "Plugin" || target.find("juce") == std::string::npos));
        REQUIRE((room == "Core/Streaming" || room == "Plugin" || !target.starts_with("boost/")));
        for (const auto& [library, owner] : owners)
            if (target.starts_with(library)) {
                REQUIRE(file.generic_string() == owner);
                seen.insert(owner);
            }
    }
    REQUIRE(seen.size() == 11);
    REQUIRE(systemUses > 5);
}

// A cause that stands nowhere cannot be looked for. Whoever catches throws on, keeps the exception, passes on
// what it says, or logs it.
TEST_CASE("what is caught is thrown on, passed on or logged", "[unit][log]") {
    static const std::regex caught(R"re(catch \(([^)]*)\) \{)re");
    static const std::regex handled(
        R"re(\bthrow\b|logCaught|tellTrouble|current_exception|caughtCause|what\(\))re");
    const std::set<std::string> others = {
        // ways of control, which are no failures
        "Cli/Program.cpp: CLI::CallForHelp", "Cli/Program.cpp: ReaderGone", "Cli/Program.cpp: Interrupted",
        "Cli/Reference/Description.cpp: CLI::OptionNotFound",
        "Plugin/Recordings/RecordingBatch.cpp: batch::SettingsError", "Core/Batch/Cutting.cpp: CutStopped",
        // what they call throws, passes on or logs
        "Cli/Program.cpp: std::bad_alloc", "Cli/Program.cpp: ...", "Core/Tensor/Primitives.cpp: dnnl::error",
        "Core/Training/Data/LabelRows.cpp: Json::exception", "Library/Failure.h: ...",
        "Library/Failure.cpp: std::bad_alloc", "Python/PythonModule.cpp: Failure",
        // no log is reached
        "Core/Base/Log.cpp: ...", "Core/Base/Log.cpp: std::exception", "Core/Base/Log.cpp: std::bad_alloc",
        "Cli/Output/Terminal.cpp: ..."};
    std::set<std::string> found;
    int blocks = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sourceRoot())) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
        std::ifstream file(entry.path());
        const std::string text(std::istreambuf_iterator<char>(file), {});
        for (std::sregex_iterator at(text.begin(), text.end(), caught), end; at != end; ++at) {
            ++blocks;
            const std::string type = std::regex_replace((*at)[1].str(), std::regex("const |&.*"), "");
            const auto begin = static_cast<std::size_t>(at->position() + at->length());
            auto last = begin;
            for (int depth = 1; depth > 0; ++last)
                depth += text[last] == '{' ? 1 : text[last] == '}' ? -1 : 0;
            if (type != "Stopped" && !std::regex_search(text.substr(begin, last - begin), handled))
                found.insert(entry.path().lexically_relative(sourceRoot()).generic_string() + ": " + type);
        }
    }
    REQUIRE(blocks > 80);
    CHECK(found == others);
}

TEST_CASE("no file name is in two rooms", "[unit]") {
    std::map<std::string, std::string> folders;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sourceRoot())) {
        const auto extension = entry.path().extension();
        if (extension != ".cpp" && extension != ".h") continue;
        const auto folder = entry.path().parent_path().lexically_relative(sourceRoot()).generic_string();
        const auto& known = folders.try_emplace(entry.path().stem().string(), folder).first->second;
        INFO(entry.path() << " and one in " << known);
        REQUIRE(folder == known);
    }
    REQUIRE(folders.size() > 100);
}

// CMake's lists end at semicolons: such a test would be two that never run, and pass. Catch2 takes a name
// that begins with a hyphen for an option.
TEST_CASE("no test's name has a semicolon or begins with a hyphen", "[unit]") {
    static const std::regex pattern(R"re(^TEST_CASE\("(-|[^"]*;))re");
    int names = 0;
    const auto root = earshot::test::sourceDirectory() / "Tests";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".cpp") continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with("TEST_CASE(")) ++names;
            INFO(entry.path() << ": " << line);
            REQUIRE_FALSE(std::regex_search(line, pattern));
        }
    }
    REQUIRE(names > 100);
}

TEST_CASE("tests are selected by programs and tags, never by words of their titles", "[unit]") {
    const std::set<std::string> programs = {
        "NOT_BUILT", "_runs$", "^failures: ", "^slurm: ", "^soak: ", "^cli:", "^library:", "^ui:", "^rtsan"};
    std::ifstream file(earshot::test::sourceDirectory() / "CMakePresets.json");
    const auto presets = nlohmann::json::parse(file).at("testPresets");
    int selections = 0;
    for (const auto& preset : presets)
        for (const char* const kind : {"include", "exclude"}) {
            const nlohmann::json::json_pointer name("/filter/" + std::string(kind) + "/name");
            if (!preset.contains(name)) continue;
            ++selections;
            std::istringstream parts(preset.at(name).get<std::string>());
            for (std::string part; std::getline(parts, part, '|');) {
                INFO(preset.at("name") << " selects " << part);
                REQUIRE(programs.count(part) == 1);
            }
        }
    REQUIRE(selections > 4);
}

TEST_CASE("each tag that keeps a test from a configuration is known there, and has tests", "[unit]") {
    static const std::regex tag(R"re(\[((?:no-|file-limit)[a-z]*)\])re");
    const auto root = earshot::test::sourceDirectory() / "Tests";
    const auto tagsOf = [](const std::filesystem::path& path, const std::string& start) {
        std::set<std::string> tags;
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);)
            if (line.find(start) != std::string::npos)
                for (std::sregex_iterator at(line.begin(), line.end(), tag), end; at != end; ++at)
                    tags.insert((*at)[1]);
        return tags;
    };
    std::set<std::string> used;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
        if (entry.path().extension() == ".cpp") used.merge(tagsOf(entry.path(), "\"["));
    REQUIRE(used.size() == 4);
    REQUIRE(used == tagsOf(root / "CMakeLists.txt", "EARSHOT_TEST_SPEC"));
}

// ThreadSanitizer takes files by it; it has all of streams and batches.
TEST_CASE("tests of the engine that start threads have the tag for it", "[unit]") {
    int tagged = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(earshot::test::sourceDirectory() / "Tests" / "Core")) {
        const auto room = entry.path().parent_path().filename();
        if (entry.path().extension() != ".cpp" || room == "Streaming" || room == "Batch") continue;
        std::ifstream file(entry.path());
        std::ostringstream text;
        text << file.rdbuf();
        const bool has = text.str().find("[threads"
                                         "]") != std::string::npos;
        tagged += has ? 1 : 0;
        INFO(entry.path());
        REQUIRE((has || text.str().find("std::thr"
                                        "ead") == std::string::npos));
    }
    REQUIRE(tagged > 20);
}
