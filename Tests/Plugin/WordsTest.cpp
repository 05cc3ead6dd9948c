// Words that are typed into the plugin, with a small CLAP model of both halves.
#include "Core/Formats/MidiMap.h"
#include "Plugin/EarshotProcessor.h"
#include "Plugin/Model/WordList.h"
#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"

#include <chrono>
#include <functional>
#include <thread>

using namespace earshot;
using test::eventually;

namespace {

constexpr double rate = 48000.0;

// The files of a small model: both halves, and the half of sound alone.
struct Models {
    Models() {
        auto model = test::asLaionClap(test::smallModel());
        model.logScale = 2.0f;
        test::writeProceduralModel(whole(), model, test::tinyText(false));
        test::writeProceduralModel(half(), model);
    }
    std::filesystem::path whole() const { return folder / "clap.safetensors"; }
    std::filesystem::path half() const { return folder / "sound.safetensors"; }

    test::TemporaryDirectory folder;
};

struct Mirror {
    explicit Mirror(const streaming::HistoryProvider& source) { source.copySince(history); }
    std::vector<std::string> names() const {
        return history.labels ? history.labels->names() : std::vector<std::string>{};
    }
    std::vector<float> values(std::int64_t columns) const {
        std::vector<float> values;
        for (std::int64_t i = 0; i < columns; ++i) {
            const auto column = history.timeline->column(i);
            values.insert(values.end(), column.begin(), column.end());
        }
        return values;
    }
    streaming::History history;
};

bool hears(const plugin::EarshotProcessor& processor, const std::vector<std::string>& names) {
    return eventually([&] { return Mirror(processor.session()).names() == names; });
}

void play(plugin::EarshotProcessor& processor, double seconds, unsigned seed = 1) {
    const auto noise = test::noise(static_cast<std::size_t>(rate * seconds), seed);
    juce::AudioBuffer<float> audio(2, static_cast<int>(noise.size()));
    for (int channel = 0; channel < 2; ++channel) std::ranges::copy(noise, audio.getWritePointer(channel));
    test::playThrough(
        processor, audio, [] { return 480; }, [](const juce::MidiBuffer&, int) {});
}

void open(plugin::EarshotProcessor& processor, const std::filesystem::path& model) {
    processor.model().load(juce::File(juce::String(model.string())));
    REQUIRE(eventually([&] { return processor.session().status().model == model.stem().string(); }));
    REQUIRE(eventually([&] { return !processor.words().state().busy; }));
}

void prepare(plugin::EarshotProcessor& processor, bool offline) {
    processor.setNonRealtime(offline);
    processor.setRateAndBufferSizeDetails(rate, 480);
    processor.prepareToPlay(rate, 480);
}

} // namespace

