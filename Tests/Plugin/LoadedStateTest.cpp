// What a loaded state changes in an instance that is at work: a project's undo, a preset, a comparison of
// two.
#include "Cli/NamedModel.h"
#include "Plugin/Base/UserLists.h"
#include "Plugin/EarshotProcessor.h"
#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/PrivateBase.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace earshot;

namespace {

bool eventually(const std::function<bool()>& holds) {
    return test::eventually(holds, std::chrono::minutes(10));
}

juce::File fileOf(const std::filesystem::path& path) { return juce::File(juce::String(path.string())); }

void load(plugin::EarshotProcessor& processor, const plugin::PluginState& state) {
    const std::string json = plugin::toJson(state);
    processor.setStateInformation(json.data(), static_cast<int>(json.size()));
}

std::vector<std::string> sounds(const streaming::HistoryProvider& source) {
    streaming::History history;
    source.copySince(history);
    return history.labels ? history.labels->names() : std::vector<std::string>{};
}

bool hears(const streaming::HistoryProvider& source, const std::vector<std::string>& names) {
    return eventually([&] { return sounds(source) == names; });
}

const std::vector<std::string> weather = {"Rain", "Wind"};
const std::vector<std::string> birds = {"Blackbird", "Wren", "Rook"};

// Two small models.
struct Models {
    Models() {
        test::writeNamedModel(weatherFile(), weather);
        test::writeNamedModel(birdsFile(), birds);
    }
    std::filesystem::path weatherFile() const { return folder / "weather.safetensors"; }
    std::filesystem::path birdsFile() const { return folder / "birds.safetensors"; }

    test::HomeEnvironment home;
    test::TemporaryDirectory folder;
};

// Counts what the host is told to store.
struct Host : juce::AudioProcessorListener {
    void audioProcessorParameterChanged(juce::AudioProcessor*, int, float) override {}
    void audioProcessorChanged(juce::AudioProcessor*, const ChangeDetails& details) override {
        if (details.nonParameterStateChanged) ++changes;
    }
    int changes = 0;
};

} // namespace

TEST_CASE("an open recording follows a loaded state to its model", "[unit]") {
    const Models models;
    plugin::EarshotProcessor processor;
    processor.model().load(fileOf(models.weatherFile()));
    const plugin::PluginState first = processor.state();
    processor.playback().open(fileOf(test::demoFile()));
    REQUIRE(hears(processor.playback().source(), weather));

    plugin::PluginState second = first;
    second.model = {models.birdsFile(), {}, "birds"};
    load(processor, second);
    CHECK(hears(processor.playback().source(), birds));
    // A host may load it on any thread.
    std::thread([&] { load(processor, first); }).join();
    test::privateBase<juce::AsyncUpdater>(processor.project()).handleUpdateNowIfNeeded();
    CHECK(hears(processor.playback().source(), weather));
    // A state with the same model leaves what is heard.
    const auto shown = processor.playback().sourceId();
    plugin::PluginState wider = processor.state();
    wider.view.width = 1000;
    load(processor, wider);
    CHECK(processor.view().get().width == 1000);
    CHECK(processor.playback().sourceId() == shown);
    processor.playback().close();
}

TEST_CASE("a loaded state's model stays, whatever was learnt before or meanwhile",
          "[unit][no-asan][no-tsan]") {
    const Models models;
    plugin::EarshotProcessor processor;
    const auto teachable = [&] {
        return eventually([&] {
            const auto teaching = processor.teaching().state();
            return teaching.possible && teaching.folder != juce::File() && teaching.sounds.size() < 2;
        });
    };
    const auto learns = [&] {
        return eventually([&] {
            processor.followParameters(); // as the timer
            return !processor.teaching().state().learning;
        });
    };
    processor.model().load(fileOf(models.weatherFile()));
    REQUIRE(teachable());
    auto samples = test::noise(32000 * 5, 1, 0.004f);
    const auto tone = test::sine(500.0, 1.0, 32000);
    std::ranges::copy(tone, samples.begin() + 32000 * 2);
    test::writeAudio(models.folder / "tone.wav", test::AudioFormat::wavPcm16, 32000, 1, samples);
    processor.playback().open(fileOf(models.folder / "tone.wav"));
    REQUIRE(processor.teaching().teach("Tone", 0, 2.0, 3.0, true) == "");
    REQUIRE(eventually([&] { return !processor.teaching().busy(); }));
    processor.playback().close();
    plugin::PluginState preset;
    preset.model = {models.birdsFile(), {}, "birds"};

    REQUIRE(processor.teaching().learn() == "");
    REQUIRE(learns());
    processor.followParameters();
    INFO(processor.teaching().state().outcome);
    const auto taught = processor.state().model.file;
    REQUIRE(taught.filename() == "weather-taught.safetensors");
    REQUIRE(processor.teaching().state().canUndo);
    load(processor, preset);
    CHECK_FALSE(processor.teaching().state().canUndo);
    CHECK(processor.teaching().undo().isNotEmpty());
    CHECK(processor.state().model.file == models.birdsFile());

    processor.model().load(fileOf(models.weatherFile()));
    REQUIRE(eventually([&] {
        processor.followParameters();
        return processor.teaching().state().canLearn;
    }));
    std::filesystem::remove(
        plugin::configFolder().getChildFile("recent-models.txt").getFullPathName().toStdString());
    REQUIRE(processor.teaching().learn() == "");
    load(processor, preset);
    REQUIRE(learns());
    processor.followParameters();
    CHECK(processor.state().model.file == models.birdsFile());
    CHECK_FALSE(processor.teaching().state().canUndo);
    INFO(processor.teaching().state().outcome);
    CHECK(processor.teaching().state().outcome.contains("choose weather-taught"));
    CHECK(plugin::recentModels().contains(fileOf(taught)));
}

TEST_CASE("a state from before the model's hash was known names the same model", "[unit]") {
    const Models models;
    plugin::EarshotProcessor processor;
    Host host;
    processor.addListener(&host);
    processor.model().load(fileOf(models.weatherFile()));
    CHECK(host.changes == 1);
    const auto isKnown = [&] {
        processor.followParameters(); // as the timer
        return host.changes > 1;
    };
    REQUIRE(eventually(isKnown)); // a host that stored it before stores it again
    const plugin::PluginState late = processor.state();
    CHECK(late.model.sha256.size() == 64);
    REQUIRE(eventually([&] { return processor.session().status().state != streaming::State::loading; }));

    plugin::PluginState early = late;
    early.model.sha256.clear();
    load(processor, early);
    CHECK(processor.session().status().state != streaming::State::loading);
    CHECK(processor.state() == late);
    plugin::PluginState other = late;
    other.model.sha256 = std::string(64, 'a');
    load(processor, other);
    CHECK(processor.session().status().state == streaming::State::loading);
    processor.removeListener(&host);
}
