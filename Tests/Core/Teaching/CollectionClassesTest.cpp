// The classes of a collection: their names, and what is done to all examples of one.
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Teaching/Collection.h"
#include "Core/Teaching/CollectionTools.h"
#include "Core/Training/Data/DataSet.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace earshot;
using teaching::Collection;
using teaching::Example;
using test::addTo;
using test::appendRows;
using test::filesIn;
using test::labelsOf;
using test::touchClip;
using test::trainingData;
namespace fs = std::filesystem;

TEST_CASE("names are checked, and the reason is a sentence", "[unit]") {
    using teaching::validName;
    for (const std::string name :
         {"a", "Creaky door", "  Dog ", "../x", "=1+1", "a,b", "a\"b", "#1", "-", "Tür", "犬", "\U0001F415",
          "\U0001F468\u200D\U0001F469\u200D\U0001F467", "CON", "."})
        CHECK(validName(name).empty());
    CHECK(validName(std::string(100, 'x')).empty());
    for (const std::string name :
         {"", "  ", "_other", " _x", "a;b", "a\nb", "a\tb", "\xff", "a\u202Eb", "\u200B"})
        CHECK(validName(name).ends_with("."));
    CHECK_THAT(validName(std::string(101, 'x')), ContainsSubstring("too long"));
    std::string wide; // 80 characters of three bytes: training would shorten it
    for (int i = 0; i < 80; ++i) wide += "犬";
    CHECK_THAT(validName(wide), ContainsSubstring("too long"));
}

TEST_CASE("labels of any kind come back, here and in training, and make names of any system", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    const std::vector<std::string> labels = {
        "../x",    "=1+1", "a,b", "'=x",    "#hash",      "a\"b\"",   "\U0001F415\U0001F415", "CON",
        "nul.txt", "-",    "...", "Tür zu", "犬の鳴き声", "C:\\x|y?", std::string(100, 'x'),  "+",
        "@me"};
    for (const auto& label : labels) {
        CAPTURE(label);
        const Example added = addTo(collection, label);
        CHECK(added.label == label);
        CHECK(added.file.parent_path() == folder.path() / "clips");
        const std::string name = added.file.filename().string();
        CHECK(name.find_first_of("\\/:*?\"<>|,;=' ") == std::string::npos);
        CHECK(std::ranges::count(name, '.') == 1);
        CHECK(name.size() <= 100);
        CHECK(validUtf8(name) == name);
        CHECK(fs::is_regular_file(added.file));
    }
    CHECK(filesIn(folder.path() / "clips") == labels.size());
    CHECK(filesIn(folder.path()) == 3);
    CHECK(Collection(folder.path()).problems().empty());
    CHECK(labelsOf(Collection(folder.path())) == std::set<std::string>(labels.begin(), labels.end()));
    const auto data = trainingData(collection);
    CHECK(data.problems.empty());
    CHECK(data.clips.size() == labels.size());
    CHECK(std::set<std::string>(data.labels.begin(), data.labels.end()) ==
          std::set<std::string>(labels.begin(), labels.end()));
}

TEST_CASE("renaming changes labels and what counter-examples are against, and no clip", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    addTo(collection, "Dog");
    addTo(collection, "", "Dog");
    addTo(collection, "Cat");
    const auto clips = test::names(test::contents(folder / "clips"));
    const std::string before = collection.fingerprint();
    CHECK_THROWS_WITH(collection.rename("Dog", "_x"), ContainsSubstring("begin with _"));
    CHECK_THROWS_WITH(collection.rename("Cow", "Dog"), ContainsSubstring("has no class \"Cow\""));
    CHECK_THROWS_AS(collection.rename("", "Dog"), Error);
    CHECK(collection.fingerprint() == before);
    collection.rename("Dog", " =Hound ");
    CHECK(labelsOf(collection) == std::set<std::string>{"", "=Hound", "Cat"});
    CHECK(collection.examples()[1].against == "=Hound");
    CHECK(collection.fingerprint() != before);
    collection.rename("=Hound", "=HOUND");
    CHECK(labelsOf(collection) == std::set<std::string>{"", "=HOUND", "Cat"});
    collection.rename("=HOUND", "cat"); // unites the two
    CHECK(labelsOf(collection) == std::set<std::string>{"", "Cat"});
    CHECK(collection.examples()[1].against == "Cat");
    CHECK(test::names(test::contents(folder / "clips")) == clips);
    CHECK(collection.problems().empty());
}

