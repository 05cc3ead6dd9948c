// Sounds that are taught in plugin and app: from a recording, or from what is heard live.
#include "Cli/NamedModel.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Teaching/Collection.h"
#include "Core/Teaching/TaughtModel.h"
#include "Plugin/Base/UserLists.h"
#include "Plugin/EarshotProcessor.h"
#include "Plugin/Teach/LessonModels.h"
#include "Plugin/Teach/Teacher.h"
#include "ProcessorRig.h"
#include "Support/Catch.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <functional>
#include <numbers>
#include <thread>

using namespace earshot;

namespace {

constexpr double rate = 48000.0;

bool eventually(const std::function<bool()>& holds) {
    return test::eventually(holds, std::chrono::minutes(10));
}

// A tone that wobbles: no sound of the default model's.
void addWobble(std::vector<float>& samples, double hertz, double onset, double offset) {
    double phase = 0.0;
    for (auto i = static_cast<std::size_t>(onset * rate); i < static_cast<std::size_t>(offset * rate); ++i) {
        const double t = static_cast<double>(i) / rate;
        phase +=
            2.0 * std::numbers::pi * hertz * (1.0 + 0.25 * std::sin(2.0 * std::numbers::pi * 8.0 * t)) / rate;
        samples[i] += static_cast<float>(0.2 * std::sin(phase) + 0.07 * std::sin(3.0 * phase));
    }
}

void prepare(plugin::EarshotProcessor& processor, bool offline) {
    processor.setNonRealtime(offline);
    processor.setRateAndBufferSizeDetails(rate, 480);
    processor.prepareToPlay(rate, 480);
}

juce::File writeRecording(const std::filesystem::path& file, const std::vector<float>& samples) {
    test::writeAudio(file, test::AudioFormat::wavPcm16, static_cast<int>(rate), 1, samples);
    return juce::File(juce::String(file.string()));
}

// The editor looks at the collection when it opens; these tests have none.
void look(plugin::EarshotProcessor& processor) {
    processor.model().load(juce::File(juce::String(test::defaultModelFile().string())));
    REQUIRE(eventually([&] { return processor.teaching().state().possible; }));
    REQUIRE(eventually([&] { return processor.teaching().state().folder != juce::File(); }));
}

std::uint64_t shownStream(plugin::EarshotProcessor& processor) {
    processor.viewModel().update();
    return processor.viewModel().history().stream;
}

// Why a change was not made in the end; empty: it was.
juce::String outcome(plugin::EarshotProcessor& processor, const juce::String& refusal) {
    if (refusal.isNotEmpty()) return refusal;
    REQUIRE(eventually([&] { return !processor.teaching().busy(); }));
    return processor.teaching().state().refusal;
}

// Teaches from what is shown.
juce::String teach(plugin::EarshotProcessor& processor, const juce::String& sound, double onset,
                   double offset, bool is) {
    return outcome(processor, processor.teaching().teach(sound, shownStream(processor), onset, offset, is));
}

// Teaches a wobble of a new recording.
void teachWobble(plugin::EarshotProcessor& processor, const std::filesystem::path& file) {
    std::vector<float> samples = test::noise(static_cast<std::size_t>(rate * 5.0), 1, 0.004f);
    addWobble(samples, 500.0, 2.0, 3.0);
    processor.playback().open(writeRecording(file, samples));
    CHECK(teach(processor, "Wobble", 2.0, 3.0, true) == "");
}

// The largest probability of a class in a stretch of the shown recording; -1: there is no such class.
float loudest(plugin::EarshotProcessor& processor, const std::string& name, double from, double to) {
    streaming::History history;
    processor.playback().source().copySince(history);
    const auto index = history.labels ? history.labels->find(name) : std::nullopt;
    if (!index) return -1.0f;
    const auto& timeline = *history.timeline;
    float most = 0.0f;
    for (std::int64_t column = 0; column < timeline.columns(); ++column) {
        const double time = (static_cast<double>(column) + 0.5) * timeline.secondsPerColumn();
        if (time < from || time > to) continue;
        most = std::max(most, timeline.column(column)[static_cast<std::size_t>(*index)]);
    }
    return most;
}

juce::File fileOf(const std::filesystem::path& path) { return juce::File(juce::String(path.string())); }

// A small model in a folder of its own.
std::filesystem::path writeModel(const std::filesystem::path& file, const std::vector<std::string>& labels) {
    std::filesystem::create_directories(file.parent_path());
    test::writeNamedModel(file, labels);
    return file;
}

// Writes a model with sounds that no lesson learnt.
void writeTaught(const std::filesystem::path& base, const std::filesystem::path& file,
                 const std::vector<std::string>& names, const std::string& identity) {
    const auto width = model::Network(model::loadWeights(base)).classInputCount();
    const teaching::TeachableModel before(base);
    teaching::TaughtPart part{before.note(identity), "private use", {}};
    for (const auto& name : names) {
        teaching::TaughtSound sound;
        sound.name = name;
        sound.threshold = 0.4f;
        sound.row.bias = -0.1f * static_cast<float>(part.sounds.size());
        for (std::int64_t i = 0; i < width; ++i)
            sound.row.weights.push_back(std::sin(static_cast<float>(i) + sound.row.bias));
        part.sounds.push_back(std::move(sound));
    }
    std::filesystem::create_directories(file.parent_path());
    before.write(file, part);
}

const std::vector<std::string> sevenNames = {"Creak", "Drip", "Hiss", "Knock", "Squeak", "Thud", "Wobble"};

// What a project that was opened heard of a bounce.
struct Bounce {
    explicit Bounce(const std::string& state) {
        processor.setStateInformation(state.data(), static_cast<int>(state.size()));
        prepare(processor, true);
        const auto noise = test::noise(static_cast<std::size_t>(rate * 6.0), 3);
        juce::AudioBuffer<float> audio(2, static_cast<int>(noise.size()));
        for (int channel = 0; channel < 2; ++channel)
            std::ranges::copy(noise, audio.getWritePointer(channel));
        test::playThrough(
            processor, audio, [] { return 480; }, [](const juce::MidiBuffer&, int) {});
        processor.releaseResources();
        streaming::History history;
        processor.bounce()->copySince(history);
        REQUIRE(history.labels);
        names = history.labels->names();
        for (std::int64_t i = 0; i < history.timeline->columns(); ++i) {
            const auto column = history.timeline->column(i);
            values.insert(values.end(), column.begin(), column.end());
        }
    }
    std::string message() const { return processor.bounce()->status().message; }

