#include "Core/Batch/Inputs.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Skip.h"
#include "Support/Unprivileged.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

// Empty files: nothing is opened here.
class Archive {
  public:
    explicit Archive(const std::vector<std::string>& files) {
        for (const std::string& file : files) add(file);
    }
    void add(const std::string& file) {
        fs::create_directories((folder_ / file).parent_path());
        std::ofstream(folder_ / file).put('x');
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string path() const { return folder_.path().string(); }

  private:
    test::TemporaryDirectory folder_;
};

using Names = std::vector<std::string>;

Names namesOf(const std::vector<batch::Input>& inputs) {
    Names names;
    for (const auto& input : inputs) names.push_back(input.name);
    return names;
}

Names find(const Names& arguments, const Names& listed = {}) {
    return namesOf(batch::findInputs(arguments, listed).recordings);
}

} // namespace

TEST_CASE("a folder's recordings are found at any depth, sorted by bytes, without what is hidden", "[unit]") {
    Archive archive({"b.wav", "a/z.flac", "B.WAV", "a b.wav", "a/.hidden.wav", ".secret/x.wav", "notes.txt",
                     "a/deep/er/x.ogg", "M\xc3\xb6we.wav", "cover.jpg", "noextension", ".wav"});
    for (const std::string deleted :
         {"$RECYCLE.BIN", "RECYCLER", "System Volume Information", "a/lost+found", ".Trash-1000"})
        archive.add(deleted + "/x.wav");
    const Names expected = {"B.WAV", "M\xc3\xb6we.wav", "a b.wav", "a/deep/er/x.ogg", "a/z.flac", "b.wav"};
    CHECK(find({archive.path()}) == expected);
    CHECK(find({archive.path() + "/"}) == expected);
    CHECK(find({archive.path("RECYCLER")}) == Names{"x.wav"}); // who names it wants it
}

TEST_CASE("recordings are found in whatever Unicode spelling a list has", "[unit]") {
    const Archive archive({"Mo\xcc\x88we/e\xcc\x81.wav"});
    const Names expected = {"e\xcc\x81.wav"};
    CHECK(find({}, {archive.path("M\xc3\xb6we/\xc3\xa9.wav")}) == expected);
    CHECK(find({archive.path("M\xc3\xb6we/\xc3\xa9.wav")}) == expected);
    CHECK(find({archive.path("M\xc3\xb6we")}) == expected);
}

TEST_CASE("a file reached twice comes once, and links that go round end", "[unit]") {
    const Archive archive({"x/a.wav", "y/b.wav"});
    fs::create_directory_symlink("..", archive.path("x/up"));
    fs::create_directory_symlink(archive.path("y"), archive.path("x/to y"));
    fs::create_symlink(archive.path("x/a.wav"), archive.path("y/same.wav"));
    CHECK(find({archive.path()}).size() == 2);
    CHECK(find({archive.path(), archive.path("x/a.wav"), archive.path("x")}).size() == 2);
    CHECK(find({archive.path("x/a.wav"), archive.path("x/./a.wav"), archive.path("x/../x/a.wav")}) ==
          Names{"a.wav"});
}

TEST_CASE("names are paths below the folder that all inputs have in common", "[unit]") {
    const Archive archive({"p/1/a.wav", "p/2/a.wav", "q/a.wav", "q/a.flac"});
    CHECK(find({archive.path("q")}) == Names{"a.flac", "a.wav"});
    CHECK(find({archive.path("q/a.wav")}) == Names{"a.wav"});
    CHECK(find({archive.path("p/1"), archive.path("p/2")}) == Names{"1/a.wav", "2/a.wav"});
    CHECK(find({archive.path("p/2/a.wav"), archive.path("q/a.wav"), archive.path("p/1/a.wav")}) ==
          Names{"p/2/a.wav", "q/a.wav", "p/1/a.wav"});
    // Names tell all recordings apart.
    auto names = find({archive.path("p"), archive.path("q")});
    std::ranges::sort(names);
    CHECK(std::ranges::adjacent_find(names) == names.end());
    CHECK(names.size() == 4);
}

TEST_CASE("globs find what a shell would, and ** crosses folders", "[unit]") {
    const Archive archive({"n1.wav", "n2.wav", "n3.flac", "x/n1.wav", "x/y/n1.wav", "x/y/n2.wav", "x/n.txt",
                           "take [1].wav", ".h.wav"});
    CHECK(find({archive.path("*.wav")}) == Names{"n1.wav", "n2.wav", "take [1].wav"});
    CHECK(find({archive.path("n?.wav")}) == Names{"n1.wav", "n2.wav"});
    CHECK(find({archive.path("n[23].*")}) == Names{"n2.wav", "n3.flac"});
    CHECK(find({archive.path("n[!2-9].*")}) == Names{"n1.wav"});
    CHECK(find({archive.path("*[1-2]*.w*v")}) == Names{"n1.wav", "n2.wav", "take [1].wav"});
    CHECK(find({archive.path("* \\[?\\].wav")}) == Names{"take [1].wav"});
    CHECK(find({archive.path("**/n1.wav")}) == Names{"n1.wav", "x/n1.wav", "x/y/n1.wav"});
    CHECK(find({archive.path("x/**/*.wav")}) == Names{"n1.wav", "y/n1.wav", "y/n2.wav"});
    CHECK(find({archive.path("*/y")}) == Names{"x/y/n1.wav", "x/y/n2.wav"});
    // Kinds of files that are no recordings only where the pattern says so.
    CHECK(find({archive.path("x/n*")}) == Names{"n1.wav"});
    CHECK(find({archive.path("x/*.txt")}) == Names{"n.txt"});
    // A file that is there is no pattern.
    CHECK(find({archive.path("take [1].wav")}) == Names{"take [1].wav"});
    CHECK_THROWS_WITH(find({archive.path("*.mp3")}), ContainsSubstring("*.mp3"));
}