TEST_CASE("forgetting a class moves its clips, and deletes nothing", "[unit]") {
    const test::TemporaryDirectory folder;
    touchClip(folder / "elsewhere.wav");
    Collection collection(folder.path() / "mine");
    const Example dog = addTo(collection, "Dog");
    const Example notDog = addTo(collection, "", "Dog");
    const Example cat = addTo(collection, "Cat");
    fs::create_directories(collection.folder() / "forgotten");
    test::writeBytes(collection.folder() / "forgotten" / dog.file.filename(), "of before");
    // Rows of others: a clip outside, one that a second class has too, the folder itself, and the CSV.
    appendRows(collection,
               folder.path().generic_string() + "/elsewhere.wav,,,Dog\n../elsewhere.wav,,,dog\nclips/" +
                   cat.file.filename().string() + ",0.8,0.9,Dog\n.,,,Dog\nexamples.csv,,,Dog\n,,,Dog\n");
    const std::string bytes = test::readBytes(dog.file);
    collection.reload();
    collection.forget("DOG");
    CHECK(labelsOf(collection) == std::set<std::string>{"Cat"});
    CHECK(collection.examples().size() == 1);
    CHECK(collection.problems().empty());
    CHECK(fs::exists(cat.file));
    CHECK(fs::exists(folder / "elsewhere.wav"));
    CHECK(fs::exists(collection.table()));
    CHECK_FALSE(fs::exists(dog.file));
    CHECK_FALSE(fs::exists(notDog.file));
    const auto forgotten = collection.folder() / "forgotten";
    CHECK(filesIn(forgotten) == 3);
    CHECK(test::readBytes(forgotten / dog.file.filename()) == "of before");
    CHECK(test::readBytes(forgotten / (dog.file.stem().string() + "-1.flac")) == bytes);
    CHECK(fs::exists(forgotten / notDog.file.filename()));
    // A class can be taught again.
    addTo(collection, "Dog");
    CHECK(labelsOf(collection) == std::set<std::string>{"Cat", "Dog"});
}

TEST_CASE("a forgotten clip whose name leaves no room for a number stays, and is an error", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path() / "mine");
    addTo(collection, "Dog");
    const std::string name = std::string(250, 'x') + ".wav"; // "-1" is too much
    touchClip(collection.folder() / "clips" / name);
    appendRows(collection, "clips/" + name + ",,,Cat\n");
    fs::create_directories(collection.folder() / "forgotten");
    test::writeBytes(collection.folder() / "forgotten" / name, "of before");
    CHECK_THROWS_WITH(collection.forget("Cat"), ContainsSubstring("cannot be written"));
    CHECK(fs::exists(collection.folder() / "clips" / name));
    CHECK(test::readBytes(collection.folder() / "forgotten" / name) == "of before");
    addTo(collection, "Dog"); // nothing is locked
    CHECK(labelsOf(collection) == std::set<std::string>{"Dog"});
}