    plugin::EarshotProcessor processor;
    std::vector<std::string> names;
    std::vector<float> values; // (columns, classes)
};

bool isHeard(plugin::EarshotProcessor& processor) {
    return eventually(
        [&] { return processor.playback().source().status().state == streaming::State::finished; });
}

} // namespace

TEST_CASE("two marked stretches become a lane that lights on another recording", "[unit][no-asan][no-tsan]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    std::vector<float> one = test::noise(static_cast<std::size_t>(rate * 12.0), 1, 0.004f), other = one;
    addWobble(one, 500.0, 2.0, 3.0);
    addWobble(one, 640.0, 7.0, 8.5);
    addWobble(other, 570.0, 5.0, 6.2);

    plugin::EarshotProcessor processor;
    look(processor);
    CHECK_FALSE(processor.teaching().state().canLearn);
    CHECK(processor.teaching().learn().isNotEmpty()); // there is nothing to learn
    processor.playback().open(writeRecording(folder / "one.wav", one));
    REQUIRE(isHeard(processor));
    CHECK(teach(processor, "a;b", 2.0, 3.0, true).isNotEmpty());
    CHECK(teach(processor, "Wobble", 2.0, 3.0, true) == "");
    CHECK(teach(processor, "Wobble", 7.0, 8.5, true) == "");
    CHECK(teach(processor, "Wobble", 10.0, 11.0, false) == "");
    auto teaching = processor.teaching().state();
    REQUIRE(teaching.sounds.size() == 1);
    CHECK(teaching.sounds[0].examples == 2);
    CHECK(teaching.sounds[0].counterExamples == 1);
    CHECK(std::abs(teaching.sounds[0].seconds - 2.5) < 1e-6);
    CHECK(teaching.sounds[0].sources == 1);
    CHECK_FALSE(teaching.sounds[0].learnt);
    CHECK(teaching.sounds[0].reliability.contains("Cannot be judged yet"));
    REQUIRE(teaching.canLearn);
    CHECK(teaching.folder.getChildFile("examples.csv").existsAsFile());

    CHECK(processor.teaching().learn() == "");
    CHECK(processor.teaching().state().learning);
    REQUIRE(eventually([&] {
        processor.followParameters(); // as the timer
        return !processor.teaching().state().learning;
    }));
    INFO(processor.teaching().state().outcome);
    processor.followParameters();
    teaching = processor.teaching().state();
    CHECK(teaching.outcome.contains("Trained in"));
    CHECK(teaching.canUndo);
    REQUIRE(eventually([&] { return processor.teaching().state().sounds[0].learnt; }));
    CHECK_FALSE(processor.teaching().state().canLearn);

    processor.playback().open(writeRecording(folder / "other.wav", other));
    REQUIRE(isHeard(processor));
    CHECK(loudest(processor, "Wobble", 5.0, 6.2) > 0.4f);
    CHECK(loudest(processor, "Wobble", 0.0, 4.5) < 0.4f);
    CHECK(loudest(processor, "Wobble", 7.0, 11.0) < 0.4f);

    // A project that is saved now opens with the lane.
    juce::MemoryBlock state;
    processor.getStateInformation(state);
    plugin::EarshotProcessor opened;
    opened.setStateInformation(state.getData(), static_cast<int>(state.getSize()));
    prepare(opened, false);
    REQUIRE(eventually([&] { return opened.session().status().classes == 83; }));

    CHECK(processor.teaching().undo() == "");
    CHECK_FALSE(processor.teaching().state().canUndo);
    REQUIRE(isHeard(processor));
    CHECK(loudest(processor, "Wobble", 5.0, 6.2) == -1.0f);
    REQUIRE(eventually([&] { return processor.teaching().state().canLearn; })); // again
}

