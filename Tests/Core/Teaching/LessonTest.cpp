// Lessons with the default model and sounds that are made here.
#include "Core/Teaching/Lesson.h"

#include "Cli/NamedModel.h"
#include "Core/Base/Error.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Tensor/Threads.h"
#include "Core/Training/Data/Example.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

using namespace earshot;
using teaching::Lesson;
using teaching::TaughtNote;
using teaching::TaughtPart;
using teaching::TeachableModel;

namespace {

constexpr int rate = 32000;

std::filesystem::path othersFile() { return test::sourceDirectory() / "Models" / "others" / "others.csv"; }

// A tone that wobbles about a third, eight times a second: no sound of the model's.
std::vector<float> wobble(double hertz, double seconds) {
    std::vector<float> samples(static_cast<std::size_t>(seconds * rate));
    double phase = 0.0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double t = static_cast<double>(i) / rate;
        phase +=
            2.0 * std::numbers::pi * hertz * (1.0 + 0.25 * std::sin(2.0 * std::numbers::pi * 8.0 * t)) / rate;
        samples[i] = static_cast<float>(0.3 * std::sin(phase) + 0.1 * std::sin(3.0 * phase));
    }
    return samples;
}

// Two sounds: three sources of one, one of the other.
training::DataSet makeExamples(const test::TemporaryDirectory& folder) {
    training::DataSet data;
    data.labels = {"Buzz", "Wobble"};
    const auto add = [&](const std::string& name, int label, const std::vector<float>& samples) {
        const auto file = folder / (name + ".wav");
        test::writeAudio(file, test::AudioFormat::wavPcm16, rate, 1, samples);
        training::Clip clip;
        clip.file = file;
        clip.labels = {label};
        clip.group = name;
        data.clips.push_back(clip);
    };
    add("one", 1, wobble(500.0, 1.0));
    add("two", 1, wobble(700.0, 1.5));
    add("three", 1, wobble(620.0, 0.8));
    auto buzz = test::sine(110.0, 1.0, rate);
    for (float& sample : buzz) sample = sample > 0.0f ? 0.3f : -0.3f;
    add("buzz", 0, buzz);
    return data;
}

// Runs a window of samples, and silence behind them. Returns (steps, classes).
std::vector<float> hear(model::Network& network, std::vector<float> samples) {
    training::ExampleShape shape(network.config());
    shape.frontend = detection::logMelSettings(network.weights());
    frontend::LogMel extractor(shape.frontend);
    samples.resize(static_cast<std::size_t>(shape.windowSamples()), 0.0f);
    std::vector<float> logMel;
    training::extractWindow(shape, extractor, samples, logMel);
    tensor::setThreadCount(1);
    const auto output = network.run(logMel);
    return {output.tokens.begin(), output.tokens.end()};
}

std::vector<float> probabilities(const std::filesystem::path& file, const std::vector<float>& samples,
                                 model::Precision precision = model::Precision::float32) {
    model::Network network(model::loadWeights(file, precision));
    return hear(network, samples);
}

float loudest(const std::vector<float>& values, std::size_t classes, std::size_t index, std::size_t first,
              std::size_t last) {
    float most = 0.0f;
    for (std::size_t step = first; step < last; ++step) most = std::max(most, values[step * classes + index]);
    return most;
}

teaching::ClassRow madeRow(std::int64_t width, float scale) {
    teaching::ClassRow row;
    for (std::int64_t i = 0; i < width; ++i)
        row.weights.push_back(scale * std::sin(static_cast<float>(i)) / static_cast<float>(width));
    row.bias = -1.0f;
    return row;
}

// scenes: as a share of the usual number
teaching::LessonSettings lessonSettings(double scenes = 1.0) {
    teaching::LessonSettings settings;
    settings.model = test::defaultModelFile();
    settings.others = othersFile();
    settings.threads = 2;
    settings.scenes = scenes;
    return settings;
}

} // namespace

