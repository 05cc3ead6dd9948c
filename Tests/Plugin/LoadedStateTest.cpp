// What a loaded state changes in an instance that is at work: a project's undo, a preset, a comparison of
// two.
#include "Cli/NamedModel.h"
#include "Plugin/EarshotProcessor.h"
#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/PrivateBase.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace earshot;

namespace {

bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 6000; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

juce::File fileOf(const std::filesystem::path& path) { return juce::File(juce::String(path.string())); }

void load(plugin::EarshotProcessor& processor, const plugin::PluginState& state) {
    const std::string json = plugin::toJson(state);
    processor.setStateInformation(json.data(), static_cast<int>(json.size()));
}

std::vector<std::string> sounds(const streaming::Source& source) {
    streaming::History history;
    source.copySince(history);
    return history.labels ? history.labels->names() : std::vector<std::string>{};
}

bool hears(const streaming::Source& source, const std::vector<std::string>& names) {
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

} // namespace

TEST_CASE("an open recording follows a loaded state to its model", "[unit]") {
    const Models models;
    plugin::EarshotProcessor processor;
    processor.loadModel(fileOf(models.weatherFile()));
    const plugin::PluginState first = processor.state();
    processor.openRecording(fileOf(test::demoFile()));
    REQUIRE(hears(processor.source(), weather));

    plugin::PluginState second = first;
    second.model = {models.birdsFile(), {}, "birds"};
    load(processor, second);
    CHECK(hears(processor.source(), birds));
    // A host may load it on any thread.
    std::thread([&] { load(processor, first); }).join();
    test::privateBase<juce::AsyncUpdater>(processor).handleUpdateNowIfNeeded();
    CHECK(hears(processor.source(), weather));
    // A state with the same model leaves what is heard.
    const auto shown = processor.sourceId();
    plugin::PluginState wider = processor.state();
    wider.view.width = 1000;
    load(processor, wider);
    CHECK(processor.view().get().width == 1000);
    CHECK(processor.sourceId() == shown);
    processor.closeRecording();
}