TEST_CASE("what was heard live is taught while it is kept", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    plugin::EarshotProcessor processor;
    look(processor);
    CHECK_FALSE(processor.teaching().state().keepsAudio); // off in a plugin, until the panel switches it on
    CHECK(teach(processor, "Wobble", 1.0, 2.0, true).contains("not being kept"));
    processor.teaching().panelOpens();
    CHECK(processor.teaching().state().keepsAudio);
    processor.teaching().setKeepsAudio(false);
    processor.teaching().panelOpens(); // it stays as the user left it
    CHECK_FALSE(processor.teaching().state().keepsAudio);
    processor.teaching().setKeepsAudio(true);
    prepare(processor, false);
    REQUIRE(eventually([&] { return processor.session().status().state == streaming::State::running; }));
    std::vector<float> samples(static_cast<std::size_t>(rate * 5.0));
    addWobble(samples, 500.0, 2.0, 3.0);
    juce::AudioBuffer<float> audio(2, static_cast<int>(samples.size()));
    for (int channel = 0; channel < 2; ++channel) std::ranges::copy(samples, audio.getWritePointer(channel));
    test::playThrough(
        processor, audio, [] { return 480; }, [](const juce::MidiBuffer&, int) {});
    std::vector<float> last;
    double start = 0.0;
    int kept = 0;
    REQUIRE(eventually(
        [&] { return processor.session().copyAudio(shownStream(processor), 4.97, 5.0, last, start, kept); }));
    CHECK(kept == 32000);

    CHECK(teach(processor, "Wobble", 2.0, 3.0, true) == "");
    CHECK(teach(processor, "Wobble", 700.0, 701.0, true).contains("no longer kept"));
    CHECK(outcome(processor, processor.teaching().rename("Wobble", "Warble")) == "");
    const teaching::Collection collection(
        processor.teaching().state().folder.getFullPathName().toStdString());
    REQUIRE(collection.examples().size() == 1);
    CHECK(collection.examples()[0].label == "Warble");
    CHECK_THAT(collection.examples()[0].group, Catch::Matchers::StartsWith("live 20"));
    // The clip holds the sound where the table says, with two seconds beside it.
    const auto clip = test::readAudio(collection.examples()[0].file);
    CHECK(std::abs(*collection.examples()[0].onset - 2.0) < 0.001);
    CHECK(std::abs(clip.getNumSamples() - 5 * 32000) < 1600);
    CHECK(clip.getMagnitude(0, 0, 60000) < 0.001f);
    CHECK(clip.getMagnitude(0, 70000, 20000) > 0.1f);

    // The model that learnt it hears again what was kept: the lane does not begin empty.
    CHECK(processor.teaching().learn() == "");
    const auto isLit = [&] {
        processor.followParameters(); // in place of its timer
        return loudest(processor, "Warble", 2.1, 2.9) > 0.5f;
    };
    REQUIRE(eventually(isLit));
    CHECK(loudest(processor, "Warble", 0.5, 1.4) < 0.3f);
    CHECK(outcome(processor, processor.teaching().forget("Warble")) == "");
    CHECK(processor.teaching().state().sounds.empty());
}