TEST_CASE("a taught model is the model that it was, with rows behind", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeNamedModel(folder / "tscam.safetensors", {"Rain", "Wind", "Hail"});
    for (const auto& file : {test::defaultModelFile(), folder / "tscam.safetensors"}) {
        INFO(file);
        const TeachableModel teachable(file);
        const auto before = model::loadWeights(file);
        model::Network network(before);
        const auto width = network.classInputCount();
        const std::vector<teaching::TaughtSound> sounds = {{"Creak", madeRow(width, 5.0f), 0.4f},
                                                           {"Drip", madeRow(width, -9.0f), 0.25f}};
        const auto output = folder / "taught.safetensors";
        teachable.write(output, {teachable.note("some examples"), "private use", sounds});

        const auto own = static_cast<std::size_t>(before->config().classes), all = own + 2;
        const auto samples = test::noise(rate * 6, 5, 0.2f);
        const auto one = probabilities(file, samples), two = probabilities(output, samples);
        REQUIRE(two.size() == one.size() / own * all);
        for (std::size_t step = 0; step < one.size() / own; ++step)
            for (std::size_t c = 0; c < own; ++c) REQUIRE(two[step * all + c] == one[step * own + c]);

        // The new rows are sigmoids of what the head's last layer reads. They are stored in float16.
        hear(network, samples);
        const auto steps = one.size() / own;
        std::vector<float> inputs(steps * static_cast<std::size_t>(width));
        network.classInputs(inputs);
        for (std::size_t step = 0; step < steps; ++step)
            for (std::size_t i = 0; i < 2; ++i) {
                const auto heard = std::span(inputs).subspan(step * static_cast<std::size_t>(width),
                                                             static_cast<std::size_t>(width));
                const float expected = 1.0f / (1.0f + std::exp(-sounds[i].row.logit(heard)));
                REQUIRE(std::abs(two[step * all + own + i] - expected) < 2e-3f);
            }

        const auto checkpoint = model::Checkpoint::open(output);
        const auto labels = detection::Labels::read(checkpoint->metadata(), output, static_cast<int>(all));
        const auto former =
            detection::Labels::read(model::Checkpoint::open(file)->metadata(), file, static_cast<int>(own));
        for (std::size_t c = 0; c < own; ++c) {
            CHECK(labels.name(static_cast<int>(c)) == former.name(static_cast<int>(c)));
            CHECK(labels.threshold(static_cast<int>(c)) == former.threshold(static_cast<int>(c)));
        }
        CHECK(labels.name(static_cast<int>(own) + 1) == "Drip");
        CHECK(labels.threshold(static_cast<int>(own) + 1) == 0.25f);
        CHECK(labels.rules() == former.rules());
        CHECK_THAT(labels.licence(), Catch::Matchers::StartsWith(former.licence()) &&
                                         Catch::Matchers::EndsWith("taught sounds: private use"));
        const auto sebbs = detection::SebbScorer::read(checkpoint->metadata(), output, static_cast<int>(all));
        CHECK((sebbs != nullptr) == model::Checkpoint::open(file)->metadata().contains("earshot.boxes"));
        const auto note = TaughtNote::read(checkpoint->metadata(), output);
        REQUIRE(note);
        CHECK(note->classes == static_cast<int>(own));
        CHECK(note->model == file.stem());
        CHECK(note->examples == "some examples");
        CHECK(note->base == teachable.base());

        // Taught anew, it is the model without the former rows.
        const TeachableModel again(output);
        CHECK(again.names() == teachable.names());
        CHECK(again.name() == file.stem());
        CHECK(again.licence() == former.licence());
        CHECK(again.base() == teachable.base());
        again.write(output, {again.note(""), "CC0-1.0", {sounds.front()}});
        CHECK(probabilities(output, samples).size() == steps * (own + 1));
        CHECK(test::readBytes(output).find("Drip") == std::string::npos);
    }
}

