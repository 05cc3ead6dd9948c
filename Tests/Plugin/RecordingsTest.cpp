// The app's list of recordings, and the batch that hears them.
#include "Plugin/Recordings/Recordings.h"

#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchModel.h"
#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

using namespace earshot;
using plugin::Recordings;
using State = ui::ListedRecording::State;
namespace fs = std::filesystem;

namespace {

bool eventually(const std::function<bool()>& holds) {
    return test::eventually(holds, std::chrono::minutes(10));
}

void writeNoise(const fs::path& file, double seconds, unsigned seed) {
    fs::create_directories(file.parent_path());
    test::writeAudio(file, test::AudioFormat::wavPcm16, 32000, 1,
                     test::noise(static_cast<std::size_t>(32000 * seconds), seed, 0.1f));
}

// Whether nothing is heard any more and there are so many rows, all done.
bool allDone(const Recordings& recordings, std::size_t count) {
    const auto list = recordings.view();
    return !list.hearing && list.rows().size() == count &&
           std::ranges::all_of(list.rows(), [](const auto& row) { return row.state == State::done; });
}

bool endsAllDone(const Recordings& recordings, std::size_t count) {
    return eventually([&] { return allDone(recordings, count); });
}

// What the list says once it is at rest; nothing may be said before.
juce::String hintOf(const Recordings& recordings) {
    juce::String hint;
    eventually([&] {
        const auto list = recordings.view();
        hint = list.hint;
        return !list.hearing && hint.isNotEmpty();
    });
    return hint;
}

// As `earshot analyze IN --output-dir RESULTS` does it.
struct CommandLine {
    batch::BatchRequest request(const fs::path& in, const fs::path& results) const {
        batch::BatchRequest request;
        request.folder = results;
        request.inputs = batch::findInputs(std::vector<std::string>{in.string()});
        request.outputs = {batch::documentKind(*formats::formatNamed("csv"))};
        request.model = batch::describeModel(model);
        request.fingerprint = batch::fingerprint(model, request.model, how, names);
        request.readFiles = {model.weights->file()};
        return request;
    }
    batch::BatchSummary run(const fs::path& in, const fs::path& results) const {
        return batch::Batch(request(in, results)).run(detection::makeDetector(model, how), {});
    }

    detection::ListeningModel model = detection::openModel(test::defaultModelFile());
    detection::DetectorOptions how{.hop = detection::usualHop(model.shape, detection::Mode::automatic),
                                   .events = detection::eventSettings({}, model.labels)};
    batch::RuleNames names;
};

} // namespace

TEST_CASE("one table has the events of all finished recordings, as the command line joins them", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    writeNoise(folder / "in" / "a.wav", 1.5, 1);
    fs::copy_file(test::demoFile(), folder / "in" / "demo.flac");
    fs::create_directories(folder / "more");
    fs::copy_file(test::demoFile(), folder / "more" / "again.flac");
    test::writeBytes(folder / "more" / "broken.wav", "no audio");
    Recordings recordings;
    const auto table = folder / "all.csv";
    CHECK_THAT(recordings.writeTable(table), ContainsSubstring("No recording is finished yet"));
    int works = 0;
    const auto write = [&] {
        REQUIRE(recordings.writeTable(table).empty());
        ++works;
        REQUIRE(eventually([&] { return recordings.view().table.work == works; }));
        return recordings.view().table.outcome.toStdString();
    };
    recordings.add({folder / "in"}, {});
    REQUIRE(endsAllDone(recordings, 2));
    const auto first = write();
    CommandLine commandLine;
    auto request = commandLine.request(folder / "in", folder / "reference");
    request.joined = {"csv"};
    batch::Batch(std::move(request)).run(detection::makeDetector(commandLine.model, commandLine.how), {});
    const auto joined = test::readBytes(folder / "reference" / "events.csv");
    CHECK(test::readBytes(table) == joined);
    const auto lines = std::ranges::count(joined, '\n') - 1;
    CHECK(first == fmt::format("Wrote {} events of 2 recordings to {}", lines, table.string()));

    // Of several folders the recordings are called by their paths.
    recordings.add({folder / "more"}, {});
    REQUIRE(eventually([&] {
        const auto list = recordings.view();
        return !list.hearing && list.rows().size() == 4 && list.rows()[3].state == State::failed;
    }));
    CHECK_THAT(write(), ContainsSubstring("of 3 recordings to ") &&
                            ContainsSubstring("; 1 recording without results left out"));
    const auto text = test::readBytes(table);
    CHECK_THAT(text, ContainsSubstring((folder / "in" / "demo.flac").generic_string() + ",") &&
                         ContainsSubstring((folder / "more" / "again.flac").generic_string() + ","));
    // Results that were moved away are left out, and what cannot be written leaves an older table alone.
    fs::rename(folder / "in earshot results", folder / "elsewhere");
    CHECK_THAT(write(), ContainsSubstring("of 1 recording to ") &&
                            ContainsSubstring("; 3 recordings without results left out"));
    REQUIRE(recordings.writeTable(folder / "nowhere" / "all.csv").empty());
    REQUIRE(eventually([&] { return recordings.view().table.work == works + 1; }));
    CHECK(recordings.view().table.failed);
    CHECK_FALSE(fs::exists(folder / "in earshot results"));
}