TEST_CASE("a frozen view teaches nothing of the stream that came meanwhile", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    plugin::EarshotProcessor processor;
    look(processor);
    processor.teaching().setKeepsAudio(true);
    const auto listen = [&] {
        prepare(processor, false);
        juce::AudioBuffer<float> audio(2, static_cast<int>(rate * 4.0));
        audio.clear();
        test::playThrough(
            processor, audio, [] { return 480; }, [](const juce::MidiBuffer&, int) {});
    };
    // Whether another stream than that one runs and its audio is there.
    const auto keepsOther = [&](std::uint64_t stream) {
        streaming::History now;
        processor.session().copySince(now);
        std::vector<float> samples;
        double start = 0.0;
        int kept = 0;
        return now.stream != stream &&
               processor.session().copyAudio(now.stream, 3.9, 4.0, samples, start, kept);
    };
    REQUIRE(eventually([&] { return processor.session().status().state == streaming::State::stopped; }));
    listen();
    REQUIRE(eventually([&] { return keepsOther(0); }));
    const auto first = shownStream(processor);
    processor.viewModel().setFrozen(true);
    CHECK(teach(processor, "Wobble", 1.0, 2.0, true) == "");
    processor.releaseResources();
    CHECK(teach(processor, "Wobble", 2.0, 3.0, true) == "");  // it is still there
    processor.model().load(fileOf(test::defaultModelFile())); // begins another one
    listen();
    REQUIRE(eventually([&] { return keepsOther(first); }));
    CHECK(teach(processor, "Wobble", 1.0, 2.0, true).contains("no longer kept"));
    CHECK(processor.teaching().state().sounds[0].examples == 2);
    processor.viewModel().setFrozen(false);
    CHECK(teach(processor, "Wobble", 1.0, 2.0, true) == "");
    CHECK(processor.teaching().state().sounds[0].examples == 3);
}

