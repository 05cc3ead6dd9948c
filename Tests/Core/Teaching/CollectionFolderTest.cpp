// A collection's folder: what others write to it, and what cannot be written.
#include "Core/Base/Error.h"
#include "Core/Base/WholeFile.h"
#include "Core/Teaching/Collection.h"
#include "Core/Teaching/CollectionTools.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"
#include "Support/Skip.h"
#include "Support/Unprivileged.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

using namespace earshot;
using teaching::Collection;
using teaching::Example;
using test::addTo;
using test::appendRows;
using test::filesIn;
using test::labelsOf;
using test::Marked;
using test::touchClip;
using test::trainingData;
namespace fs = std::filesystem;

namespace {

std::string failureOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("what others wrote to the CSV stays, byte for byte", "[unit]") {
    const test::TemporaryDirectory folder;
    touchClip(folder / "a.wav");
    touchClip(folder / "b.wav");
    const std::string before = "\xef\xbb\xbf# made by hand\r\n"
                               "Label , FILE,rating,onset,offset\r\n"
                               "Dog,a.wav,\"5, of 5\",,\r\n"
                               "\r\n"
                               "# half a row\r\n"
                               "Cat,missing.wav,\"two\r\nlines\",0.5,1\r\n"
                               "Cat,b.wav,3,one,two\r\n"
                               "Dog;Cat,b.wav,4,0.1,0.2\r\n"
                               ",,,,\r\n"
                               "Cat,a.wav,1,,";
    test::writeBytes(folder / "examples.csv", before);
    Collection collection(folder.path());
    REQUIRE(collection.examples().size() == 4);
    CHECK(collection.examples()[0].label == "Dog");
    CHECK_FALSE(collection.examples()[0].onset);
    CHECK(collection.examples()[1].label == "Dog");
    CHECK(collection.examples()[2].label == "Cat");
    CHECK(collection.examples()[2].onset == 0.1);
    CHECK(collection.examples()[3].file == folder / "a.wav");
    REQUIRE(collection.problems().size() == 3);
    CHECK_THAT(collection.problems()[0].what, ContainsSubstring("no file missing.wav"));
    CHECK(collection.problems()[0].where == "examples.csv, line 6");
    CHECK_THAT(collection.problems()[1].what, ContainsSubstring("must be seconds"));
    CHECK(collection.problems()[1].where == "examples.csv, line 8");
    CHECK_THAT(collection.problems()[2].what, ContainsSubstring("names no file"));

    addTo(collection, "Bird");
    const std::string after = test::readBytes(folder / "examples.csv");
    const auto headerEnd = before.find(",offset\r") + 7, newHeaderEnd = after.find(",not_offset\r") + 11;
    CHECK(after.substr(0, newHeaderEnd) ==
          before.substr(0, headerEnd) + ",group,source_type,licence,author,not,not_onset,not_offset");
    CHECK(after.substr(newHeaderEnd, before.size() - headerEnd) == before.substr(headerEnd));
    CHECK(after.substr(newHeaderEnd + before.size() - headerEnd).starts_with("\r\nBird,clips/bird-20"));
    CHECK(after.ends_with("\r\n"));
    CHECK(Collection(folder.path()).examples().size() == 5);
    CHECK(trainingData(collection).labels == std::vector<std::string>{"Bird", "Cat", "Dog"});

    // A row that changes keeps its other fields, and the others keep their bytes.
    collection.rename("Dog", "Hound");
    const std::string renamed = test::readBytes(folder / "examples.csv");
    CHECK_THAT(renamed,
               ContainsSubstring("\r\nHound,a.wav,\"5, of 5\",,\r\n\r\n# half a row\r\nCat,missing.wav,"
                                 "\"two\r\nlines\",0.5,1\r\nCat,b.wav,3,one,two\r\n\"Hound;Cat\",b.wav,4,0."
                                 "1,0.2\r\n,,,,\r\nCat,a.wav,1,,\r\nBird,"));
    collection.forget("Hound");
    const std::string forgotten = test::readBytes(folder / "examples.csv");
    CHECK_THAT(forgotten,
               ContainsSubstring("not_offset\r\n\r\n# half a row\r\nCat,missing.wav,\"two\r\nlines\",0.5,1"
                                 "\r\nCat,b.wav,3,one,two\r\nCat,b.wav,4,0.1,0.2\r\n,,,,\r\nCat,a.wav,1"));
    CHECK(fs::exists(folder / "a.wav")); // the cat is still heard in it
}

TEST_CASE("examples have their times in a table of analyze too, and new ones are added to it", "[unit]") {
    const test::TemporaryDirectory folder;
    touchClip(folder / "a.wav");
    test::writeBytes(folder / "examples.csv", "file,onset_s,offset_s,label\na.wav,0.1,0.2,Dog\n");
    Collection collection(folder.path());
    const auto fingerprint = collection.fingerprint();
    addTo(collection, "Bird");
    CHECK_THAT(test::readBytes(folder / "examples.csv"),
               Catch::Matchers::StartsWith("file,onset_s,offset_s,label,group,"));
    REQUIRE(collection.examples().size() == 2);
    CHECK(collection.examples()[0].onset == 0.1);
    CHECK(collection.examples()[1].onset == 0.25);
    for (const auto& clip : trainingData(collection).clips) CHECK(clip.spans.size() == 1);
    collection.forget("Bird");
    CHECK(collection.fingerprint() == fingerprint);
    test::writeBytes(folder / "examples.csv", "file,onset_s,offset_s,label\na.wav,0.15,0.2,Dog\n");
    collection.reload();
    CHECK(collection.fingerprint() != fingerprint);
}

TEST_CASE("a file that is no CSV of examples is an error with advice, and stays", "[unit]") {
    const test::TemporaryDirectory folder;
    const Marked marked("Dog");
    for (const std::string& text : {std::string("hello\n"), std::string("file;onset;offset\n"),
                                    std::string("label,onset\nDog,1\n"), std::string("f\0i\0l\0e\0", 8)}) {
        test::writeBytes(folder / "examples.csv", text);
        CHECK_THAT(failureOf([&] { Collection{folder.path()}; }), ContainsSubstring("examples.csv"));
    }
    test::writeBytes(folder / "examples.csv", "");
    CHECK(Collection(folder.path()).examples().empty());
    test::writeBytes(folder / "examples.csv", "\n# nothing yet");
    Collection collection(folder.path());
    collection.add(marked.example);
    CHECK(test::readBytes(folder / "examples.csv").starts_with("\n# nothing yet\nfile,onset,"));
    CHECK(Collection(folder.path()).examples().size() == 1);

    // A new row behind an open quotation mark would be lost.
    const std::string open = "file,label\nclips/x.flac,\"Dog\nmore\n";
    test::writeBytes(folder / "examples.csv", open);
    collection.reload();
    const std::size_t clips = filesIn(folder / "clips");
    CHECK_THROWS_WITH(collection.add(marked.example), ContainsSubstring("quotation mark"));
    CHECK(test::readBytes(folder / "examples.csv") == open);
    CHECK(filesIn(folder / "clips") == clips);

    test::writeBytes(folder / "examples.csv", "");
    fs::resize_file(folder / "examples.csv", (std::uintmax_t{64} << 20) + 1);
    CHECK_THAT(failureOf([&] { Collection{folder.path()}; }), ContainsSubstring("too large"));
}

TEST_CASE("collections of one folder lose no row of each other", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    constexpr int each = 8;
    std::atomic<int> failed = 0;
    std::vector<std::thread> writers;
    writers.reserve(3);
    for (int i = 0; i < 3; ++i)
        writers.emplace_back([&, i] {
            try {
                Collection collection(folder.path());
                for (int k = 0; k < each; ++k) addTo(collection, "sound " + std::to_string(i));
            } catch (const std::exception&) {
                ++failed;
            }
        });
    for (auto& writer : writers) writer.join();
    REQUIRE(failed == 0);
    Collection one(folder.path()), two(folder.path());
    CHECK(one.examples().size() == 3 * each);
    CHECK(one.problems().empty());
    CHECK(filesIn(folder / "clips") == 3 * each);
    // And each sees what the other did before it changes anything.
    one.rename("sound 0", "Dog");
    two.forget("sound 1");
    CHECK(labelsOf(two) == std::set<std::string>{"Dog", "sound 2"});
    CHECK_THROWS_WITH(one.forget("sound 1"), ContainsSubstring("has no class"));
    one.reload();
    CHECK(one.fingerprint() == two.fingerprint());
}

TEST_CASE("a clip that is missing is listed, and its row stays", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    const Example first = addTo(collection, "Dog");
    addTo(collection, "Dog");
    const std::string before = test::readBytes(collection.table());
    const std::string whole = collection.fingerprint();
    fs::rename(first.file, folder / "away.flac");
    collection.reload();
    CHECK(collection.examples().size() == 1);
    REQUIRE(collection.problems().size() == 1);
    CHECK_THAT(collection.problems()[0].what, ContainsSubstring(first.file.filename().string()));
    CHECK(collection.fingerprint() != whole);
    addTo(collection, "Cat");
    CHECK(test::readBytes(collection.table()).starts_with(before));
    fs::rename(folder / "away.flac", first.file);
    collection.reload();
    CHECK(collection.examples().size() == 3);
    CHECK(collection.problems().empty());
}

TEST_CASE("a folder that cannot be written gives a clear error and stays as it was", "[unit]") {
    const test::TemporaryDirectory folder;
    fs::create_directories(folder / "mine");
    Collection(folder / "mine").add(Marked("Dog").example);
    const auto before = test::contents(folder.path());
    fs::permissions(folder.path(), fs::perms(0755));
    for (const char* place : {"mine", "mine/clips"}) fs::permissions(folder / place, fs::perms(0555));
    {
        const test::Unprivileged user;
        if (!user.holds()) return test::skip("root cannot become another user here");
        Collection collection(folder / "mine");
        CHECK(collection.examples().size() == 1);
        for (const auto& action : std::vector<std::function<void()>>{[&] { addTo(collection, "Dog"); },
                                                                     [&] { collection.rename("Dog", "Cat"); },
                                                                     [&] { collection.forget("Dog"); }})
            CHECK_THAT(failureOf(action), ContainsSubstring("cannot be written (Permission denied)") &&
                                              ContainsSubstring("choose a folder that can be written"));
        CHECK(collection.examples().size() == 1);
        Collection below(folder.path() / "mine" / "deeper");
        CHECK_THROWS_AS(addTo(below, "Dog"), WriteError);
        CHECK(below.examples().empty());
    }
    for (const char* place : {"mine", "mine/clips"}) fs::permissions(folder / place, fs::perms::owner_all);
    CHECK(test::changes(test::contents(folder.path()), before).empty());
}

TEST_CASE("a disk without room leaves neither a clip without a row nor a row without a clip",
          "[unit][file-limit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    addTo(collection, "Dog");
    appendRows(collection, "#" + std::string(200'000, 'x') + "\n");
    const auto before = test::contents(folder.path());
    // A limit to file sizes stands in for the full disk: first the clip is too large, then the CSV alone.
    auto* const previous = std::signal(SIGXFSZ, SIG_IGN);
    rlimit usual{};
    getrlimit(RLIMIT_FSIZE, &usual);
    for (const rlim_t most : {1000u, 100'000u}) {
        rlimit limit = usual;
        limit.rlim_cur = most;
        setrlimit(RLIMIT_FSIZE, &limit);
        const std::string why = failureOf([&] { addTo(collection, "Dog"); });
        setrlimit(RLIMIT_FSIZE, &usual);
        CHECK_THAT(why, ContainsSubstring("cannot be written") && ContainsSubstring("make room"));
        CHECK(test::changes(test::contents(folder.path()), before).empty());
        CHECK(collection.examples().size() == 1);
    }
    std::signal(SIGXFSZ, previous);
    addTo(collection, "Dog");
    CHECK(collection.examples().size() == 2);
}

TEST_CASE("a table with semicolons and decimal commas is a collection, and stays one", "[unit]") {
    const test::TemporaryDirectory folder;
    touchClip(folder / "gru\xcc\x88n.wav");
    const std::string table = "file;onset;offset;label\r\ngr\xc3\xbcn.wav;-0,004;0,25;Dog\r\n";
    test::writeBytes(folder / "examples.csv", table);
    Collection collection(folder.path());
    CHECK(collection.problems().empty());
    REQUIRE(collection.examples().size() == 1);
    CHECK(collection.examples()[0].onset == 0.0);
    CHECK(collection.examples()[0].offset == 0.25);
    CHECK(fs::exists(collection.examples()[0].file));
    addTo(collection, "Cat");
    const std::string written = test::readBytes(folder / "examples.csv");
    CHECK(written.starts_with("file;onset;offset;label;group;"));
    CHECK_THAT(written, ContainsSubstring("\r\ngr\xc3\xbcn.wav;-0,004;0,25;Dog\r\n"));
    CHECK(Collection(folder.path()).examples().size() == 2);
    CHECK(trainingData(collection).labels == std::vector<std::string>{"Cat", "Dog"});
}

TEST_CASE("a row whose quotation mark stays open is listed with its line", "[unit]") {
    const test::TemporaryDirectory folder;
    touchClip(folder / "a.wav");
    test::writeBytes(folder / "examples.csv", "file,label\na.wav,Dog\na.wav,\"Cat\na.wav,Hen\n");
    const Collection collection(folder.path());
    CHECK(collection.examples().size() == 1);
    REQUIRE(collection.problems().size() == 1);
    CHECK(collection.problems()[0].where == "examples.csv, line 3");
    CHECK_THAT(collection.problems()[0].what, ContainsSubstring("quotation mark"));
}

TEST_CASE("the sounds of a table of labels are added with their times", "[unit]") {
    const test::TemporaryDirectory folder;
    touchClip(folder / "field/a.wav");
    touchClip(folder / "field/b.wav");
    test::writeBytes(folder / "field/a.txt", "0.1\t0.2\tWren\n0.3\t0.4\tRobin\n");
    test::writeBytes(folder / "field/meta.csv",
                     "INDIR,FOLDER,IN FILE,OFFSET,DURATION,MANUAL ID\n,,b.wav,0,0.25,wren\n");
    Collection collection(folder / "mine");
    CHECK(collection.addFolder(folder / "field/meta.csv") == 1);
    CHECK(collection.addFolder(folder / "field") == 1); // a.wav, by its label track
    CHECK(collection.addFolder(folder / "field/a.txt") == 0);
    REQUIRE(collection.examples().size() == 3);
    CHECK(collection.examples()[0].label == "wren");
    CHECK(collection.examples()[0].offset == 0.25);
    CHECK(collection.examples()[1].label == "wren");
    CHECK(collection.examples()[1].onset == 0.1);
    CHECK(collection.examples()[2].label == "Robin");
}
