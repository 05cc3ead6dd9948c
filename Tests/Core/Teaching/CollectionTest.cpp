#include "Core/Teaching/Collection.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Teaching/CollectionTools.h"
#include "Core/Training/Data/DataSet.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace earshot;
using teaching::Collection;
using teaching::Example;
using teaching::NewExample;
using test::addTo;
using test::collectionRate;
using test::filesIn;
using test::labelsOf;
using test::Marked;
using test::trainingData;
namespace fs = std::filesystem;

namespace {

std::vector<float> readAll(const fs::path& file) {
    audio::AudioFile audio(file);
    std::vector<float> samples(static_cast<std::size_t>(audio.frames()) + 1);
    samples.resize(audio.read(samples));
    return samples;
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
    CHECK(audio::AudioFile(added.file).sampleRate() == collectionRate);
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

TEST_CASE("clips of one moment have names of their own, and nothing is overwritten", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder.path());
    for (int i = 0; i < 12; ++i) addTo(collection, i % 2 == 0 ? "Dog" : "dog");
    CHECK(filesIn(folder.path() / "clips") == 12);
    CHECK(collection.examples().size() == 12);
    CHECK(labelsOf(collection) == std::set<std::string>{"Dog"}); // one class, as it was spelled first
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

TEST_CASE("each change is taken back and made again, with its clips", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder / "mine");
    std::vector<std::string> tables; // after each change
    std::vector<Collection::Edit> edits;
    const auto keep = [&] {
        tables.push_back(test::readBytes(collection.table()));
        edits.push_back(collection.lastEdit());
    };
    const auto clips = [&] { return test::filesIn(folder / "mine" / "clips"); };
    const auto flip = [&](Collection::Edit& edit) {
        collection.revert(edit);
        edit = collection.lastEdit();
    };
    addTo(collection, "Dog");
    keep();
    addTo(collection, "Tür");
    keep();
    addTo(collection, "Dog");
    keep();
    collection.rename("Tür", "Door");
    keep();
    collection.forget("Dog");
    keep();
    REQUIRE(clips() == 1);
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = edits.size(); i-- > 0;) {
            flip(edits[i]);
            CHECK(test::readBytes(collection.table()) == (i > 0 ? tables[i - 1] : ""));
            CHECK(collection.problems().empty()); // each clip is there
        }
        CHECK(collection.examples().empty());
        CHECK(clips() == 0); // nothing is deleted
        CHECK(test::filesIn(folder / "mine" / "forgotten") == 3);
        for (std::size_t i = 0; i < edits.size(); ++i) {
            flip(edits[i]);
            CHECK(test::readBytes(collection.table()) == tables[i]);
            CHECK(collection.problems().empty());
        }
        CHECK(clips() == 1);
    }
}

TEST_CASE("a change is not taken back after others changed the table or its clips", "[unit]") {
    const test::TemporaryDirectory folder;
    Collection collection(folder / "mine");
    addTo(collection, "Dog");
    collection.forget("Dog");
    const auto edit = collection.lastEdit();
    REQUIRE(edit.moved.size() == 1);
    std::filesystem::remove(edit.moved[0].second);
    CHECK_THROWS_WITH(collection.revert(edit), ContainsSubstring("were changed elsewhere"));
    addTo(collection, "Cat");
    const auto added = collection.lastEdit();
    Collection other(folder / "mine");
    addTo(other, "Bird");
    const auto table = test::readBytes(collection.table());
    CHECK_THROWS_WITH(collection.revert(added), ContainsSubstring("were changed elsewhere"));
    CHECK(test::readBytes(collection.table()) == table);
    CHECK(test::filesIn(folder / "mine" / "clips") == 2);
}

TEST_CASE("files of the user in the collection's folder stay where they are when they are taken back",
          "[unit]") {
    const test::TemporaryDirectory folder;
    test::touchClip(folder / "Dog/a.wav");
    Collection collection(folder.path());
    REQUIRE(collection.addFolder(folder.path()) == 1);
    collection.revert(collection.lastEdit());
    CHECK(collection.examples().empty());
    CHECK(std::filesystem::exists(folder / "Dog/a.wav"));
}