TEST_CASE("in bfloat16, too, the classes that a model had stay to the bit", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto output = folder / "taught.safetensors";
    const std::vector<teaching::TaughtSound> sounds = {{"Creak", madeRow(96, 5.0f), 0.4f}};
    const TeachableModel teachable(test::defaultModelFile());
    teachable.write(output, {teachable.note(""), "private use", sounds});
    const auto samples = test::noise(rate * 3, 5, 0.2f);
    const auto one = probabilities(test::defaultModelFile(), samples, model::Precision::bfloat16);
    const auto two = probabilities(output, samples, model::Precision::bfloat16);
    const std::size_t steps = two.size() - one.size(), own = one.size() / steps;
    for (std::size_t step = 0; step < steps; ++step)
        for (std::size_t c = 0; c < own; ++c) REQUIRE(two[step * (own + 1) + c] == one[step * own + c]);
}

TEST_CASE("what was taught, read out of a model and added to the one before, gives the same file", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeNamedModel(folder / "tscam.safetensors", {"Rain", "Wind", "Hail"});
    test::writeNamedModel(folder / "other.safetensors", {"Rain", "Wind", "Snow"});
    for (const auto& file : {test::defaultModelFile(), folder / "tscam.safetensors"}) {
        INFO(file);
        const TeachableModel teachable(file);
        const auto width = model::Network(model::loadWeights(file)).classInputCount();
        const std::vector<teaching::TaughtSound> sounds = {{"Creak", madeRow(width, 5.0f), 0.4f},
                                                           {"Drip", madeRow(width, -9.0f), 0.25f}};
        const auto output = folder / "taught.safetensors";
        teachable.write(output, {teachable.note("some examples"), "private use", sounds});
        const auto part = TaughtPart::read(output);
        REQUIRE(part);
        CHECK(part->valid());
        CHECK(part->note == teachable.note("some examples"));
        CHECK(part->licence == "private use");
        REQUIRE(part->sounds.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(part->sounds[i].name == sounds[i].name);
            CHECK(part->sounds[i].threshold == sounds[i].threshold);
            CHECK(part->sounds[i].row.bias == sounds[i].row.bias);
            REQUIRE(part->sounds[i].row.weights.size() == sounds[i].row.weights.size());
            for (std::size_t k = 0; k < sounds[i].row.weights.size(); ++k) // stored in float16
                REQUIRE(std::abs(part->sounds[i].row.weights[k] - sounds[i].row.weights[k]) < 1e-3f);
        }

        // Wherever the model before lies, and whatever it is called there.
        const auto moved = folder / "moved.safetensors", again = folder / "again.safetensors";
        std::filesystem::copy_file(file, moved, std::filesystem::copy_options::overwrite_existing);
        const TeachableModel before(moved);
        REQUIRE(before.isBaseOf(*part));
        before.write(again, *part);
        CHECK(test::readBytes(again) == test::readBytes(output));
        CHECK(TaughtPart::read(again) == part);

        // Older versions did not say which model it was.
        auto older = *part;
        older.note.base.clear();
        CHECK_FALSE(older.valid());
        teachable.write(output, older);
        CHECK(TaughtPart::read(output) == part);

        CHECK_FALSE(TeachableModel(folder / "other.safetensors").isBaseOf(*part));
        auto wider = *part;
        for (auto& sound : wider.sounds) sound.row.weights.push_back(0.0f);
        CHECK(wider.valid());
        CHECK_FALSE(before.isBaseOf(wider));
    }
    CHECK_FALSE(TaughtPart::read(test::defaultModelFile()));
    const std::map<std::string, std::string> old = {
        {"earshot.taught", R"({"classes": 3, "model": "tscam", "examples": ""})"}};
    CHECK(TaughtNote::read(old, "x.safetensors")->base.empty());
}