TEST_CASE("a dropped folder of clips extends the collection, and a dropped collection is opened", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    plugin::EarshotProcessor processor;
    look(processor);
    const auto first = processor.teaching().state().folder;
    const auto tone = test::sine(500.0, 1.0, static_cast<int>(rate));
    for (const char* sound : {"Creak", "Drip"}) {
        std::filesystem::create_directories(folder / "clips" / sound);
        for (const char* name : {"1.wav", "2.wav"}) writeRecording(folder / "clips" / sound / name, tone);
    }
    CHECK(outcome(processor, processor.teaching().addExamples(fileOf(folder / "clips"))) == "");
    auto teaching = processor.teaching().state();
    CHECK(teaching.folder == first);
    REQUIRE(teaching.sounds.size() == 2);
    CHECK(teaching.sounds[0].name == "Creak");
    CHECK(teaching.sounds[1].examples == 2);
    CHECK(outcome(processor, processor.teaching().addExamples(fileOf(folder / "clips"))) ==
          ""); // they are known
    CHECK(processor.teaching().state().sounds[1].examples == 2);
    CHECK(outcome(processor, processor.teaching().addExamples(fileOf(folder / "nothing"))).isNotEmpty());
    CHECK(outcome(processor, processor.teaching().addExamples(fileOf(folder / "clips" / "Drip" / "1.wav")))
              .isNotEmpty());

    std::filesystem::create_directories(folder / "other");
    std::filesystem::copy(folder / "clips" / "Drip" / "1.wav", folder / "other" / "one.wav");
    test::writeBytes(folder / "other" / "examples.csv", "file,label\none.wav,Plop\n");
    CHECK(outcome(processor, processor.teaching().addExamples(fileOf(folder / "other"))) == "");
    teaching = processor.teaching().state();
    CHECK(teaching.folder == fileOf(folder / "other"));
    REQUIRE(teaching.sounds.size() == 1);
    CHECK(teaching.sounds[0].name == "Plop");
}

TEST_CASE("examples are taken back and come back, unless others changed them", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    plugin::EarshotProcessor processor;
    look(processor);
    auto& desk = processor.teaching();
    teachWobble(processor, folder / "a.wav");
    CHECK(teach(processor, "Creak", 0.5, 1.0, true) == "");
    const auto names = [&] {
        juce::StringArray all;
        for (const auto& sound : desk.state().sounds) all.add(sound.name);
        return all;
    };
    CHECK(desk.edits() == 2);
    CHECK(outcome(processor, desk.restore(0)) == "");
    CHECK(names().isEmpty());
    CHECK_FALSE(desk.state().canLearn);
    CHECK(outcome(processor, desk.restore(1)) == "");
    CHECK(names() == juce::StringArray{"Wobble"});
    CHECK(desk.state().canLearn);
    CHECK(teach(processor, "Hiss", 0.5, 1.0, true) == ""); // ends what could be made again
    CHECK(desk.edits() == 2);
    teaching::Collection other(desk.state().folder.getFullPathName().toStdString());
    other.rename("Hiss", "Steam");
    CHECK_THAT(outcome(processor, desk.restore(1)).toStdString(), ContainsSubstring("changed elsewhere"));
    CHECK(teaching::Collection(other.folder()).examples().size() == 2);
}