TEST_CASE("a dropped folder is heard into one beside it, as the command line does it", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const auto in = folder / "in";
    writeNoise(in / "a.wav", 1.5, 1);
    writeNoise(in / "dawn" / "b.wav", 2.0, 2);
    fs::copy_file(test::demoFile(), in / "demo.flac");
    Recordings recordings;
    CHECK(recordings.view().rows().empty());
    recordings.add({in}, {});
    REQUIRE(endsAllDone(recordings, 3));
    CHECK(hintOf(recordings) == "3 recordings are done.");

    const auto list = recordings.view();
    CHECK_FALSE(list.canAgain);
    const auto results = folder / "in earshot results";
    CHECK(list.rows()[0].name == "a.wav");
    CHECK(list.rows()[1].name == "dawn/b.wav");
    CHECK(list.rows()[2].name == "demo.flac");
    CHECK(list.rows()[1].file == juce::File(juce::String((in / "dawn" / "b.wav").string())));
    CHECK(list.rows()[0].results == juce::File(juce::String(results.string())));
    CHECK(list.rows()[1].seconds == Approx(2.0));
    CHECK(list.rows()[2].seconds == Approx(35.0));
    REQUIRE(list.events);
    int events = 0;
    for (const auto& row : list.rows()) events += row.events;
    CHECK(static_cast<int>(list.events->events.size()) == events);
    CHECK(list.events->more == 0);
    const auto flute = std::ranges::find_if(list.events->events, [&](const ui::ListedEvent& event) {
        return list.events->sounds[static_cast<std::size_t>(event.sound)] == "Flute" &&
               event.recording == list.rows()[2].id;
    });
    REQUIRE(flute != list.events->events.end());
    CHECK(flute->onset == Approx(9.0).margin(0.5));
    CHECK(flute->certainty > 0.4f);
    // What sounds longest; of noise without events what is likeliest, and how likely it is.
    CHECK(list.rows()[2].mostly.isNotEmpty());
    CHECK_FALSE(list.rows()[2].mostly.containsAnyOf("0123456789"));
    for (const auto& row : list.rows()) CHECK((row.events > 0 || row.mostly.contains(" 0.")));

    const CommandLine commandLine;
    commandLine.run(in, folder / "reference");
    CHECK(test::changes(test::contents(results), test::contents(folder / "reference")) == "");
    // The command line has nothing left to do in the app's folder, nor the app in the command line's.
    CHECK(batch::Batch(commandLine.request(in, results)).alreadyDone() == 3);
    CHECK(recordings.setResults(list.rows()[0].id, folder / "reference") == "");
    CHECK(recordings.view().rows()[0].state == State::waiting);
    const auto written = fs::last_write_time(folder / "reference" / "a.wav.csv");
    CHECK(recordings.analyse({}, false) == "");
    REQUIRE(endsAllDone(recordings, 3));
    CHECK(fs::last_write_time(folder / "reference" / "a.wav.csv") == written);

    // By confidence, as with --confidence auto.
    plugin::HowToListen confident;
    confident.byConfidence = true;
    confident.rules.common.threshold = 0.9f; // which does not count then
    CHECK(recordings.setResults(list.rows()[0].id, folder / "sure") == "");
    CHECK(recordings.analyse(confident, false) == "");
    REQUIRE(endsAllDone(recordings, 3));
    CommandLine sure;
    const auto sebbs = sure.model.labels.sebbs();
    REQUIRE(sebbs);
    detection::useSebbs(sure.how.events, sebbs, sebbs->minConfidence());
    sure.names.confidence = "auto";
    CHECK(batch::Batch(sure.request(in, folder / "sure")).alreadyDone() == 3);
    sure.run(in, folder / "sure reference");
    CHECK(test::changes(test::contents(folder / "sure"), test::contents(folder / "sure reference")) == "");
    CHECK(recordings.view().events->sebbs);
}