TEST_CASE("what a stranger's project was taught keeps to the limits", "[unit]") {
    TaughtPart good;
    good.note = {3, "a model", std::string(64, 'a'), "some examples"};
    good.sounds = {{"Creak", madeRow(8, 1.0f), 0.4f}, {"Drip", madeRow(8, 2.0f), 0.5f, 0.1f}};
    REQUIRE(good.valid());
    const auto fingerprint = good.fingerprint();
    const auto isValid = [&](auto&& change) {
        auto part = good;
        change(part);
        CHECK(part.fingerprint() != fingerprint);
        return part.valid();
    };
    CHECK(isValid([](TaughtPart& part) { part.sounds[1].boxBias.reset(); }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds.clear(); }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds.resize(257, part.sounds[0]); }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds[0].name = "a;b"; }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds[1].name.clear(); }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds[1].threshold = 1.5f; }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds[1].boxBias = std::nanf(""); }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds[1].row.bias = std::nanf(""); }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds[1].row.weights[3] = 1e30f; }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.sounds[1].row.weights.pop_back(); }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.licence = std::string(10'001, 'x'); }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.note.classes = 0; }));
    CHECK_FALSE(isValid([](TaughtPart& part) { part.note.base.clear(); }));
}

TEST_CASE("what cannot be taught says why", "[unit]") {
    const test::TemporaryDirectory folder;
    auto pooled = test::smallModel();
    pooled.config.head = model::HeadKind::pooled;
    test::writeProceduralModel(folder / "pooled.safetensors", pooled);
    CHECK_THROWS_WITH(TeachableModel(folder / "pooled.safetensors"),
                      ContainsSubstring("choose another model"));
    const std::map<std::string, std::string> broken = {{"earshot.taught", "[1, 2]"}};
    CHECK_THROWS_WITH(TaughtNote::read(broken, "x.safetensors"), ContainsSubstring("earshot.taught"));
    CHECK_FALSE(TaughtNote::read({}, "x.safetensors"));

    teaching::LessonSettings settings;
    settings.model = test::defaultModelFile();
    CHECK_THROWS_WITH(Lesson({}, settings), ContainsSubstring("mark a sound first"));
    auto data = makeExamples(folder);
    test::writeAudio(data.clips.back().file, test::AudioFormat::wavPcm16, rate, 1,
                     std::vector<float>(rate, 0.0f));
    settings.others = othersFile();
    CHECK_THROWS_WITH(Lesson(data, settings), ContainsSubstring("no example of Buzz can be used (is silent"));
    data.clips.front().file = folder / "gone.wav"; // a problem of another sound
    CHECK_THROWS_WITH(Lesson(data, settings), ContainsSubstring("no example of Buzz can be used (is silent"));
    // What comes with Earshot is no sound of the user's.
    auto copies = makeExamples(folder);
    training::DataChoice choice;
    choice.sources = {othersFile()};
    choice.minClips = 1;
    const auto others = training::readDataSet(choice);
    for (std::size_t i = 0; i < copies.clips.size(); ++i)
        std::filesystem::copy_file(others.clips[i].file, copies.clips[i].file,
                                   std::filesystem::copy_options::overwrite_existing);
    CHECK_THROWS_WITH(Lesson(copies, settings),
                      ContainsSubstring("no example of Buzz can be used (is a copy of ") &&
                          ContainsSubstring(".ogg, which comes with Earshot as a sound to compare new ones"));
    settings.progress = [](double) { return false; };
    CHECK_THROWS_WITH(Lesson(makeExamples(folder), settings), ContainsSubstring("stopped"));
}