TEST_CASE("a typed word becomes a lane, beside those that run", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const Models models;
    plugin::EarshotProcessor processor;
    CHECK(processor.words().add("rain").isNotEmpty()); // nothing is known of a model yet
    prepare(processor, false);
    open(processor, models.whole());
    REQUIRE(processor.words().state().possible);
    CHECK(processor.words().state().hint.isEmpty());
    play(processor, 3.0);
    REQUIRE(eventually([&] { return Mirror(processor.session()).history.timeline->columns() > 3; }));
    const auto classes = static_cast<std::size_t>(test::smallModel().config.classes);
    const Mirror first(processor.session());
    const auto stream = first.history.stream;
    CHECK(first.names().size() == classes);

    CHECK(processor.words().add("glass breaking=Glass").isEmpty());
    REQUIRE(hears(processor, {"Glass"}));
    play(processor, 5.0);
    REQUIRE(eventually([&] { return Mirror(processor.session()).history.timeline->columns() > 10; }));
    const auto status = processor.session().status();
    const Mirror before(processor.session());
    const auto columns = before.history.timeline->settled();

    CHECK(processor.words().add(" a dog barks ").isEmpty());
    REQUIRE(hears(processor, {"Glass", "a dog barks"}));
    CHECK(processor.session().status().heard >= status.heard);
    CHECK(processor.session().status().droppedChunks == status.droppedChunks);
    // The first lane is as it was, and the new one is there from the beginning.
    const Mirror after(processor.session());
    REQUIRE(after.history.timeline->settled() >= columns);
    const auto one = before.values(columns), two = after.values(columns);
    for (std::size_t i = 0; i < one.size(); ++i) REQUIRE(two[2 * i] == one[i]);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(two[2 * i + 1] > 0.0f);

    // Names, order and removal.
    const auto words = processor.words().state().words;
    REQUIRE(words.size() == 2);
    CHECK(words[0] == ui::Word{words[0].id, "glass breaking", "Glass"});
    CHECK(words[1].text == "a dog barks");
    CHECK(processor.words().add("other=Glass").isNotEmpty());
    CHECK(processor.words().add("").isNotEmpty());
    CHECK(processor.words().add("=Name").isNotEmpty());
    CHECK(processor.words().add(juce::String::repeatedString("long ", 200)).isNotEmpty());
    CHECK(processor.words().rename(words[1].id, "Glass").isNotEmpty());
    CHECK(processor.words().rename(words[1].id, "").isNotEmpty());
    CHECK(processor.words().rename(words[1].id, "Dog").isEmpty());
    REQUIRE(hears(processor, {"Glass", "Dog"}));
    processor.words().move(words[1].id, -5);
    CHECK(processor.words().state().words.front().name == "Dog");
    processor.words().remove(words[0].id);
    REQUIRE(hears(processor, {"Dog"}));
    // Notes know a word by its number.
    CHECK(Mirror(processor.session()).history.labels->key(0) ==
          detection::Labels::firstWordKey + words[1].id);
    CHECK(formats::MidiMap::defaultNote(detection::Labels::firstWordKey + words[1].id).channel == 16);

    // Beside the model's classes, and without words again: all of it is one stream, and the classes that were
    // heard before the first word are as they were.
    processor.words().setJoin(true);
    REQUIRE(eventually([&] { return Mirror(processor.session()).names().size() == classes + 1; }));
    CHECK(Mirror(processor.session()).names().back() == "Dog");
    processor.words().remove(words[1].id);
    REQUIRE(eventually([&] { return Mirror(processor.session()).names().size() == classes; }));
    CHECK(processor.words().state().words.empty());
    const Mirror last(processor.session());
    CHECK(last.history.stream == stream);
    const auto settled = first.history.timeline->settled();
    CHECK(last.values(settled) == first.values(settled));
    processor.releaseResources();
}

TEST_CASE("a project with words opens without the half of texts, and scores as it did", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const Models models;
    juce::MemoryBlock state;
    std::vector<float> expected;
    std::int64_t columns = 0;
    {
        plugin::EarshotProcessor processor;
        prepare(processor, true);
        open(processor, models.whole());
        CHECK(processor.words().add("glass breaking").isEmpty());
        CHECK(processor.words().add("rain=Rain").isEmpty());
        REQUIRE(hears(processor, {"glass breaking", "Rain"}));
        processor.releaseResources();
        prepare(processor, true);
        play(processor, 8.0, 3);
        processor.releaseResources();
        const Mirror mirror(*processor.bounce());
        columns = mirror.history.timeline->columns();
        expected = mirror.values(columns);
        processor.getStateInformation(state);
    }
    REQUIRE(columns > 20);
    const auto reopen = [&](const std::vector<std::string>& names) {
        auto processor = std::make_unique<plugin::EarshotProcessor>();
        processor->setStateInformation(state.getData(), static_cast<int>(state.getSize()));
        prepare(*processor, true);
        play(*processor, 8.0, 3);
        processor->releaseResources();
        CHECK(Mirror(*processor->bounce()).names() == names);
        return processor;
    };
    const std::vector<std::string> names = {"glass breaking", "Rain"};
    CHECK(Mirror(*reopen(names)->bounce()).values(columns) == expected);

    // The half of sound alone, under the same name.
    std::filesystem::remove(models.whole());
    std::filesystem::copy_file(models.half(), models.whole());
    auto processor = reopen(names);
    CHECK(Mirror(*processor->bounce()).values(columns) == expected);
    CHECK(!processor->words().state().possible);
    CHECK(processor->words().state().hint.contains("lacks the half of texts"));
    CHECK(processor->words().add("a dog barks") == processor->words().state().hint);
    // A word whose vector is not there is left out, and named.
    auto changed = processor->state();
    changed.words.words.push_back({99, "a dog barks", "Dog"});
    const auto json = plugin::toJson(changed);
    processor->setStateInformation(json.data(), static_cast<int>(json.size()));
    REQUIRE(eventually(
        [&] { return processor->session().status().message.find("\"Dog\"") != std::string::npos; }));
    CHECK(hears(*processor, names));

    // No model at all: the default one, whose classes the words cannot replace, and the words stay.
    std::filesystem::remove(models.whole());
    processor = std::make_unique<plugin::EarshotProcessor>();
    processor->setStateInformation(state.getData(), static_cast<int>(state.getSize()));
    prepare(*processor, false);
    REQUIRE(eventually([&] { return !Mirror(processor->session()).names().empty(); }));
    CHECK(Mirror(processor->session()).names().size() > 10);
    REQUIRE(eventually(
        [&] { return processor->session().status().message.find("is missing") != std::string::npos; }));
    CHECK(processor->words().state().words.size() == 2);
    CHECK(processor->words().state().hint.contains("both its halves"));
    processor->words().remove(processor->words().state().words.front().id); // does no harm
    CHECK(processor->session().status().state != streaming::State::failed);
    processor->releaseResources();
}