TEST_CASE("a disk that hangs holds up nobody who teaches, and all is done once it answers", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    struct Disk {
        std::atomic<bool> hangs = false, waits = false;
    };
    const auto disk = std::make_shared<Disk>();
    plugin::Teacher teacher([disk] {
        while (disk->hangs) {
            disk->waits = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    teacher.look(test::defaultModelFile());
    REQUIRE(eventually([&] { return !teacher.busy() && teacher.view().folder != juce::File(); }));
    const auto keep = [&](const char* sound) {
        plugin::HeardStretch stretch;
        stretch.offset = 1.0;
        stretch.samples = test::sine(500.0, 1.0, 32000);
        stretch.sampleRate = 32000;
        stretch.group = "a stream";
        return teacher.keep(sound, true, stretch);
    };
    disk->hangs = true;
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) CHECK(keep("Wobble") == "");
    CHECK(teacher.rename("Wobble", "Warble") == "");
    CHECK(teacher.forget("Nothing") == "");
    CHECK(teacher.add((folder / "missing").string()) == "");
    teacher.look(test::defaultModelFile());
    teacher.follow(folder / "other.safetensors");
    CHECK(teacher.view().sounds.empty());
    // Waiting two seconds for each, or 0.4 s, would take longer.
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(3));
    REQUIRE(eventually([&] { return disk->waits.load(); }));
    CHECK(teacher.busy());
    disk->hangs = false;
    REQUIRE(eventually([&] { return !teacher.busy(); }));
    const auto teaching = teacher.view();
    REQUIRE(teaching.sounds.size() == 1);
    CHECK(teaching.sounds[0].name == "Warble");
    CHECK(teaching.sounds[0].examples == 5);
    CHECK(teaching.refusals >= 1);
    CHECK(teaching.refusal.isNotEmpty()); // there was no such folder
}

TEST_CASE("a lesson is stopped, and an instance that goes stops it", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    {
        plugin::EarshotProcessor processor;
        look(processor);
        teachWobble(processor, folder / "one.wav");
        plugin::EarshotProcessor second;
        look(second);
        REQUIRE(eventually([&] { return second.teaching().state().canLearn; }));
        CHECK(processor.teaching().learn() == "");
        REQUIRE(eventually([&] { return processor.teaching().state().progress > 0.0; }));
        juce::MemoryBlock saved;
        processor.getStateInformation(saved);
        CHECK(second.teaching().learn() == "");
        REQUIRE(eventually([&] { return !second.teaching().state().learning; }));
        INFO(second.teaching().state().outcome);
        CHECK(second.teaching().state().outcome.contains("Another Earshot is training"));

        processor.teaching().stop();
        REQUIRE(eventually([&] { return !processor.teaching().state().learning; }));
        INFO(processor.teaching().state().outcome);
        CHECK(processor.teaching().state().outcome.contains("Stopped"));
        CHECK(processor.teaching().state().canLearn);
        CHECK(processor.teaching().learn() == "");

        // The project that was saved meanwhile has the model that was there before.
        plugin::EarshotProcessor opened;
        opened.setStateInformation(saved.getData(), static_cast<int>(saved.getSize()));
        prepare(opened, false);
        REQUIRE(eventually([&] { return opened.session().status().classes == 82; }));
    }
    const auto folderNow = plugin::collectionFolder();
    for (const auto& file : folderNow.findChildFiles(juce::File::findFiles, false))
        CHECK(file.getFileExtension() != ".safetensors");
}

TEST_CASE("a lesson waits while a bounce runs", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    plugin::EarshotProcessor processor;
    look(processor);
    teachWobble(processor, folder / "one.wav");
    processor.playback().close();
    prepare(processor, true);
    CHECK(processor.teaching().learn() == "");
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    CHECK(processor.teaching().state().learning);
    CHECK(processor.teaching().state().progress == 0.0);
    CHECK(outcome(processor, processor.teaching().forget("Wobble"))
              .contains("bounce is running")); // nothing is written meanwhile
    processor.releaseResources();
    REQUIRE(eventually([&] { return processor.teaching().state().progress > 0.0; }));
}

TEST_CASE("a project carries what was taught, and sounds as it did where the file is missing", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    const auto base = writeModel(folder / "old" / "earshot-default.safetensors", {"Rain", "Wind"});
    const auto newer = writeModel(folder / "new" / "earshot-default.safetensors", {"Rain", "Wind", "Hail"});
    const auto taught = folder / "collection" / "earshot-default-taught.safetensors";
    ::setenv("EARSHOT_MODEL", base.c_str(), 1);
    writeTaught(base, taught, sevenNames, "some examples");
    const auto bytes = test::readBytes(taught);

    std::string state, older;
    plugin::ModelChoice saved;
    {
        plugin::EarshotProcessor processor;
        prepare(processor, false);
        processor.model().load(fileOf(taught));
        REQUIRE(eventually([&] {
            saved = processor.state().model;
            return saved.taught.has_value() && saved.sha256.size() == 64;
        }));
        juce::MemoryBlock data;
        processor.getStateInformation(data);
        state = data.toString().toStdString();
        processor.releaseResources();
    }
    CHECK(state.size() < 150'000);
    CHECK(saved.taught == teaching::TaughtPart::read(taught));
    auto json = nlohmann::json::parse(state);
    json["model"].erase("taught");
    older = json.dump();

    auto names = std::vector<std::string>{"Rain", "Wind"};
    names.insert(names.end(), sevenNames.begin(), sevenNames.end());
    const Bounce before(state);
    REQUIRE(before.values.size() > 10 * names.size());
    CHECK(before.names == names);
    CHECK(before.message().empty());
    const auto remade = plugin::remadeModels();
    CHECK_FALSE(remade.exists()); // the file is there
    // A project of an older version sounds the same, and carries it from now on.
    const Bounce old(older);
    CHECK(old.values == before.values);
    CHECK(old.processor.state().model == saved);

    // The file is gone. It is made again, with the same bytes, and not in the collection.
    std::filesystem::remove(taught);
    const auto isAsBefore = [&] {
        const Bounce now(state);
        CHECK(now.names == names);
        CHECK(now.values == before.values);
        CHECK(now.message().empty());
        CHECK(now.processor.bounce()->status().model == "earshot-default-taught");
        CHECK(now.processor.state().model == saved);
    };
    isAsBefore();
    CHECK(std::filesystem::is_empty(taught.parent_path()));
    auto made = remade.findChildFiles(juce::File::findFiles, false);
    REQUIRE(made.size() == 1);
    CHECK(test::readBytes(made[0].getFullPathName().toStdString()) == bytes);
    isAsBefore(); // from the file that was made
    made[0].replaceWithText("damaged");
    isAsBefore();

    // A later lesson wrote another model there.
    writeTaught(base, taught, {"Wobble"}, "other examples");
    isAsBefore();
    CHECK(Bounce(older).names == std::vector<std::string>{"Rain", "Wind", "Wobble"});

    // The model from before is gone, too: first from the default model's place, then everywhere.
    REQUIRE(remade.deleteRecursively());
    ::setenv("EARSHOT_MODEL", newer.c_str(), 1);
    std::filesystem::copy_file(base, taught.parent_path() / "earshot-default.safetensors");
    isAsBefore();
    std::filesystem::remove(taught.parent_path() / "earshot-default.safetensors");
    REQUIRE(remade.deleteRecursively());
    {
        const Bounce now(state);
        CHECK_THAT(now.message(), ContainsSubstring("has changed since the project was saved"));
        CHECK(now.names == std::vector<std::string>{"Rain", "Wind", "Wobble"});
        CHECK(now.processor.state().model == saved);
    }
    std::filesystem::remove(taught);
    {
        const Bounce now(state);
        CHECK_THAT(now.message(), ContainsSubstring("earshot-default-taught.safetensors is missing") &&
                                      ContainsSubstring("or the earshot-default that it was taught to"));
        CHECK(now.names == std::vector<std::string>{"Rain", "Wind", "Hail"});
        CHECK(now.processor.state().model == saved); // it waits for one of the files
    }
    CHECK_FALSE(remade.exists());
}

TEST_CASE("what a stranger's project says was taught cannot be added to a model that it does not fit",
          "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    const auto base = writeModel(folder / "old" / "earshot-default.safetensors", {"Rain", "Wind"});
    const auto taught = folder / "collection" / "earshot-default-taught.safetensors";
    ::setenv("EARSHOT_MODEL", base.c_str(), 1);
    writeTaught(base, taught, {"Creak"}, "");
    plugin::PluginState state;
    state.model = {taught, {}, "x", teaching::TaughtPart::read(taught)};
    REQUIRE(state.model.taught);
    std::filesystem::remove(taught);
    CHECK(Bounce(plugin::toJson(state)).names == std::vector<std::string>{"Rain", "Wind", "Creak"});
    const auto made = [] { return plugin::remadeModels().getNumberOfChildFiles(juce::File::findFiles); };
    CHECK(made() == 1);

    const auto isRefused = [&](auto&& change) {
        auto other = state;
        change(*other.model.taught);
        const Bounce now(plugin::toJson(other));
        CHECK(now.names == std::vector<std::string>{"Rain", "Wind"});
        CHECK_THAT(now.message(), ContainsSubstring("is missing"));
        CHECK(made() == 1);
    };
    isRefused([](auto& part) { part.sounds[0].row.weights.resize(5); });
    isRefused([](auto& part) { part.note.classes = 3; });
    isRefused([](auto& part) { part.note.base = std::string(64, 'a'); });
    isRefused([](auto& part) { part.note.base = std::string(64, 'a'), part.note.model = "../old/x"; });
    isRefused([](auto& part) { part.sounds[0].name = "_hidden"; });
    CHECK(std::filesystem::is_empty(taught.parent_path()));
}

TEST_CASE("sounds that another model learnt are offered to be learnt again", "[unit][no-asan][no-tsan]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    plugin::EarshotProcessor processor;
    look(processor);
    teachWobble(processor, folder / "one.wav");
    processor.playback().close();
    CHECK(processor.teaching().state().hint.isEmpty());
    // A lesson of before Earshot was updated.
    const std::filesystem::path place = processor.teaching().state().folder.getFullPathName().toStdString();
    const auto old = writeModel(folder / "old" / "earshot-default.safetensors", {"Rain", "Wind"});
    const auto taught = place / "earshot-default-taught.safetensors";
    writeTaught(old, taught, {"Wobble"}, teaching::Collection(place).fingerprint());

    const auto says = [&](const char* text) {
        return eventually([&] { return processor.teaching().state().hint.contains(text); });
    };
    processor.model().loadDefault();
    CHECK(says("default model is newer"));
    CHECK(processor.teaching().state().canLearn);
    processor.model().load(fileOf(writeModel(folder / "birds.safetensors", {"Blackbird"})));
    CHECK(says("trained with earshot-default"));
    processor.model().load(fileOf(old)); // it has learnt them
    CHECK(eventually([&] { return processor.teaching().state().hint.isEmpty(); }));
    processor.model().load(fileOf(taught));
    CHECK(says("default model is newer"));
    REQUIRE(processor.teaching().state().sounds.size() == 1);
    CHECK(processor.teaching().state().sounds[0].learnt);
    REQUIRE(processor.teaching().state().canLearn); // all the same

    CHECK(processor.teaching().learn() == "");
    REQUIRE(eventually([&] {
        processor.followParameters(); // as the timer
        return !processor.teaching().state().learning;
    }));
    INFO(processor.teaching().state().outcome);
    processor.followParameters();
    CHECK(eventually([&] { return processor.teaching().state().hint.isEmpty(); }));
    CHECK(eventually([&] { return processor.teaching().state().sounds[0].learnt; }));
    CHECK_FALSE(processor.teaching().state().canLearn);
    const auto part = teaching::TaughtPart::read(taught);
    REQUIRE(part);
    CHECK(part->note.classes == 82);
    CHECK(part->note.base == teaching::TeachableModel(test::defaultModelFile()).base());
    // The lesson of before is kept for undo, and is not offered.
    const auto kept = place / "earshot-default-taught.before.safetensors";
    REQUIRE(std::filesystem::exists(kept));
    CHECK(plugin::RetrainOffer::find({}, place).offer.empty());
    std::filesystem::copy_file(kept, folder / kept.filename());
    CHECK(plugin::RetrainOffer::find({}, folder.path()).offer.empty());

    CHECK(processor.teaching().undo() == "");
    CHECK(says("default model is newer"));
}