TEST_CASE("a sound is learnt from three examples, and is not taken for others", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    auto settings = lessonSettings();
    std::vector<double> progress;
    settings.progress = [&](double done) {
        progress.push_back(done);
        return true;
    };
    Lesson lesson(makeExamples(folder), settings);
    const auto output = folder / "taught.safetensors";
    lesson.write(output, "identity");
    CHECK(lesson.problems().empty());
    CHECK(std::ranges::is_sorted(progress));
    CHECK(progress.back() <= 1.0);

    const auto labels = detection::Labels::read(model::Checkpoint::open(output)->metadata(), output, 84);
    CHECK(labels.name(82) == "Buzz");
    CHECK(labels.name(83) == "Wobble");
    // Another wobble, from second 4 on, in noise.
    auto samples = test::noise(rate * 10, 9, 0.003f);
    const auto sound = wobble(560.0, 1.2);
    for (std::size_t i = 0; i < sound.size(); ++i) samples[4 * rate + i] += 0.5f * sound[i];
    const auto heard = probabilities(output, samples);
    const auto step = [](double seconds) { return static_cast<std::size_t>(seconds / 0.08); };
    CHECK(loudest(heard, 84, 83, step(4.0), step(5.2)) > 0.4f);
    CHECK(loudest(heard, 84, 83, 0, step(3.5)) < 0.4f);
    CHECK(loudest(heard, 84, 83, step(6.0), step(9.9)) < 0.4f);

    const auto judged = lesson.judge();
    REQUIRE(judged.size() == 2);
    CHECK(judged[0].label == "Buzz");
    CHECK(judged[0].sources == 1);
    CHECK_FALSE(judged[0].reliability); // one source is too few
    CHECK(judged[1].sources == 3);
    CHECK(judged[1].examples == 3);
    CHECK(std::abs(judged[1].seconds - 3.3) < 0.4);
    REQUIRE(judged[1].reliability);
    CHECK(judged[1].reliability->found > 0.5);
    CHECK(judged[1].reliability->falseAlarmsPerHour < 60.0);

    const auto card = lesson.card(output, judged);
    CHECK_THAT(card, ContainsSubstring("| Wobble | 3 | ") && ContainsSubstring("| Buzz | 1 | ") &&
                         ContainsSubstring("GPL-3.0-only. Of the examples: private use") &&
                         ContainsSubstring("`earshot-default` with sounds"));
    CHECK_THAT(labels.licence(), Catch::Matchers::EndsWith("; taught sounds: private use"));
}

TEST_CASE("of a recording with several sounds each counts where it is marked", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    auto data = makeExamples(folder);
    const auto sound = wobble(560.0, 2.0);
    std::vector<float> samples = test::noise(rate * 4, 9, 0.003f);
    std::ranges::copy(sound, samples.begin() + 2 * rate);
    training::Clip clip;
    clip.file = folder / "both.wav";
    test::writeAudio(clip.file, test::AudioFormat::wavPcm16, rate, 1, samples);
    clip.labels = {0, 1};
    clip.strong = true;
    clip.spans = {{0.5, 0.75, 0}, {2.0, 3.5, 1}, {3.0, 9.0, 1}}; // the file ends at 4 s
    data.clips = {clip};
    auto settings = lessonSettings(0.1);
    const auto judged = Lesson(std::move(data), settings).judge();
    CHECK(judged[0].seconds == 0.25);
    CHECK(judged[1].seconds == 2.0);
}

TEST_CASE("recordings of several sounds without times teach where they are loud",
          "[unit][threads][no-asan][no-tsan]") {
    const test::TemporaryDirectory folder;
    auto data = makeExamples(folder);
    data.labels = {"Wobble", "Wobbling"};
    data.clips.pop_back();
    for (auto& clip : data.clips) clip.labels = {0, 1};
    auto settings = lessonSettings();
    const auto output = folder / "taught.safetensors";
    Lesson(std::move(data), settings).write(output, "");
    auto samples = test::noise(rate * 10, 9, 0.003f);
    const auto sound = wobble(560.0, 1.2);
    for (std::size_t i = 0; i < sound.size(); ++i) samples[4 * rate + i] += 0.5f * sound[i];
    const auto heard = probabilities(output, samples);
    const auto step = [](double seconds) { return static_cast<std::size_t>(seconds / 0.08); };
    CHECK(loudest(heard, 84, 83, step(4.0), step(5.2)) > 0.8f);
    CHECK(loudest(heard, 84, 83, 0, step(3.5)) < 0.05f);
    CHECK(loudest(heard, 84, 83, step(5.8), step(9.9)) < 0.05f);
}