TEST_CASE("summaries count examples, seconds and groups of each class", "[unit]") {
    const test::TemporaryDirectory folder;
    touchClip(folder / "half a second.wav");
    test::writeBytes(folder / "broken.wav", "no audio");
    Collection collection(folder.path());
    addTo(collection, "Dog", "", "street");
    addTo(collection, "Dog", "", "street");
    addTo(collection, "Dog", "", "yard");
    addTo(collection, "", "Dog", "kitchen");
    addTo(collection, "", "Bird");
    appendRows(collection, "half a second.wav,,,Cat\nbroken.wav,,,Cat\n"
                           "half a second.wav,,,Dog,,background\n");
    collection.reload();
    for (int round = 0; round < 2; ++round) { // the second time from what was read
        const auto summaries = collection.summaries();
        REQUIRE(summaries.size() == 3);
        CHECK(summaries[0].label == "Bird");
        CHECK(summaries[0].examples == 0);
        CHECK(summaries[0].counterExamples == 1);
        CHECK(summaries[0].groups == 0);
        CHECK(summaries[1].label == "Cat");
        CHECK(summaries[1].examples == 2);
        CHECK(summaries[1].seconds == Approx(0.5));
        CHECK(summaries[1].groups == 2);
        CHECK(summaries[2].label == "Dog");
        CHECK(summaries[2].examples == 3);
        CHECK(summaries[2].counterExamples == 1);
        CHECK(summaries[2].seconds == Approx(1.5));
        CHECK(summaries[2].groups == 2);
    }
}

TEST_CASE("a folder of class folders makes a collection, where its clips lie", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const char* name : {"Dog/a.wav", "Dog/deep/b.wav", "Cat/c.wav", "_other/d.wav", "_background/e.wav",
                             "_rooms/f.wav", "_x/g.wav", "a;b/h.wav"})
        touchClip(folder.path() / "library" / name);
    const auto library = folder / "library";
    const auto before = test::contents(library);

    Collection apart(folder / "mine");
    CHECK(apart.addFolder(library) == 6);
    REQUIRE(apart.problems().size() == 2);
    CHECK(apart.examples().size() == 4);
    CHECK(labelsOf(apart) == std::set<std::string>{"", "Cat", "Dog"});
    for (const auto& example : apart.examples()) {
        CHECK(example.file.is_absolute());
        CHECK_FALSE(example.onset);
    }
    CHECK(filesIn(folder / "mine") == 2); // examples.csv and .lock
    CHECK(test::changes(test::contents(library), before).empty());
    const auto data = trainingData(apart);
    CHECK(data.labels == std::vector<std::string>{"Cat", "Dog"});
    CHECK(data.clips.size() == 6);
    CHECK(std::ranges::count(data.clips, training::ClipKind::background, &training::Clip::kind) == 1);
    CHECK(std::ranges::count(data.clips, training::ClipKind::room, &training::Clip::kind) == 1);
    CHECK(apart.addFolder(library) == 0); // they are known
    touchClip(library / "dog/i.wav");
    CHECK(apart.addFolder(library) == 1);
    CHECK(labelsOf(apart) == std::set<std::string>{"", "Cat", "Dog"});
    apart.forget("Dog"); // they lie outside
    CHECK(fs::exists(library / "Dog/a.wav"));
    CHECK_FALSE(fs::exists(folder.path() / "mine" / "forgotten"));

    // The collection's own folder: paths are relative, and its clips are no class.
    Collection within(library);
    addTo(within, "Cat");
    fs::create_directories(library / "forgotten");
    touchClip(library / "forgotten/old.wav");
    CHECK(within.addFolder(library) == 7);
    CHECK(labelsOf(within) == std::set<std::string>{"", "Cat", "Dog"});
    CHECK_THAT(test::readBytes(within.table()), ContainsSubstring("\nDog/deep/b.wav,,,Dog,"));
    fs::rename(library, folder / "moved");
    CHECK(Collection(folder / "moved").examples().size() == within.examples().size());

    CHECK_THROWS_WITH(apart.addFolder(folder / "moved"),
                      ContainsSubstring("is a collection of examples itself"));
    CHECK_THROWS_AS(apart.addFolder(folder / "nowhere"), Error);
    fs::create_directories(folder / "empty");
    CHECK_THROWS_WITH(apart.addFolder(folder / "empty"),
                      ContainsSubstring("holds no folders of audio files"));
}
