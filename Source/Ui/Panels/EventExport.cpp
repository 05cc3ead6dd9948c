#include "Ui/Panels/EventExport.h"

#include "Core/Base/Log.h"
#include "Core/Base/WholeFile.h"
#include "Core/Formats/Fields.h"
#include "Ui/Panels/Widgets.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace earshot::ui {

namespace {

constexpr const char* dragPrefix = "earshot-events-";

// Removes the user's own files that are older than a day. A link leads elsewhere and stays.
void removeOldDrags(const juce::File& temporary) {
    const auto yesterday = juce::Time::getCurrentTime() - juce::RelativeTime::days(1);
    for (const auto& old :
         temporary.findChildFiles(juce::File::findDirectories, false, juce::String(dragPrefix) + "*")) {
        struct stat status {};
        if (::lstat(old.getFullPathName().toRawUTF8(), &status) != 0 || !S_ISDIR(status.st_mode) ||
            status.st_uid != ::geteuid())
            continue;
        if (old.getCreationTime() < yesterday && old.getLastModificationTime() < yesterday)
            old.deleteRecursively();
    }
}

} // namespace

std::vector<formats::TimedEvent> timedEvents(std::span<const detection::Event> events,
                                             const detection::Labels& labels,
                                             const streaming::TimeMap& times) {
    std::vector<formats::TimedEvent> timed;
    timed.reserve(events.size());
    for (const detection::Event& event : events) {
        if (event.classIndex < 0 || event.classIndex >= labels.count()) continue;
        const double onset = times.shown(event.onset);
        timed.push_back({onset, onset + (event.offset - event.onset), labels.name(event.classIndex),
                         event.classIndex, event.peak, event.mean, event.confidence, event.channel});
    }
    std::stable_sort(timed.begin(), timed.end(),
                     [](const auto& a, const auto& b) { return a.onset < b.onset; });
    return timed;
}

std::string tabTable(const formats::RecordingEvents& recording) {
    const bool boxes =
        std::ranges::any_of(recording.events, [](const auto& event) { return event.confidence > 0.0f; });
    const auto file = std::filesystem::path(recording.file).filename().string();
    std::string table;
    if (!file.empty()) table += "recording\t";
    if (recording.start) table += "time\t";
    table += fmt::format("onset_s\toffset_s\tlength_s\tsound\t{}\n", boxes ? "confidence" : "peak");
    for (const auto& event : recording.events) {
        if (!file.empty()) table += formats::oneLine(file) + "\t";
        if (const auto time = formats::timeOf(recording, event)) table += isoText(*time) + "\t";
        table += fmt::format("{:.3f}\t{:.3f}\t{:.3f}\t{}\t{:.3f}\n", event.onset, event.offset,
                             event.offset - event.onset, formats::oneLine(formats::labelWithChannel(event)),
                             formats::certainty(event));
    }
    return table;
}

juce::String exportName(const juce::File& recording, const formats::EventFormat& format) {
    const auto of =
        recording == juce::File() ? juce::String("Earshot") : recording.getFileNameWithoutExtension();
    return juce::File::createLegalFileName(of + " events" + toText(std::string(format.suffix)));
}

juce::String writeDocument(const juce::File& file, const std::string& document) {
    try {
        writeWholeFile(file.getFullPathName().toStdString(), document);
        return {};
    } catch (const WriteError&) {
        logCaught("exporting events");
        return "Could not write " + file.getFileName() + ": choose another folder";
    }
}

// Each drag gets a folder, because the receiving program may read an earlier one later. The folder for
// temporary files is shared, so ours have names that nobody can foresee, and only their owner may read them.
juce::File newDragFolder() {
    const auto temporary = juce::File::getSpecialLocation(juce::File::tempDirectory);
    removeOldDrags(temporary);
    auto own = (temporary.getFullPathName() + "/" + dragPrefix + "XXXXXX").toStdString();
    return ::mkdtemp(own.data()) == nullptr ? juce::File() : juce::File(toText(own));
}

juce::File writeForDragging(const juce::String& name, const std::string& document) {
    const auto folder = newDragFolder();
    if (folder == juce::File()) return {};
    const auto file = folder.getChildFile(name);
    return writeDocument(file, document).isEmpty() ? file : juce::File();
}

} // namespace earshot::ui