TEST_CASE("a sound whose sources are all left out at once is not judged",
          "[unit][no-asan][no-tsan][threads]") {
    const test::TemporaryDirectory folder;
    training::DataSet data;
    data.labels = {"Buzz", "Wobble"};
    for (int i = 0; i < 11; ++i) {
        training::Clip clip;
        clip.file = folder / (std::to_string(i) + ".wav");
        test::writeAudio(clip.file, test::AudioFormat::wavPcm16, rate, 1, wobble(300.0 + 40.0 * i, 0.5));
        clip.labels = {i % 5 == 0 ? 0 : 1}; // in five folds, those of Buzz are together
        clip.group = std::to_string(i);
        data.clips.push_back(clip);
    }
    auto settings = lessonSettings(0.2);
    Lesson lesson(std::move(data), settings);
    const auto judged = lesson.judge();
    CHECK(judged[0].sources == 3);
    CHECK_FALSE(judged[0].reliability);
    CHECK(judged[1].reliability);
}

TEST_CASE("what the model itself detects in the examples is named", "[unit][threads]") {
    training::DataSet data;
    data.labels = {"My flute"};
    training::Clip clip;
    clip.file = test::demoFile(); // a flute from second 8.96 to 13.84, a voice before it
    clip.labels = {0};
    clip.spans = {{9.0, 13.8, 0}};
    clip.strong = true;
    clip.group = "demo";
    data.clips = {clip};
    auto settings = lessonSettings(0.5);
    const auto also = Lesson(data, settings).judge().front().alsoDetected;
    REQUIRE_FALSE(also.empty());
    CHECK(also.size() <= 3);
    CHECK(std::ranges::find(also, "Flute") != also.end());
    CHECK(std::ranges::find(also, "Speech") == also.end());
}

TEST_CASE("a name that the model knows gets an addition, and the same lesson gives the same model",
          "[unit][no-asan][no-tsan][threads]") {
    const test::TemporaryDirectory folder;
    auto data = makeExamples(folder);
    data.labels = {"Rain", "Wobble"};
    auto settings = lessonSettings(0.1);
    Lesson(data, settings).write(folder / "taught.safetensors", "");
    settings.threads = 1;
    Lesson(data, settings).write(folder / "again.safetensors", "");
    CHECK(test::readBytes(folder / "again.safetensors") == test::readBytes(folder / "taught.safetensors"));
    const auto labels = detection::Labels::read(
        model::Checkpoint::open(folder / "taught.safetensors")->metadata(), "taught", 84);
    CHECK(labels.name(82) == "Rain (taught)");
}

TEST_CASE("no two classes have names that differ in upper and lower case alone", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    auto data = makeExamples(folder);
    data.labels = {"rain", "Rain (Taught)"};
    auto settings = lessonSettings(0.1);
    Lesson lesson(data, settings);
    lesson.write(folder / "taught.safetensors", "");
    const auto labels = detection::Labels::read(
        model::Checkpoint::open(folder / "taught.safetensors")->metadata(), "taught", 84);
    CHECK(labels.name(82) == "rain (taught)");
    CHECK(labels.name(83) == "Rain (Taught) (taught)");
    const auto judged = lesson.judge();
    CHECK(judged[0].label == "rain");
    CHECK(judged[0].name == "rain (taught)");
}