TEST_CASE("a batch that was stopped goes on when its folder is dropped again", "[slow]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const auto in = folder / "in";
    writeNoise(in / "a.wav", 1.0, 1);
    writeNoise(in / "z.wav", 600.0, 2);
    const auto stateOf = [](const ui::RecordingList& list, const char* name) {
        const auto row = std::ranges::find(list.rows(), juce::String(name), &ui::ListedRecording::name);
        return row != list.rows().end() ? row->state : State::waiting;
    };
    const auto isBetween = [&](const Recordings& recordings) {
        const auto list = recordings.view();
        return stateOf(list, "a.wav") == State::done && stateOf(list, "z.wav") == State::hearing;
    };
    {
        Recordings stopped;
        stopped.add({in}, {});
        REQUIRE(eventually([&] { return isBetween(stopped); }));
        CHECK(stopped.analyse({}, false).find("already running") != std::string::npos);
        stopped.stop();
        CHECK(hintOf(stopped).contains("Stopped"));
        const auto list = stopped.view();
        CHECK(stateOf(list, "a.wav") == State::done);
        CHECK(stateOf(list, "z.wav") == State::waiting);
        CHECK(stopped.analyse({}, false) == ""); // and the list may go while it runs
        REQUIRE(eventually([&] { return isBetween(stopped); }));
        stopped.stop();
        REQUIRE(eventually([&] { return !stopped.running(); })); // as the app waits before it ends
    }
    const auto written = fs::last_write_time(folder / "in earshot results" / "a.wav.csv");
    CHECK_FALSE(fs::exists(folder / "in earshot results" / "z.wav.csv"));
    writeNoise(in / "z.wav", 1.0, 2); // a shorter one is heard soon
    Recordings again;
    again.add({in}, {});
    REQUIRE(endsAllDone(again, 2));
    CHECK(fs::last_write_time(folder / "in earshot results" / "a.wav.csv") == written);
    CommandLine().run(in, folder / "reference");
    CHECK(test::changes(test::contents(folder / "in earshot results"),
                        test::contents(folder / "reference")) == "");
}

TEST_CASE("results go to no folder and over no file of others", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    writeNoise(folder / "in" / "a.wav", 1.0, 1);
    fs::create_directories(folder / "in earshot results");
    test::writeBytes(folder / "in earshot results" / "notes.txt", "mine");
    Recordings recordings;
    recordings.add({folder / "in"}, {});
    CHECK(hintOf(recordings).contains("was not made by Earshot; choose another folder"));
    CHECK(test::contents(folder / "in earshot results", {}).size() == 1);

    fs::create_directories(folder / "mine");
    test::writeBytes(folder / "mine" / "a.wav.csv", "a table of mine");
    const int id = recordings.view().rows().at(0).id;
    CHECK(recordings.setResults(id, folder / "mine") == "");
    CHECK(recordings.analyse({}, false) == "");
    const auto hint = hintOf(recordings);
    CHECK(hint.contains("not made by Earshot in this folder; choose another folder"));
    CHECK_FALSE(hint.contains("--")); // options mean nothing here
    CHECK(test::readBytes(folder / "mine" / "a.wav.csv") == "a table of mine");
    CHECK(recordings.view().rows().at(0).state == State::waiting);

    CHECK(recordings.setResults(id, folder / "fresh") == "");
    CHECK(recordings.analyse({}, false) == "");
    REQUIRE(endsAllDone(recordings, 1));
    CHECK(fs::exists(folder / "fresh" / "a.wav.csv"));
}

TEST_CASE("results of other settings are made anew on demand alone", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    writeNoise(folder / "in" / "a.wav", 1.0, 1);
    Recordings recordings;
    recordings.add({folder / "in"}, {});
    REQUIRE(endsAllDone(recordings, 1));
    plugin::HowToListen low;
    low.rules.common.threshold = 0.0001f;
    const auto before = test::contents(folder / "in earshot results");
    CHECK(recordings.analyse(low, false) == "");
    const auto hint = hintOf(recordings);
    CHECK(hint.contains("other settings (threshold was default and is the model's, moved to "));
    CHECK_FALSE(hint.contains("--"));
    CHECK(recordings.view().canAgain);
    CHECK(test::changes(test::contents(folder / "in earshot results"), before) == "");

    CHECK(recordings.analyse(low, true) == "");
    CHECK(hintOf(recordings) == "1 recording is done.");
    const auto list = recordings.view();
    CHECK_FALSE(list.canAgain);
    CHECK(list.rows().at(0).events > 0); // in noise, with so low a threshold
    CHECK(test::contents(folder / "in earshot results") != before);
}

