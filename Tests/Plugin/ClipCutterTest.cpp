// Cutting events out of recordings in the background.
#include "Plugin/Recordings/ClipCutter.h"

#include "ProcessorRig.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <fstream>
#include <set>

using namespace earshot;
using plugin::ClipCutter;
namespace fs = std::filesystem;

namespace {

constexpr int rate = 32000;

juce::File file(const fs::path& path) { return juce::File(juce::String(path.string())); }

struct Scene {
    explicit Scene(double seconds = 10.0) {
        test::writeAudio(recording, test::AudioFormat::flacPcm16, rate, 1,
                         test::noise(static_cast<std::size_t>(rate * seconds), 3, 0.2f));
        request.recording = file(recording);
        request.folder = file(clips);
        request.events = {{4.0, 5.0, "Dog", 0.9f, 0.0f}, {1.0, 1.5, "Rain", 0.8f, 0.0f}};
    }
    // Cuts, waits for the end, and returns how it ended.
    ui::ClipProgress cut() {
        REQUIRE(cutter.cut(request).isEmpty());
        REQUIRE(test::eventually([&] { return !cutter.state().running; }, std::chrono::minutes(2)));
        return cutter.state();
    }
    std::set<std::string> written() const {
        std::set<std::string> names;
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(clips, none))
            names.insert(entry.path().filename().string());
        return names;
    }

    test::TemporaryDirectory folder;
    fs::path recording = folder / "dawn.flac", clips = folder / "dawn clips";
    ui::ClipRequest request;
    ClipCutter cutter;
};

} // namespace

TEST_CASE("events are cut out of a recording as the command line does it, and nothing is replaced",
          "[unit]") {
    Scene scene;
    const auto first = scene.cut();
    REQUIRE(first.work == 1);
    REQUIRE(first.done == 2);
    REQUIRE(first.all == 2);
    REQUIRE_FALSE(first.failed);
    REQUIRE(first.outcome == "2 clips cut into " + juce::String(scene.clips.string()));
    const std::set<std::string> names{"dawn_00001.000_Rain.flac", "dawn_00004.000_Dog.flac"};
    REQUIRE(scene.written() == names);
    audio::AudioFile clip(scene.clips / "dawn_00004.000_Dog.flac");
    REQUIRE(clip.frames() == rate);

    const auto again = scene.cut();
    REQUIRE(again.work == 2);
    REQUIRE(again.outcome.contains("0 clips cut into"));
    REQUIRE(again.outcome.endsWith(", 2 already there"));

    scene.request.handles = 0.5;
    const auto refused = scene.cut();
    REQUIRE(refused.failed);
    REQUIRE(refused.outcome.contains(", 2 not cut. "));
    REQUIRE(refused.outcome.contains("is there already and holds something else; choose another folder"));
    REQUIRE_FALSE(refused.outcome.contains("--"));
    REQUIRE(scene.written() == names);

    scene.request.folder = file(scene.folder / "wider");
    scene.request.format = ui::ClipFormat::wav;
    REQUIRE_FALSE(scene.cut().failed);
    REQUIRE(audio::AudioFile(scene.folder / "wider" / "dawn_00004.000_Dog.wav").frames() == 2 * rate);
}

TEST_CASE("what cannot be cut is said, and the rest is cut", "[unit]") {
    Scene scene;
    scene.request.events.push_back({99.0, 100.0, "Cat", 0.5f, 0.0f});
    const auto beyond = scene.cut();
    REQUIRE(beyond.failed);
    REQUIRE(beyond.outcome.startsWith("2 clips cut into"));
    REQUIRE(beyond.outcome.contains("1 not cut"));
    REQUIRE(beyond.outcome.contains("lies beyond the end of the recording"));

    fs::remove(scene.recording);
    const auto gone = scene.cut();
    REQUIRE(gone.failed);
    REQUIRE(gone.outcome.contains("dawn.flac"));

    std::ofstream(scene.recording) << "no audio at all";
    REQUIRE(scene.cut().failed);
    std::ofstream(scene.folder / "in the way") << "a file";
    Scene other;
    other.request.folder = file(scene.folder / "in the way");
    REQUIRE(other.cut().failed);
}