TEST_CASE("what a lesson writes can be carried by a project", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    auto data = makeExamples(folder);
    auto settings = lessonSettings(0.1);
    for (std::size_t i = 0; i < data.clips.size(); ++i)
        data.clips[i].licence = std::to_string(i) + std::string(4000, 'x');
    Lesson(data, settings).write(folder / "taught.safetensors", "");
    const auto part = TaughtPart::read(folder / "taught.safetensors");
    REQUIRE(part);
    CHECK(part->licence.size() <= TaughtPart::maxLicenceLength);
    CHECK_THAT(part->licence,
               Catch::Matchers::StartsWith("0xx") && Catch::Matchers::EndsWith(", and others"));

    data.labels[0] = std::string(101, 'n');
    CHECK_THROWS_WITH(Lesson(data, settings), ContainsSubstring("too long: use 100 characters"));
    data.labels.assign(TaughtPart::maxSounds + 1, "Buzz");
    CHECK_THROWS_WITH(Lesson(data, settings), ContainsSubstring("there are 257 new sounds"));
}

TEST_CASE("every sound of many is heard, however few its examples are", "[unit][threads][no-asan][no-tsan]") {
    const test::TemporaryDirectory folder;
    training::DataSet data;
    const auto add = [&](int sound, int source) {
        training::Clip clip;
        clip.file = folder / fmt::format("{}-{}.wav", sound, source);
        test::writeAudio(clip.file, test::AudioFormat::wavPcm16, rate, 1,
                         wobble(200.0 + 100.0 * sound + 4.0 * source, 0.2));
        clip.labels = {sound};
        clip.group = clip.file.stem();
        data.clips.push_back(clip);
    };
    // One of fifteen sounds has a single example, and is heard beside all others.
    constexpr int sounds = 15;
    for (int sound = 0; sound < sounds; ++sound) {
        data.labels.push_back(fmt::format("Wobble {:02}", sound));
        for (int source = 0; source < (sound == 0 ? 1 : 24); ++source) add(sound, source);
    }
    auto settings = lessonSettings(0.25);
    CHECK(Lesson(std::move(data), settings).problems().empty());
}

TEST_CASE("of a sound with too many minutes all sources are used alike", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    training::DataSet data;
    data.labels = {"Wobble"};
    // Four minutes at a fourth of the rate.
    for (int i = 0; i < 5; ++i) {
        training::Clip clip;
        clip.file = folder / (std::to_string(i) + ".wav");
        test::writeAudio(clip.file, test::AudioFormat::wavPcm16, rate / 4, 1,
                         wobble(1200.0 + 160.0 * i, i == 0 ? 30.0 : 60.0));
        clip.labels = {0};
        clip.group = i == 0 ? "one" : "other"; // two minutes, and sixteen
        data.clips.push_back(clip);
    }
    auto settings = lessonSettings(0.1);
    Lesson lesson(std::move(data), settings);
    CHECK(lesson.problems().empty());
    CHECK(lesson.limits() == std::vector<std::string>{"Wobble: 10.0 of 18.0 minutes of examples were used"});
    const auto judged = lesson.judge();
    CHECK(judged[0].examples == 3);
    CHECK(judged[0].sources == 2);
}

TEST_CASE("the sounds that others are told from are as their table says", "[unit]") {
    training::DataChoice choice;
    choice.sources = {othersFile()};
    choice.minClips = 1;
    const auto data = training::readDataSet(choice);
    CHECK(data.problems.empty());
    CHECK(data.labels.size() > 80);
    std::uintmax_t bytes = 0;
    std::set<std::filesystem::path> files;
    for (const auto& clip : data.clips) {
        CHECK_FALSE(clip.licence.empty());
        files.insert(clip.file);
        bytes += std::filesystem::file_size(clip.file);
    }
    CHECK(bytes < 5'000'000);
    for (const auto& entry : std::filesystem::directory_iterator(othersFile().parent_path()))
        CHECK((entry.path() == othersFile() || files.contains(entry.path())));
}
