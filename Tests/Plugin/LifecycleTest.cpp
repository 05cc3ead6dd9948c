#include "Plugin/Base/UserLists.h"
#include "Plugin/EarshotEditor.h"
#include "ProcessorRig.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/PrivateBase.h"
#include "Ui/MainView.h"
#include "Ui/ParameterIds.h"

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace earshot;

namespace {

void playNoise(plugin::EarshotProcessor& processor, int blocks, int samples = 512) {
    const std::vector<float> noise = test::noise(static_cast<std::size_t>(samples), 3);
    juce::MidiBuffer midi;
    juce::AudioBuffer<float> audio(2, samples);
    for (int i = 0; i < blocks; ++i) {
        for (int channel = 0; channel < 2; ++channel) audio.copyFrom(channel, 0, noise.data(), samples);
        processor.processBlock(audio, midi);
    }
}

template <typename Condition>
bool waitFor(Condition&& condition) {
    for (int i = 0; i < 3000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

} // namespace

TEST_CASE("instances come and go by the hundred while their model loads", "[slow]") {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    constexpr int instances = 100; // each takes longer to load the model there
#else
    constexpr int instances = 7 * 2 * 5 * 3; // all that differs, in every combination
#endif
    const test::ModelEnvironment environment;
    for (int i = 0; i < instances; ++i) {
        plugin::EarshotProcessor processor;
        processor.setNonRealtime(i % 7 == 0);
        processor.prepareToPlay(i % 2 == 0 ? 48000.0 : 44100.0, 256);
        playNoise(processor, i % 5);
        if (i % 3 != 0) processor.releaseResources();
    }
}

TEST_CASE("a bounce is cancelled while a block waits, and a stream switched while one is heard", "[unit]") {
    const test::ModelEnvironment environment;
    for (const int delay : {0, 5, 20, 50}) { // milliseconds
        plugin::EarshotProcessor processor;
        test::setParameter(processor, ui::parameter::midiOut, 1.0f);
        processor.setNonRealtime(true);
        processor.prepareToPlay(48000.0, 4096);
        std::thread audio([&] { playNoise(processor, 40, 4096); });
        std::this_thread::sleep_for(std::chrono::milliseconds(delay));
        processor.releaseResources();
        audio.join();
        CHECK(processor.bounce() != nullptr);
    }
    plugin::EarshotProcessor processor;
    processor.prepareToPlay(48000.0, 4096);
    std::atomic<bool> ends = false;
    std::thread audio([&] {
        while (!ends) playNoise(processor, 1, 4096);
    });
    for (int i = 0; i < 30; ++i) {
        processor.setNonRealtime(i % 2 == 0);
        processor.followParameters();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ends = true;
    audio.join();
}

TEST_CASE("scanning reads no model and starts nothing", "[unit]") {
    plugin::EarshotProcessor processor;
    REQUIRE(processor.session().status().state == streaming::State::stopped);
    REQUIRE(processor.session().status().model.empty());
}

TEST_CASE("the editor opens and closes while another thread processes", "[slow]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    processor.prepareToPlay(48000.0, 256);
    std::atomic<bool> stop = false;
    std::thread audio([&] {
        while (!stop) {
            playNoise(processor, 1, 256);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    for (int i = 0; i < 30; ++i) {
        const std::unique_ptr<juce::AudioProcessorEditor> editor(processor.createEditorIfNeeded());
        REQUIRE(editor != nullptr);
        editor->setSize(640 + 20 * i, 360 + 10 * i);
        const juce::Image image = editor->createComponentSnapshot(editor->getLocalBounds());
        REQUIRE(image.getWidth() == 640 + 20 * i);
        if (i % 10 == 5) processor.prepareToPlay(48000.0, 256);
        processor.editorBeingDeleted(editor.get());
    }
    stop = true;
    audio.join();
    REQUIRE(processor.state().view.width == 640 + 20 * 29);
    processor.releaseResources();
}

TEST_CASE("an editor that its host enlarges stays within the screen, and the user's size stays", "[unit]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    processor.view().edit([](ui::ViewSettings& view) {
        view.width = 900;
        view.height = 560;
    });
    const std::unique_ptr<juce::AudioProcessorEditor> editor(processor.createEditorIfNeeded());
    for (const float scale : {1.5f, 2.0f, 50.0f, 1.0f}) {
        editor->setScaleFactor(scale);
        test::privateBase<juce::AsyncUpdater>(static_cast<plugin::EarshotEditor&>(*editor))
            .handleUpdateNowIfNeeded();
        CAPTURE(scale);
        REQUIRE(editor->getTransform().mat00 == scale);
        REQUIRE(editor->getWidth() >= ui::MainView::minWidth);
        REQUIRE(editor->getHeight() >= ui::MainView::minHeight);
        REQUIRE(editor->getWidth() <= 900);
        REQUIRE(editor->getChildComponent(0)->getBounds() == editor->getLocalBounds());
        REQUIRE(processor.state().view.width == 900);
        REQUIRE(processor.state().view.height == 560);
        // No screen has room for the largest.
        if (scale == 50.0f) REQUIRE(editor->getWidth() == ui::MainView::minWidth);
    }
    processor.editorBeingDeleted(editor.get());
}

TEST_CASE("the user's zoom is for all instances, and leaves the size in projects as it is", "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    const juce::Displays& displays = juce::Desktop::getInstance().getDisplays();
    plugin::EarshotProcessor processor;
    processor.view().edit([](ui::ViewSettings& view) {
        view.width = 700;
        view.height = 400;
    });
    CHECK(processor.shell().zoom() == 100);
    const std::unique_ptr<juce::AudioProcessorEditor> editor(processor.createEditorIfNeeded());
    auto& view = static_cast<plugin::EarshotEditor&>(*editor).view();
    for (const int percent : {75, 150, 200, 125, 100}) {
        CAPTURE(percent, displays.displays.size());
        processor.shell().setZoom(percent);
        CHECK(processor.shell().zoom() == percent);
        const double zoom = static_cast<double>(view.getTransform().mat00);
        CHECK(zoom <= percent / 100.0);
        CHECK(zoom >= std::min(percent, 100) / 100.0);
        CHECK(editor->getWidth() <= juce::roundToInt(zoom * 700));
        CHECK(view.getWidth() == Approx(editor->getWidth() / zoom).margin(1.0));
        CHECK(view.getHeight() == Approx(editor->getHeight() / zoom).margin(1.0));
        CHECK(view.getWidth() >= ui::MainView::minWidth);
        CHECK(processor.state().view.width == 700);
        CHECK(processor.state().view.height == 400);
    }
    processor.shell().setZoom(125);
    const double zoom = static_cast<double>(view.getTransform().mat00);
    editor->setSize(juce::roundToInt(zoom * 800), juce::roundToInt(zoom * 480)); // the user drags
    CHECK(processor.state().view.width == 800);
    CHECK(processor.state().view.height == 480);
    plugin::PluginState project = processor.state();
    project.view.width = 660;
    const auto json = plugin::toJson(project);
    processor.setStateInformation(json.data(), static_cast<int>(json.size()));
    CHECK(editor->getWidth() == juce::roundToInt(zoom * 660));
    processor.editorBeingDeleted(editor.get());

    plugin::EarshotProcessor other;
    CHECK(other.shell().zoom() == 125);
    for (const auto& [stored, zoomed] :
         {std::pair{"9999", 200}, {"-3", 75}, {"huge", 100}, {"", 100}, {"110", 110}}) {
        plugin::configFolder().getChildFile("zoom.txt").replaceWithText(stored);
        CHECK(other.shell().zoom() == zoomed);
    }
}

TEST_CASE("a project's state comes back in another instance, from any thread", "[unit]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor first;
    test::setParameter(first, ui::parameter::threshold, 0.62f);
    test::setParameter(first, ui::parameter::medianSeconds, 2.0f);
    test::setParameter(first, ui::parameter::hold, 3.0f);
    first.view().edit([](ui::ViewSettings& view) {
        view.pinned = {"Dog"};
        view.classThresholds = {{"Dog", 0.3f}};
        view.width = 900;
    });
    ui::OutputSettings outputs;
    outputs.oscPort = 7000;
    outputs.midi.set(3, {64, 2});
    first.outputs().set(outputs);
    juce::MemoryBlock data;
    first.getStateInformation(data);

    const auto check = [&](plugin::EarshotProcessor& second) {
        plugin::PluginState a = first.state();
        const plugin::PluginState b = second.state();
        REQUIRE(a.parameters.size() == b.parameters.size());
        for (const auto& [id, value] : a.parameters) {
            INFO(id);
            REQUIRE(b.parameters.at(id) == Approx(value).margin(1e-5));
        }
        a.parameters = b.parameters;
        REQUIRE(a == b);
    };
    plugin::EarshotProcessor second;
    second.setStateInformation(data.getData(), static_cast<int>(data.getSize()));
    check(second);
    REQUIRE(second.view().get().pinned == std::set<std::string>{"Dog"});

    plugin::EarshotProcessor third;
    std::thread([&] {
        third.setStateInformation(data.getData(), static_cast<int>(data.getSize()));
        check(third);
    }).join();
    check(third);
}

TEST_CASE("a broken state leaves an instance as it was", "[unit]") {
    plugin::EarshotProcessor processor;
    test::setParameter(processor, ui::parameter::threshold, 0.7f);
    const plugin::PluginState before = processor.state();
    for (const std::string text : {"", "x", "{\"earshot\":", "[1,2,3]", "{\"version\": 1}"}) {
        processor.setStateInformation(text.data(), static_cast<int>(text.size()));
        REQUIRE(processor.state() == before);
    }
    processor.setStateInformation(nullptr, 0);
    REQUIRE(processor.state() == before);
}

TEST_CASE("a model that is gone is replaced by the default one, with a word about it", "[slow]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    plugin::PluginState state;
    state.model = {folder / "night-birds.safetensors", std::string(64, 'f'), "night-birds"};
    const std::string json = plugin::toJson(state);
    plugin::EarshotProcessor processor;
    processor.setStateInformation(json.data(), static_cast<int>(json.size()));
    processor.prepareToPlay(48000.0, 512);
    REQUIRE(waitFor([&] { return processor.session().status().state == streaming::State::running; }));
    REQUIRE(processor.session().status().message ==
            "night-birds.safetensors is missing; the default model is used");
    REQUIRE(processor.state().model.file == state.model.file); // it may come back
    processor.releaseResources();
}

TEST_CASE("hashes may be asked for by any thread at once, and given up at once", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "odd \xff name";
    test::writeBytes(file, "abc");
    const auto heard = std::make_shared<std::atomic<int>>(0);
    {
        plugin::HashJob job;
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 8; ++thread)
            threads.emplace_back([&] {
                for (int i = 0; i < 200; ++i) {
                    job.start(file, [heard](const std::string& sha256) {
                        if (sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
                            ++*heard;
                    });
                    if (i % 7 == 0) job.cancel();
                }
            });
        for (auto& thread : threads) thread.join();
        job.start(file, [heard](const std::string&) { *heard = 1'000'000; });
        REQUIRE(waitFor([&] { return *heard >= 1'000'000; }));
    }
    plugin::HashJob job;
    for (const auto& nothing : {folder / "missing", folder.path()})
        job.start(nothing, [heard](const std::string&) { *heard = -1; });
    job.start(file, [heard](const std::string&) { throw std::runtime_error("whoever hears of it"); });
    job.cancel();
    REQUIRE(*heard >= 1'000'000);
}

TEST_CASE("a model that moved is found by what is in it", "[slow]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const auto original = folder / "a-name.safetensors";
    std::filesystem::copy_file(test::defaultModelFile(), original);
    test::writeBytes(folder / "another.safetensors", "something else");
    juce::MemoryBlock data;
    {
        plugin::EarshotProcessor processor;
        processor.model().load(juce::File(original.string()));
        REQUIRE(waitFor([&] { return processor.state().model.sha256.size() == 64; }));
        processor.getStateInformation(data);
    }
    std::filesystem::rename(original, folder / "renamed.safetensors");
    plugin::EarshotProcessor processor;
    processor.setStateInformation(data.getData(), static_cast<int>(data.getSize()));
    processor.prepareToPlay(48000.0, 512);
    REQUIRE(waitFor([&] { return processor.session().status().state == streaming::State::running; }));
    REQUIRE(processor.session().status().model == "renamed");
    REQUIRE(processor.state().model.file == folder / "renamed.safetensors");
    processor.releaseResources();
}

TEST_CASE("a model that is a pipe, or an event log that is one, holds up no host", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto pipe = folder / "pipe.safetensors";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    plugin::PluginState state;
    state.model = {pipe, {}, "pipe"};
    const std::string json = plugin::toJson(state);
    for (const bool bounces : {false, true}) {
        CAPTURE(bounces);
        const auto begun = std::chrono::steady_clock::now();
        {
            plugin::EarshotProcessor processor;
            processor.setStateInformation(json.data(), static_cast<int>(json.size()));
            processor.setNonRealtime(bounces);
            processor.prepareToPlay(48000.0, 512);
            playNoise(processor, 50);
            processor.setNonRealtime(!bounces);
            processor.playback().open(juce::File(test::demoFile().string()));
        }
        CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(8));
    }
    ::setenv("EARSHOT_EVENT_LOG", pipe.c_str(), 1);
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    processor.prepareToPlay(48000.0, 512);
    REQUIRE(waitFor([&] {
        playNoise(processor, 20);
        return processor.outputs().problem().isNotEmpty();
    }));
    ::unsetenv("EARSHOT_EVENT_LOG");
    REQUIRE(processor.outputs().problem().contains("EARSHOT_EVENT_LOG"));
    REQUIRE(processor.outputs().problem().contains("pipe.safetensors"));
    processor.releaseResources();
}

TEST_CASE("only the app says that no audio device is open", "[unit]") {
    plugin::EarshotProcessor processor;
    REQUIRE(processor.shell().audioProblem().isEmpty());
    juce::String problem = "No audio device is open";
    processor.shell().audioSettings = [] {};
    processor.shell().audioProblems = [&] { return problem; };
    REQUIRE(processor.shell().audioProblem() == problem);
    problem.clear();
    REQUIRE(processor.shell().audioProblem().isEmpty());
}

TEST_CASE("a recording follows Mode while the host does not run", "[slow]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    auto& timer = test::privateBase<juce::Timer>(processor);
    for (const bool ranBefore : {false, true}) {
        if (ranBefore) {
            processor.prepareToPlay(48000.0, 512);
            processor.releaseResources();
        }
        processor.playback().open(juce::File(test::demoFile().string()));
        const auto first = processor.playback().sourceId();
        test::setParameter(processor, ui::parameter::mode, ranBefore ? 1.0f : 2.0f);
        REQUIRE(timer.isTimerRunning());
        timer.timerCallback();
        REQUIRE(processor.playback().sourceId() != first);
        REQUIRE(processor.playback().showsRecording());
        REQUIRE(timer.isTimerRunning());
        processor.playback().close();
        // Once the recordings have ended their passes, there is nothing to follow.
        REQUIRE(waitFor([&] {
            timer.timerCallback();
            return !timer.isTimerRunning();
        }));
    }
}

TEST_CASE("models come and go while audio runs", "[slow]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const auto other = folder / "other.safetensors";
    std::filesystem::copy_file(test::defaultModelFile(), other);
    const auto broken = folder / "broken.safetensors";
    test::writeBytes(broken, "no model");
    plugin::EarshotProcessor processor;
    processor.prepareToPlay(48000.0, 512);
    for (int i = 0; i < 12; ++i) {
        switch (i % 3) {
        case 0:
            processor.model().load(juce::File(other.string()));
            break;
        case 1:
            processor.model().load(juce::File(broken.string()));
            break;
        default:
            processor.model().loadDefault();
            break;
        }
        playNoise(processor, 20);
    }
    processor.model().load(juce::File(broken.string()));
    REQUIRE(waitFor([&] {
        playNoise(processor, 1);
        return processor.session().status().state == streaming::State::failed;
    }));
    REQUIRE_FALSE(processor.session().status().message.empty());
    processor.model().loadDefault();
    REQUIRE(waitFor([&] { return processor.session().status().state == streaming::State::running; }));
    processor.releaseResources();
}

TEST_CASE("a recording takes the stream's place and gives it back", "[slow]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    const auto live = processor.playback().sourceId();
    processor.playback().open(juce::File(test::demoFile().string()));
    REQUIRE(processor.playback().showsRecording());
    REQUIRE(processor.playback().sourceId() != live);
    REQUIRE(processor.playback().player() == nullptr); // not in a DAW
    REQUIRE(
        waitFor([&] { return processor.playback().source().status().state == streaming::State::finished; }));
    processor.playback().close();
    REQUIRE_FALSE(processor.playback().showsRecording());
    REQUIRE(&processor.playback().source() == &processor.session());
}

TEST_CASE("a model that cannot be loaded leaves the former one in use, and says so once", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const auto other = folder / "other.safetensors", broken = folder / "broken.safetensors";
    std::filesystem::copy_file(test::defaultModelFile(), other);
    test::writeBytes(broken, "no model");
    plugin::EarshotProcessor processor;
    processor.prepareToPlay(48000.0, 512);
    const auto uses = [&](const std::string& model) {
        return waitFor([&] {
            processor.followParameters();
            const auto status = processor.session().status();
            return status.state == streaming::State::running && status.model == model &&
                   !processor.model().isLoading();
        });
    };
    const auto usual = test::defaultModelFile().stem().string();
    REQUIRE(uses(usual));
    for (int i = 0; i < 2; ++i) {
        processor.model().load(juce::File(broken.string()));
        REQUIRE(uses(usual));
        const auto why = processor.model().takeRefusal();
        CHECK(why.startsWith("broken.safetensors: "));
        CHECK_FALSE(why.contains(folder.path().string()));
        CHECK(processor.model().takeRefusal().isEmpty());
        CHECK(processor.state().model.file.empty()); // what a project stores
    }
    processor.model().load(juce::File(other.string()));
    REQUIRE(uses("other"));
    CHECK(processor.model().takeRefusal().isEmpty());
    processor.model().load(juce::File(broken.string()));
    REQUIRE(uses("other"));
    CHECK(processor.state().model.file == other);
    CHECK(plugin::recentModels().contains(juce::File(other.string())));
    CHECK_FALSE(plugin::recentModels().contains(juce::File(broken.string())));
    processor.releaseResources();
}

TEST_CASE("a recording that cannot be opened leaves alone what was shown, and says so once", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    plugin::EarshotProcessor processor;
    processor.prepareToPlay(48000.0, 512);
    auto& playback = processor.playback();
    REQUIRE(waitFor([&] { return processor.session().status().state == streaming::State::running; }));
    const juce::File text = juce::File(folder.path().string()).getChildFile("text.wav");
    REQUIRE(text.replaceWithText("no audio"));
    const juce::File none("/no/such/file.flac"), itself(folder.path().string());
    const juce::File demo(test::demoFile().string());
    const auto settled = [&] {
        processor.followParameters();
        return playback.recording() != text && playback.recording() != none && playback.recording() != itself;
    };
    for (const auto& file : {text, none, itself}) {
        CAPTURE(file.getFullPathName());
        playback.open(file);
        REQUIRE(waitFor(settled));
        CHECK_FALSE(playback.showsRecording());
        CHECK(&playback.source() == &processor.session());
        CHECK(playback.source().status().state == streaming::State::running);
        CHECK_FALSE(playback.source().status().model.empty());
        const auto why = playback.takeRefusal();
        CHECK(why.startsWith(file.getFileName() + ": "));
        CHECK_FALSE(why.contains(file.getFullPathName()));
        CHECK(playback.takeRefusal().isEmpty());
    }
    // An open recording goes on, too, without being analysed again.
    playback.open(demo);
    REQUIRE(waitFor([&] { return playback.source().status().heard > 0.0; }));
    const auto* source = &playback.source();
    playback.open(text);
    playback.open(none); // while the other may still be opening
    REQUIRE(waitFor(settled));
    CHECK(playback.recording() == demo);
    CHECK(&playback.source() == source);
    CHECK(playback.takeRefusal().isNotEmpty());
    REQUIRE(waitFor([&] { return playback.source().status().state == streaming::State::finished; }));
    CHECK_FALSE(playback.source().status().incomplete);
    // One that can be opened takes its place.
    const auto copy = juce::File(folder.path().string()).getChildFile("copy.flac");
    REQUIRE(demo.copyFileTo(copy));
    playback.open(copy);
    REQUIRE(waitFor([&] {
        processor.followParameters();
        return playback.source().status().heard > 0.0;
    }));
    CHECK(playback.recording() == copy);
    playback.close();
    CHECK(&playback.source() == &processor.session());
    CHECK(playback.takeRefusal().isEmpty());
}

TEST_CASE("the history's limit follows the setting while a stream runs, and a bounce has none", "[unit]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    const auto limit = [&] { return processor.session().status().kept.limit; };
    const auto becomes = [&](std::int64_t megabytes) {
        return waitFor([&] { return limit() == megabytes << 20; });
    };
    processor.prepareToPlay(48000.0, 512);
    REQUIRE(becomes(128));
    processor.view().edit([](auto& view) { view.historyMegabytes = 64; });
    processor.view().dispatchPendingMessages();
    processor.followParameters();
    REQUIRE(becomes(64));
    plugin::PluginState state = processor.state();
    REQUIRE(state.view.historyMegabytes == 64);
    state.view.historyMegabytes = 32;
    const std::string json = plugin::toJson(state);
    processor.setStateInformation(json.data(), static_cast<int>(json.size()));
    processor.followParameters();
    REQUIRE(becomes(32));
    processor.setNonRealtime(true);
    CHECK(waitFor([&] { return processor.bounce()->status().kept.limit == 0; }));
    CHECK(limit() == 32 << 20);
    processor.releaseResources();
}