TEST_CASE("cutting is stopped, and one runs at a time", "[unit]") {
    Scene scene(60.0);
    scene.request.events.clear();
    for (int i = 0; i < 5000; ++i)
        scene.request.events.push_back({i * 0.01, i * 0.01 + 9.0, "Dog", 0.9f, 0.0f});
    REQUIRE(scene.cutter.cut(scene.request).isEmpty());
    REQUIRE(scene.cutter.cut(scene.request).startsWith("Clips are being cut"));
    scene.cutter.stop();
    REQUIRE(test::eventually([&] { return !scene.cutter.state().running; }, std::chrono::minutes(2)));
    const auto state = scene.cutter.state();
    REQUIRE(state.done < state.all);
    REQUIRE(state.outcome.startsWith("Stopped: "));
    REQUIRE_FALSE(state.failed);
}

namespace {

ui::DraggedClips prepared(const ClipCutter& cutter) {
    REQUIRE(test::eventually(
        [&] {
            const auto clips = cutter.dragged();
            return !clips.files.isEmpty() || clips.problem.isNotEmpty();
        },
        std::chrono::minutes(2)));
    return cutter.dragged();
}

} // namespace

TEST_CASE("events are made to files to drag, sample for sample, and the last request counts", "[unit]") {
    Scene scene;
    auto both = scene.request;
    scene.cutter.prepareDrag(both, 1);
    both.events.resize(1);
    scene.cutter.prepareDrag(both, 1);
    const auto clips = prepared(scene.cutter);
    REQUIRE(clips.problem == "");
    REQUIRE(clips.files.size() == 1);
    const juce::File made(clips.files[0]);
    REQUIRE(made.getFileName() == "dawn_00004.000_Dog.wav");
    audio::AudioFile clip(fs::path(clips.files[0].toStdString())), whole(scene.recording);
    REQUIRE(clip.frames() == rate);
    std::vector<float> cut(rate), original(rate);
    whole.seek(4 * rate);
    REQUIRE(clip.read(cut) == rate);
    REQUIRE(whole.read(original) == rate);
    REQUIRE(cut == original);
    REQUIRE(made.getParentDirectory().deleteRecursively());

    both.events[0].offset = 200.0;
    scene.cutter.prepareDrag(both, 1);
    REQUIRE(scene.cutter.dragged().problem.startsWith("Events of more than 2 minutes"));
    both.events[0].offset = 5.0;
    fs::remove(scene.recording);
    scene.cutter.prepareDrag(both, 1);
    REQUIRE(prepared(scene.cutter).problem.contains("dawn.flac"));
}

TEST_CASE("of a live stream or a bounce, kept audio is dragged", "[unit]") {
    Scene scene;
    const auto sound = test::noise(rate, 5, 0.5f);
    scene.request.recording = juce::File();
    scene.request.events = {{4.0, 5.0, "Dog/Bark", 0.9f, 0.0f}};
    scene.cutter.prepareDrag(scene.request, 7);
    REQUIRE(scene.cutter.dragged().problem.startsWith("The audio of this event is not kept"));
    scene.cutter.copyAudio = [&](std::uint64_t stream, double from, double to, std::vector<float>& samples,
                                 double& start, int& sampleRate) {
        if (stream != 7 || from < 2.0) return false;
        REQUIRE(to == 5.0);
        samples = sound;
        start = from;
        sampleRate = rate;
        return true;
    };
    scene.cutter.prepareDrag(scene.request, 7);
    const auto clips = prepared(scene.cutter);
    REQUIRE(clips.problem == "");
    const juce::File made(clips.files[0]);
    REQUIRE(made.getFileName() == "00004.000_DogBark.wav");
    audio::AudioFile clip(fs::path(clips.files[0].toStdString()));
    std::vector<float> read(rate);
    REQUIRE(clip.read(read) == rate);
    REQUIRE(read == sound);
    REQUIRE(made.getParentDirectory().deleteRecursively());
    scene.cutter.prepareDrag(scene.request, 8); // another stream by now
    REQUIRE(scene.cutter.dragged().files.isEmpty());
}
