#include "Core/Teaching/Collection.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Training/Data/DataSet.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"
#include "Support/Skip.h"
#include "Support/Unprivileged.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

using namespace earshot;
using teaching::Collection;
using teaching::Example;
using teaching::NewExample;
namespace fs = std::filesystem;

namespace {

constexpr int rate = 16000; // Hz

// A second of noise, of which the stretch from 0.25 s to 0.75 s is marked.
struct Marked {
    explicit Marked(std::string label, std::string against = {}, std::string group = "porch, 7 May")
        : samples(test::noise(rate, 1))
        , example{.samples = samples,
                  .sampleRate = rate,
                  .onset = 0.25,
                  .offset = 0.75,
                  .label = std::move(label),
                  .against = std::move(against),
                  .group = std::move(group),
                  .licence = "CC0-1.0",
                  .author = "Ada"} {}
    Marked(const Marked&) = delete;
    Marked& operator=(const Marked&) = delete;

    std::vector<float> samples;
    NewExample example;
};

Example addTo(Collection& collection, const std::string& label, const std::string& against = {},
              const std::string& group = "porch, 7 May") {
    return collection.add(Marked(label, against, group).example);
}

std::vector<float> readAll(const fs::path& file) {
    audio::AudioFile audio(file);
    std::vector<float> samples(static_cast<std::size_t>(audio.frames()) + 1);
    samples.resize(audio.read(samples));
    return samples;
}

std::size_t filesIn(const fs::path& folder) {
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::set<std::string> labelsOf(const Collection& collection) {
    std::set<std::string> labels;
    for (const auto& example : collection.examples()) labels.insert(example.label);
    return labels;
}

training::DataSet trainingData(const Collection& collection) {
    training::DataChoice choice;
    choice.sources = {collection.table()};
    choice.fewestClips = 1;
    choice.validShare = 0.0;
    return training::readDataSet(choice);
}

std::string failureOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

void touch(const fs::path& file) {
    fs::create_directories(file.parent_path());
    test::writeAudio(file, test::AudioFormat::wavPcm16, rate, 1, test::noise(rate / 2, 2));
}

} // namespace

TEST_CASE("a folder that is not there is an empty collection, and is not made by looking", "[unit]") {
    const test::TemporaryDirectory folder;
    const Collection collection(folder / "mine");
    CHECK(collection.examples().empty());
    CHECK(collection.problems().empty());
    CHECK(collection.summaries().empty());
    CHECK(collection.fingerprint().size() == 64);
    CHECK_FALSE(fs::exists(folder / "mine"));
    Collection other(folder / "mine");
    CHECK_THROWS_WITH(other.rename("Dog", "Cat"), ContainsSubstring("has no class \"Dog\""));
    CHECK_THROWS_WITH(other.forget("Dog"), ContainsSubstring("has no class \"Dog\""));
    CHECK_FALSE(fs::exists(folder / "mine"));
}

TEST_CASE("an example comes back as it was added", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto place = folder.path() / "my sounds" / "deep";
    Collection collection(place);
    const Marked marked("Creaky door");
    const Example added = collection.add(marked.example);
    CHECK(added.file.parent_path() == place / "clips");
    CHECK(added.file.filename().string().starts_with("creaky-door-20"));
    CHECK(added.file.filename().string().ends_with("-1.flac"));
    for (const Collection& read : {collection, Collection(place)}) {
        REQUIRE(read.examples().size() == 1);
        const Example& example = read.examples().front();
        CHECK(example.file == added.file);
        CHECK(example.onset == 0.25);
        CHECK(example.offset == 0.75);
        CHECK(example.label == "Creaky door");
        CHECK(example.against.empty());
        CHECK(example.group == "porch, 7 May");
        CHECK(example.licence == "CC0-1.0");
        CHECK(example.author == "Ada");
        CHECK(read.problems().empty());
        CHECK(read.fingerprint() == collection.fingerprint());
    }
    CHECK(audio::AudioFile(added.file).sampleRate() == rate);
    const auto samples = readAll(added.file);
    REQUIRE(samples.size() == marked.samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
        REQUIRE(std::abs(samples[i] - marked.samples[i]) <= 1.0f / 32768.0f);
    CHECK(filesIn(place) == 3); // examples.csv, clips and .lock
}

TEST_CASE("values beyond full scale are clipped in clips", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    Marked marked("Bang");
    marked.samples[0] = 3.0f;
    marked.samples[1] = -3.0f;
    marked.samples[2] = std::numeric_limits<float>::quiet_NaN();
    marked.example.onset = -1.0;
    marked.example.offset = 99.0;
    const Example added = collection.add(marked.example);
    CHECK(added.onset == 0.0);
    CHECK(added.offset == 1.0);
    const auto samples = readAll(added.file);
    CHECK(samples[0] == 32767.0f / 32768.0f);
    CHECK(samples[1] == -1.0f);
    CHECK(samples[2] == 0.0f);
}

TEST_CASE("what cannot be an example is refused, and nothing is written", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder / "mine");
    for (const auto& change : std::vector<std::function<void(NewExample&)>>{
             [](NewExample& e) { e.label = " "; },
             [](NewExample& e) { e.label = std::string(300, 'x'); },
             [](NewExample& e) { e.offset = e.onset; },
             [](NewExample& e) { e.onset = 1.5, e.offset = 2.0; },
             [](NewExample& e) { e.offset = std::numeric_limits<double>::quiet_NaN(); },
             [](NewExample& e) { e.samples = {}; },
             [](NewExample& e) { e.sampleRate = 0; },
             [](NewExample& e) { e.sampleRate = 1'000'000, e.onset = 0.0, e.offset = 0.01; },
         }) {
        Marked marked("Dog");
        change(marked.example);
        CHECK_THROWS_AS(collection.add(marked.example), Error);
        CHECK(collection.examples().empty());
        CHECK_FALSE(fs::exists(collection.table()));
        CHECK(filesIn(folder.path() / "mine" / "clips") == 0);
    }
}

TEST_CASE("training reads labels, spans, groups and counter-examples from a collection", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    addTo(collection, "Dog", "", "street");
    addTo(collection, "Cat", "", "kitchen");
    addTo(collection, "", "Dog", "kitchen");
    const auto data = trainingData(collection);
    CHECK(data.problems.empty());
    REQUIRE(data.labels == std::vector<std::string>{"Cat", "Dog"});
    REQUIRE(data.clips.size() == 3);
    const training::Clip& dog = data.clips[0];
    CHECK(dog.strong);
    CHECK(dog.labels == std::vector<int>{1});
    REQUIRE(dog.spans.size() == 1);
    CHECK(dog.spans[0].onset == 0.25);
    CHECK(dog.spans[0].offset == 0.75);
    CHECK(dog.group == "street");
    CHECK(dog.licence == "CC0-1.0");
    CHECK(dog.author == "Ada");
    CHECK(fs::equivalent(dog.file, collection.examples()[0].file));
    CHECK(data.clips[1].labels == std::vector<int>{0});
    const training::Clip& counter = data.clips[2];
    CHECK(counter.labels.empty());
    CHECK_FALSE(counter.strong);
    CHECK(counter.kind == training::ClipKind::sound);
    CHECK(counter.group == "kitchen");

    REQUIRE(collection.examples().size() == 3);
    const Example& against = collection.examples()[2];
    CHECK(against.label.empty());
    CHECK(against.against == "Dog");
    CHECK(against.onset == 0.25);
    CHECK(against.offset == 0.75);
    CHECK(against.file.filename().string().starts_with("not-dog-20"));
}

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

TEST_CASE("clips of one moment have names of their own, and nothing is overwritten", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    for (int i = 0; i < 12; ++i) addTo(collection, i % 2 == 0 ? "Dog" : "dog");
    CHECK(filesIn(folder.path() / "clips") == 12);
    CHECK(collection.examples().size() == 12);
    CHECK(labelsOf(collection) == std::set<std::string>{"Dog"}); // one class, as it was spelled first
}

TEST_CASE("what others wrote to the CSV stays, byte for byte", "[unit]") {
    const test::TemporaryDirectory folder;
    touch(folder / "a.wav");
    touch(folder / "b.wav");
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

TEST_CASE("a file that is no CSV of examples is an error with advice, and stays", "[unit]") {
    const test::TemporaryDirectory folder;
    const Marked marked("Dog");
    for (const std::string& text : {std::string("hello\n"), std::string("file;onset;offset;label\n"),
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

TEST_CASE("collections of one folder lose no row of each other", "[unit]") {
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

TEST_CASE("a disk without room leaves neither a clip without a row nor a row without a clip", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    addTo(collection, "Dog");
    test::writeBytes(collection.table(),
                     test::readBytes(collection.table()) + "#" + std::string(200'000, 'x') + "\n");
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
    touch(folder / "elsewhere.wav");
    Collection collection(folder.path() / "mine");
    const Example dog = addTo(collection, "Dog");
    const Example notDog = addTo(collection, "", "Dog");
    const Example cat = addTo(collection, "Cat");
    fs::create_directories(collection.folder() / "forgotten");
    test::writeBytes(collection.folder() / "forgotten" / dog.file.filename(), "of before");
    // Rows of others: a clip outside, one that a second class has too, the folder itself, and the CSV.
    test::writeBytes(collection.table(), test::readBytes(collection.table()) +
                                             folder.path().generic_string() +
                                             "/elsewhere.wav,,,Dog\n../elsewhere.wav,,,dog\nclips/" +
                                             cat.file.filename().string() +
                                             ",0.8,0.9,Dog\n.,,,Dog\nexamples.csv,,,Dog\n,,,Dog\n");
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

TEST_CASE("summaries count examples, seconds and groups of each class", "[unit]") {
    const test::TemporaryDirectory folder;
    touch(folder / "half a second.wav");
    test::writeBytes(folder / "broken.wav", "no audio");
    Collection collection(folder.path());
    addTo(collection, "Dog", "", "street");
    addTo(collection, "Dog", "", "street");
    addTo(collection, "Dog", "", "yard");
    addTo(collection, "", "Dog", "kitchen");
    addTo(collection, "", "Bird");
    test::writeBytes(collection.table(), test::readBytes(collection.table()) +
                                             "half a second.wav,,,Cat\nbroken.wav,,,Cat\n"
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

TEST_CASE("a fingerprint is that of the examples, in any order and place", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder / "one");
    addTo(collection, "Dog");
    const std::string one = collection.fingerprint();
    addTo(collection, "Cat", "", "other");
    const std::string two = collection.fingerprint();
    CHECK(one != two);
    fs::copy(folder / "one", folder / "copy", fs::copy_options::recursive);
    Collection copy(folder / "copy");
    CHECK(copy.fingerprint() == two);
    std::string text = test::readBytes(copy.table());
    const auto header = text.find('\n') + 1, second = text.find('\n', header) + 1;
    text = text.substr(0, header) + text.substr(second) + text.substr(header, second - header) + "# end\n";
    test::writeBytes(copy.table(), text);
    copy.reload();
    CHECK(copy.examples()[0].label == "Cat");
    CHECK(copy.fingerprint() == two);
    copy.forget("Cat");
    CHECK(copy.fingerprint() == one);
}

TEST_CASE("a folder of class folders makes a collection, where its clips lie", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const char* name : {"Dog/a.wav", "Dog/deep/b.wav", "Cat/c.wav", "_other/d.wav", "_background/e.wav",
                             "_rooms/f.wav", "_x/g.wav", "a;b/h.wav"})
        touch(folder.path() / "library" / name);
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
    touch(library / "dog/i.wav");
    CHECK(apart.addFolder(library) == 1);
    CHECK(labelsOf(apart) == std::set<std::string>{"", "Cat", "Dog"});
    apart.forget("Dog"); // they lie outside
    CHECK(fs::exists(library / "Dog/a.wav"));
    CHECK_FALSE(fs::exists(folder.path() / "mine" / "forgotten"));

    // The collection's own folder: paths are relative, and its clips are no class.
    Collection within(library);
    addTo(within, "Cat");
    fs::create_directories(library / "forgotten");
    touch(library / "forgotten/old.wav");
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