TEST_CASE("a folder without recordings is an error, a file that is missing is left to its opener", "[unit]") {
    const Archive archive({"docs/a.txt", "a.wav"});
    CHECK_THROWS_WITH(find({archive.path("a.wav"), archive.path("docs")}),
                      ContainsSubstring("docs") && ContainsSubstring("no audio files"));
    CHECK(find({archive.path("gone.wav"), archive.path("a.wav")}) == Names{"gone.wav", "a.wav"});
}

TEST_CASE("pipes in a folder are passed by, links that lead nowhere are not", "[unit]") {
    const Archive archive({"a.wav"});
    REQUIRE(::mkfifo(archive.path("pipe.wav").c_str(), 0600) == 0);
    fs::create_symlink("nowhere", archive.path("lost.wav"));
    CHECK(find({archive.path()}) == Names{"a.wav", "lost.wav"});
}

TEST_CASE("a folder that cannot be read is a problem of its own", "[unit]") {
    const Archive archive({"a.wav", "closed/b.wav"});
    fs::permissions(archive.path("closed"), fs::perms::none);
    fs::permissions(archive.path(), fs::perms(0755));
    std::vector<batch::Input> inputs;
    {
        const test::Unprivileged user;
        if (!user.holds()) return test::skip("root cannot become another user here");
        inputs = batch::findInputs(Names{archive.path()}).recordings;
    }
    fs::permissions(archive.path("closed"), fs::perms::owner_all);
    REQUIRE(inputs.size() == 2);
    CHECK(inputs[1].name == "closed");
    CHECK(inputs[1].problem.has_value());
}

TEST_CASE("lists are read line by line, as people and programs write them", "[unit]") {
    std::istringstream text("\xef\xbb\xbf# recordings\r\na.wav\r\n\r\n b.wav \n\n#c.wav\n*.wav\nlast.wav");
    CHECK(batch::readList(text, "list") == Names{"a.wav", " b.wav ", "*.wav", "last.wav"});
    std::istringstream empty("");
    CHECK(batch::readList(empty, "list").empty());
    for (const std::string mark : {"\xff\xfe", "\xfe\xff"}) { // as PowerShell writes
        std::istringstream wide(mark + "a.wav");
        CHECK_THROWS_WITH(batch::readList(wide, "list"), ContainsSubstring("list: is in UTF-16; "));
    }
    const Archive archive({"a.wav", "x/b.wav"});
    // A recording may begin like a comment.
    const std::string numbered = "#" + std::to_string(::getpid()) + ".wav";
    std::istringstream comment(numbered);
    CHECK(batch::readList(comment, "list").empty());
    std::ofstream(numbered).put('x');
    std::istringstream recording(numbered);
    CHECK(batch::readList(recording, "list") == Names{numbered});
    fs::remove(numbered);
    // Folders in a list are searched; patterns are names.
    CHECK(find({}, {archive.path("x"), archive.path("a.wav"), archive.path("*.wav")}) ==
          Names{"x/b.wav", "a.wav", "*.wav"});
}

TEST_CASE("names are relative to a folder that is given, if all recordings lie below it", "[unit]") {
    const Archive archive({"n1/a.wav", "n2/b.wav", "n2/c.wav"});
    const auto find = [&](const Names& arguments, const batch::Bases& bases) {
        const auto found = batch::findInputs(arguments, {}, bases);
        CHECK(found.base / found.recordings.front().name == found.recordings.front().path);
        return namesOf(found.recordings);
    };
    const fs::path whole = archive.path(), first = archive.path("n1");
    const Names second = {archive.path("n2")};
    CHECK(find(second, {}) == Names{"b.wav", "c.wav"});
    CHECK(find(second, {.wanted = whole, .earlier = {}}) == Names{"n2/b.wav", "n2/c.wav"});
    CHECK(find(second, {.wanted = whole / "", .earlier = {first}}) == Names{"n2/b.wav", "n2/c.wav"});
    CHECK(find(second, {.wanted = {}, .earlier = {first, whole}}) == Names{"n2/b.wav", "n2/c.wav"});
    CHECK(find(second, {.wanted = {}, .earlier = {first}}) == Names{"b.wav", "c.wav"});
    CHECK_THROWS_WITH(find(second, {.wanted = first, .earlier = {}}),
                      ContainsSubstring("n2") && ContainsSubstring("does not lie below"));
    fs::rename(first, whole / "away");
    for (const batch::Bases& bases :
         {batch::Bases{.wanted = first, .earlier = {}}, batch::Bases{.wanted = {}, .earlier = {first}}})
        CHECK_THROWS_WITH(find({first.string()}, bases), ContainsSubstring("is gone"));
}

TEST_CASE("standard input is no file", "[unit]") {
    Archive archive({"a.wav"});
    const auto inputs = batch::findInputs(Names{"-", archive.path("a.wav"), "-"}).recordings;
    REQUIRE(inputs.size() == 2);
    CHECK(inputs[0].path == "-");
    CHECK(inputs[0].isStandardInput());
    CHECK(inputs[1].name == "a.wav");
    // A file may have its name.
    archive.add("-");
    for (const auto& [arguments, listed] :
         {std::pair(Names{archive.path("-")}, Names{}), std::pair(Names{"./-"}, Names{}),
          std::pair(Names{}, Names{"-"})}) {
        const auto files = batch::findInputs(arguments, listed).recordings;
        REQUIRE(files.size() == 1);
        CHECK(files[0].name == "-");
        CHECK_FALSE(files[0].isStandardInput());
    }
}