TEST_CASE("dropped files are listed, and removing them touches no file", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const auto in = folder / "in";
    for (const char* name : {"b.wav", "a.wav", "c.wav"}) writeNoise(in / name, 1.0, 1);
    test::writeBytes(in / "notes.txt", "mine");
    Recordings recordings;
    CHECK(recordings.analyse({}, false) != "");
    recordings.add({in / "b.wav", in / "a.wav", in / "b.wav"}, {});
    REQUIRE(eventually([&] {
        const auto list = recordings.view();
        return list.rows().size() == 2 && list.rows()[0].seconds > 0.0 && list.rows()[1].seconds > 0.0;
    }));
    auto list = recordings.view();
    CHECK(list.rows()[0].name == "a.wav");
    CHECK(list.rows()[0].seconds == Approx(1.0));
    CHECK(list.rows()[0].state == State::waiting); // files alone are not heard before one asks
    recordings.remove(list.rows()[0].id);
    CHECK(recordings.view().rows().size() == 1);
    CHECK(fs::exists(in / "a.wav"));
    recordings.remove(4711);
    CHECK(recordings.view().rows().size() == 1);
    CHECK(recordings.setResults(4711, folder / "fresh") != "");

    recordings.add({in / "notes.txt"}, {});
    CHECK(hintOf(recordings).contains("neither a recording"));
    recordings.add({folder / "nowhere"}, {});
    CHECK(hintOf(recordings).contains("cannot be found"));
    fs::create_directories(folder / "empty");
    recordings.add({folder / "empty"}, {});
    CHECK(hintOf(recordings).contains("no audio files in this folder"));

    // The folder of a listed file takes that file over, with its number.
    const int kept = recordings.view().rows().at(0).id;
    recordings.add({in}, {});
    REQUIRE(endsAllDone(recordings, 3));
    list = recordings.view();
    CHECK(list.rows()[1].name == "b.wav");
    CHECK(list.rows()[1].id == kept);
}

TEST_CASE("a recording that cannot be heard says why, and the others are heard", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    writeNoise(folder / "in" / "a.wav", 1.0, 1);
    writeNoise(folder / "in" / "strange\x1b[31m.wav", 1.0, 2);
    test::writeBytes(folder / "in" / "broken.wav", "a shopping list");
    Recordings recordings;
    recordings.add({folder / "in"}, {});
    CHECK(hintOf(recordings) == "2 recordings are done. 1 could not be analysed: the list says why.");
    const auto list = recordings.view();
    REQUIRE(list.rows().size() == 3);
    CHECK(list.rows()[1].name == "broken.wav");
    CHECK(list.rows()[1].state == State::failed);
    CHECK(list.rows()[1].why.contains("broken.wav"));
    CHECK(list.rows()[2].state == State::done);
    CHECK_FALSE(list.rows()[2].name.containsChar('\x1b'));
}

TEST_CASE("the app has a list of recordings, and a plugin has none", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    writeNoise(folder / "in" / "a.wav", 1.0, 1);
    plugin::EarshotProcessor plugged;
    CHECK_FALSE(plugged.recordings().state().possible);

    juce::AudioProcessor::setTypeOfNextNewPlugin(juce::AudioProcessor::wrapperType_Standalone);
    plugin::EarshotProcessor app;
    juce::AudioProcessor::setTypeOfNextNewPlugin(juce::AudioProcessor::wrapperType_Undefined);
    CHECK(app.recordings().state().possible);
    CHECK(app.recordings().analyse(false).contains("Drop recordings"));
    app.recordings().add({juce::String((folder / "in" / "a.wav").string())});
    REQUIRE(eventually([&] { return app.recordings().state().rows().size() == 1; }));
    CHECK(app.recordings().analyse(false) == "");
    REQUIRE(eventually([&] { return app.recordings().state().rows().at(0).state == State::done; }));
    CHECK(fs::exists(folder / "in earshot results" / "a.wav.csv"));
    app.recordings().remove(app.recordings().state().rows().at(0).id);
    CHECK(app.recordings().state().rows().empty());
}
