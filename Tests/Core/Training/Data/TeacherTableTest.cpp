#include "Core/Training/Data/TeacherTable.h"

#include "Core/Base/Error.h"
#include "Core/Base/WholeFile.h"
#include "Core/Formats/Npy.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <cmath>
#include <random>

using namespace earshot;
using namespace earshot::training;

namespace {

Clip clipAt(const std::filesystem::path& file, std::vector<int> labels, Split split = Split::train) {
    Clip clip;
    clip.file = file;
    clip.labels = std::move(labels);
    clip.split = split;
    return clip;
}

DataSet animals(const std::filesystem::path& folder) {
    DataSet data;
    data.labels = {"Cat", "Dog"};
    data.clips = {clipAt(folder / "dog" / "1.wav", {1}), clipAt(folder / "cat" / "1.wav", {0}),
                  clipAt(folder / "cat" / "2.wav", {0}, Split::valid)};
    return data;
}

void writeArray(const std::filesystem::path& file, const std::vector<float>& values, std::int64_t width) {
    WholeFile out(file);
    formats::NpyWriter writer(out, formats::NpyType::float32, {width});
    writer.write(values);
    writer.finish();
    out.commit();
}

} // namespace

TEST_CASE("soft labels are found by file and by label, whatever their order", "[unit][training]") {
    const test::TemporaryDirectory folder;
    const auto data = animals(folder.path());
    test::writeBytes(folder / "soft.csv", "DOG,file,Bird,cat\n"
                                          "0.25,cat/1.wav,0.125,0.5\n"
                                          "0.875,dog/1.wav,0,0.0625\n"
                                          "1,elsewhere/9.wav,0,0\n");
    const TeacherTable table({.softLabels = folder / "soft.csv", .embeddings = {}}, data);
    const auto* dog = table.find(data.clips[0]);
    const auto* cat = table.find(data.clips[1]);
    REQUIRE(dog != nullptr);
    REQUIRE(cat != nullptr);
    CHECK(std::vector<float>(dog->soft, dog->soft + 2) == std::vector<float>{0.0625f, 0.875f});
    CHECK(std::vector<float>(cat->soft, cat->soft + 2) == std::vector<float>{0.5f, 0.25f});
    CHECK(dog->embedding == nullptr);
    CHECK(table.find(data.clips[2]) == nullptr); // the table has no row of it
    CHECK(table.embeddingWidth() == 0);
    CHECK(table.summary() == "soft labels of 2 of 3 recordings, 2 of 2 classes");
}

TEST_CASE("a class that the teacher does not know is marked so", "[unit][training]") {
    const test::TemporaryDirectory folder;
    const auto data = animals(folder.path());
    test::writeBytes(folder / "soft.csv", "file,Dog\ndog/1.wav,0.75\n");
    const TeacherTable table({.softLabels = folder / "soft.csv", .embeddings = {}}, data);
    const auto* row = table.find(data.clips[0]);
    REQUIRE(row != nullptr);
    CHECK(row->soft[0] < 0.0f);
    CHECK(row->soft[1] == 0.75f);
}

TEST_CASE("a recording is named by all of its path or by its last parts", "[unit][training]") {
    const test::TemporaryDirectory folder;
    const auto data = animals(folder / "archive" / "sounds");
    std::filesystem::create_directories(folder / "tables");
    for (const std::string& name : {std::string("dog/1.wav"), std::string("sounds/dog/1.wav"),
                                    std::string("../archive/sounds/dog/1.wav"),
                                    (folder / "archive/sounds/dog/1.wav").generic_string()}) {
        CAPTURE(name);
        test::writeBytes(folder / "tables" / "soft.csv", "file,Dog\n" + name + ",0.5\n");
        const TeacherTable table({.softLabels = folder / "tables" / "soft.csv", .embeddings = {}}, data);
        CHECK(table.find(data.clips[0]) != nullptr);
        CHECK(table.find(data.clips[1]) == nullptr);
    }
    test::writeBytes(folder / "tables" / "soft.csv", "file,Dog\n1.wav,0.5\n");
    REQUIRE_THROWS_WITH(TeacherTable({.softLabels = folder / "tables" / "soft.csv", .embeddings = {}}, data),
                        ContainsSubstring("\"1.wav\" names") &&
                            ContainsSubstring("name more of their paths"));
}

