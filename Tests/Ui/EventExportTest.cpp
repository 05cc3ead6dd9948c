#include "Ui/Panels/EventExport.h"
#include "Support/Catch.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>

using namespace earshot;
using detection::Event;
using formats::formatNamed;

namespace {

detection::Labels labels() {
    return detection::Labels::read({{"earshot.labels", R"(["Dog","Rain, heavy"])"}}, "m.safetensors", 2);
}

// Gone with what is in it.
struct Folder {
    Folder() { path.createDirectory(); }
    ~Folder() { path.deleteRecursively(); }
    juce::File path =
        juce::File::getSpecialLocation(juce::File::tempDirectory).getChildFile(juce::Uuid().toString());
};

} // namespace

TEST_CASE("exported events have the times people see and keep their lengths", "[unit]") {
    streaming::TimeMap times;
    times.add({0.0, 100.0, true});
    times.add({10.0, 64.0, true}); // the host loops
    const std::vector<Event> events{
        {0, 2.0, 3.5, 0.9f, 0.8f}, {1, 9.0, 11.0, 0.7f, 0.6f}, {0, 12.0, 13.0, 0.5f, 0.5f}};
    auto timed = ui::timedEvents(events, labels(), times);
    REQUIRE(timed.size() == 3);
    REQUIRE(std::is_sorted(timed.begin(), timed.end(),
                           [](const auto& a, const auto& b) { return a.onset < b.onset; }));
    REQUIRE(timed[0].onset == Approx(66.0));
    REQUIRE(timed[1].onset == Approx(102.0));
    REQUIRE(timed[1].offset == Approx(103.5));
    REQUIRE(timed[2].label == "Rain, heavy");
    REQUIRE(timed[2].offset - timed[2].onset == Approx(2.0)); // across the jump
}

TEST_CASE("a table for a spreadsheet has a row for each event and a tab between columns", "[unit]") {
    formats::RecordingEvents recording;
    recording.events = {{1.0, 2.5, "Rain\theavy\n", 1, 0.9f, 0.8f}, {3.0, 3.25, "Dog", 0, 0.5f, 0.5f}};
    REQUIRE(ui::tabTable(recording) == "onset_s\toffset_s\tlength_s\tsound\tpeak\n"
                                       "1.000\t2.500\t1.500\tRain heavy \t0.900\n"
                                       "3.000\t3.250\t0.250\tDog\t0.500\n");
    recording.file = "/a/night\tone.wav";
    recording.start = *wallTimeOf({2026, 5, 12, 5, 30});
    recording.events = {{1.5, 2.0, "Dog", 0, 0.9f, 0.8f, 0.7f, 2}};
    REQUIRE(ui::tabTable(recording) ==
            "recording\ttime\tonset_s\toffset_s\tlength_s\tsound\tconfidence\n"
            "night one.wav\t2026-05-12T05:30:01.500\t1.500\t2.000\t0.500\tDog (channel 2)\t0.700\n");
}

TEST_CASE("events of classes the model does not have are left out", "[unit]") {
    const std::vector<Event> events{{2, 0.0, 1.0, 0.9f, 0.8f}, {-1, 0.0, 1.0, 0.9f, 0.8f}};
    REQUIRE(ui::timedEvents(events, labels(), {}).empty());
}

TEST_CASE("a document is named after its recording", "[unit]") {
    REQUIRE(ui::exportName(juce::File("/a/birds.flac"), *formatNamed("csv")) == "birds events.csv");
    REQUIRE(ui::exportName({}, *formatNamed("midi")) == "Earshot events.mid");
    std::set<juce::String> names; // no export proposes to replace another
    for (const auto& format : formats::allFormats())
        REQUIRE(names.insert(ui::exportName(juce::File("/a/birds.flac"), format)).second);
}

TEST_CASE("a document is written whole, or the older file stays and a line says what to do", "[unit]") {
    const Folder folder;
    const auto file = folder.path.getChildFile("events.csv");
    REQUIRE(ui::writeDocument(file, "one").isEmpty());
    REQUIRE(ui::writeDocument(file, "two").isEmpty());
    REQUIRE(file.loadFileAsString() == "two");
    REQUIRE(file.getParentDirectory().getNumberOfChildFiles(juce::File::findFiles) == 1);

    // A folder that cannot be made: a file has its name.
    REQUIRE(ui::writeDocument(file.getChildFile("events.csv"), "x") ==
            "Could not write events.csv: choose another folder");
    REQUIRE(file.loadFileAsString() == "two");
    REQUIRE(ui::writeDocument(file.getParentDirectory(), "x").startsWith("Could not write"));
}

TEST_CASE("a file to drag has the name a track will have", "[unit]") {
    const std::string document("MThd\0\0", 6);
    const auto first = ui::writeForDragging("birds events.mid", document);
    const auto second = ui::writeForDragging("birds events.mid", document);
    REQUIRE(first.getFileName() == "birds events.mid");
    REQUIRE(first != second);
    REQUIRE(first.existsAsFile()); // another program may still read it
    REQUIRE(first.getSize() == 6);
    for (const auto& file : {first, second}) {
        // Nobody else can look into it, or has made it before.
        struct stat status {};
        REQUIRE(::lstat(file.getParentDirectory().getFullPathName().toRawUTF8(), &status) == 0);
        REQUIRE(S_ISDIR(status.st_mode));
        REQUIRE((status.st_mode & 0777) == 0700);
        REQUIRE(file.getParentDirectory().getParentDirectory() ==
                juce::File::getSpecialLocation(juce::File::tempDirectory));
        file.getParentDirectory().deleteRecursively();
    }
}