TEST_CASE("words may be typed while the default model is a CLAP model", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const Models models;
    ::setenv("EARSHOT_MODEL", models.whole().c_str(), 1);
    plugin::EarshotProcessor processor;
    prepare(processor, false);
    REQUIRE(eventually([&] { return processor.words().state().possible; }));
    CHECK(processor.words().add("rain").isEmpty());
    REQUIRE(hears(processor, {"rain"}));
    CHECK(processor.words().add("wind").isEmpty());
    REQUIRE(hears(processor, {"rain", "wind"}));
    CHECK(processor.session().status().message.empty());
    processor.releaseResources();
}

TEST_CASE("words are typed for the model that took the place of a missing one", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const Models models;
    ::setenv("EARSHOT_MODEL", models.whole().c_str(), 1);
    plugin::PluginState state;
    state.model = {models.folder / "gone.safetensors", std::string(64, 'f'), "gone"};
    const auto json = plugin::toJson(state);
    plugin::EarshotProcessor processor;
    processor.setStateInformation(json.data(), static_cast<int>(json.size()));
    prepare(processor, false);
    REQUIRE(eventually([&] { return processor.words().state().possible; }));
    CHECK(processor.words().add("rain").isEmpty());
    REQUIRE(hears(processor, {"rain"}));
    CHECK(processor.words().add("wind").isEmpty());
    REQUIRE(hears(processor, {"rain", "wind"}));
    processor.releaseResources();
}

TEST_CASE("an app's recording is scored again for a new word", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const Models models;
    const auto file = models.folder / "noise.wav";
    test::writeAudio(file, test::AudioFormat::wavFloat, 48000, 1, test::noise(480'000, 5));
    plugin::EarshotProcessor processor;
    prepare(processor, false);
    open(processor, models.whole());
    CHECK(processor.words().add("rain").isEmpty());
    processor.playback().open(juce::File(juce::String(file.string())));
    const auto ends = [&](const std::vector<std::string>& names) {
        return eventually([&] {
            return processor.playback().source().status().state == streaming::State::finished &&
                   Mirror(processor.playback().source()).names() == names;
        });
    };
    REQUIRE(ends({"rain"}));
    juce::MemoryBlock state;
    processor.getStateInformation(state);
    const auto id = processor.playback().sourceId();
    CHECK(processor.words().add("wind").isEmpty());
    REQUIRE(ends({"rain", "wind"}));
    CHECK(processor.playback().sourceId() == id); // it was not heard again
    processor.words().setJoin(true);
    const auto classes = static_cast<std::size_t>(test::smallModel().config.classes);
    REQUIRE(eventually([&] { return Mirror(processor.playback().source()).names().size() == classes + 2; }));
    CHECK(processor.playback().sourceId() == id);
    // Without words it is heard as `analyze` hears it.
    for (const auto& word : processor.words().state().words) processor.words().remove(word.id);
    REQUIRE(eventually(
        [&] { return processor.playback().source().status().state == streaming::State::finished; }));
    CHECK(Mirror(processor.playback().source()).names().size() == classes);
    CHECK(Mirror(processor.playback().source()).history.timeline->secondsPerColumn() ==
          Approx(test::smallModel().config.framesPerToken() * test::smallModel().config.secondsPerFrame()));
    // The host undoes all that.
    processor.setStateInformation(state.getData(), static_cast<int>(state.getSize()));
    REQUIRE(ends({"rain"}));
    processor.playback().close();
    processor.releaseResources();
}