TEST_CASE("embeddings are standardised over the recordings to train on", "[unit][training]") {
    const test::TemporaryDirectory folder;
    DataSet data;
    data.labels = {"Cat"};
    constexpr std::size_t count = 50, width = 3;
    std::mt19937 generator(5);
    std::normal_distribution<float> normal(7.0f, 3.0f);
    std::string names = "file\n";
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
        const auto name = std::to_string(i) + ".wav";
        data.clips.push_back(clipAt(folder / name, {0}, i % 5 == 0 ? Split::valid : Split::train));
        names += name + "\n";
        for (std::size_t j = 0; j < width; ++j)
            values.push_back(j == 2 ? 0.1f : normal(generator) + (i % 5 == 0 ? 100.0f : 0.0f));
    }
    writeArray(folder / "e.npy", values, width);
    test::writeBytes(folder / "e.csv", names);
    const TeacherTable table({.softLabels = {}, .embeddings = folder / "e.npy"}, data);
    REQUIRE(table.embeddingWidth() == 3);
    for (std::size_t j = 0; j < width; ++j) {
        double sum = 0.0, squares = 0.0, trained = 0.0;
        for (const Clip& clip : data.clips) {
            if (clip.split != Split::train) continue;
            const double value = static_cast<double>(table.find(clip)->embedding[j]);
            sum += value;
            squares += value * value;
            ++trained;
        }
        CHECK(sum / trained == Approx(0.0).margin(1e-4));
        CHECK(squares / trained == Approx(j == 2 ? 0.0 : 1.0).margin(1e-4)); // the same in all says nothing
    }
}

TEST_CASE("an array's labels stand in a file beside it", "[unit][training]") {
    const test::TemporaryDirectory folder;
    const auto data = animals(folder.path());
    writeArray(folder / "s.npy", {0.1f, 0.2f, 0.3f, 0.4f}, 2);
    test::writeBytes(folder / "s.csv", "file\ncat/1.wav\ndog/1.wav\n");
    test::writeBytes(folder / "s.labels.csv", "label\nDog\nCat\n");
    const TeacherTable table({.softLabels = folder / "s.npy", .embeddings = folder / "s.npy"}, data);
    CHECK(table.find(data.clips[1])->soft[0] == 0.2f);
    CHECK(table.find(data.clips[1])->soft[1] == 0.1f);
    CHECK(table.find(data.clips[0])->embedding != nullptr);
    CHECK(table.summary() ==
          "soft labels of 2 of 3 recordings, 2 of 2 classes; embeddings of 2 values of 2 of 3 "
          "recordings");
    test::writeBytes(folder / "s.labels.csv", "label\nDog\n");
    REQUIRE_THROWS_WITH(TeacherTable({.softLabels = folder / "s.npy", .embeddings = {}}, data),
                        ContainsSubstring("s.labels.csv: names 1 labels, but s.npy has 2 columns"));
    test::writeBytes(folder / "s.csv", "file\ncat/1.wav\n");
    REQUIRE_THROWS_WITH(TeacherTable({.softLabels = {}, .embeddings = folder / "s.npy"}, data),
                        ContainsSubstring("s.csv: names 1 recordings, but s.npy has 2 rows"));
}

TEST_CASE("what is no table of a teacher is refused with the reason", "[unit][training]") {
    const test::TemporaryDirectory folder;
    const auto data = animals(folder.path());
    struct Case {
        std::string text, message;
    };
    for (const auto& [text, message] :
         {Case{"", "is empty"}, Case{"name,Dog\ndog/1.wav,1\n", "has no column \"file\""},
          Case{"file,Dog\ndog/1.wav,often\n", "line 2: \"often\" is not a number"},
          Case{"file,Dog\ndog/1.wav\n", "line 2: expected 2 fields, found 1"},
          Case{"file,Dog\ndog/1.wav,1.5\n", "1.5 is no probability (\"Dog\" of dog/1.wav); expected 0 to 1"},
          Case{"file,Dog\ndog/1.wav,-0.25\n", "-0.25 is no probability"},
          Case{"file,Bird\ndog/1.wav,1\n", "no column for any of the 2 classes"},
          Case{"file,Dog\nother/1.wav,1\n", "names none of the recordings"}}) {
        CAPTURE(text);
        test::writeBytes(folder / "soft.csv", text);
        REQUIRE_THROWS_WITH(TeacherTable({.softLabels = folder / "soft.csv", .embeddings = {}}, data),
                            ContainsSubstring("soft.csv") && ContainsSubstring(message));
    }
    writeArray(folder / "bad.npy", {1.0f, std::nanf(""), 0.0f, 0.0f}, 2);
    test::writeBytes(folder / "bad.csv", "file\ncat/1.wav\ndog/1.wav\n");
    REQUIRE_THROWS_WITH(TeacherTable({.softLabels = {}, .embeddings = folder / "bad.npy"}, data),
                        ContainsSubstring("a value that is not finite, of cat/1.wav"));
}
