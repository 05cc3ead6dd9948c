#include "Plugin/Recordings/RecordingDesk.h"

#include "Plugin/Base/Refusal.h"
#include "Ui/CatchAll.h"

#include <filesystem>
#include <utility>
#include <vector>

namespace earshot::plugin {

using ui::catchAll;

RecordingDesk::RecordingDesk(bool app, std::function<HowToListen()> settings)
    : app_(app)
    , settings_(std::move(settings)) {}

ui::RecordingList RecordingDesk::state() const { return app_ ? recordings_.view() : ui::RecordingList(); }

void RecordingDesk::add(const juce::StringArray& paths) {
    catchAll([&] {
        std::vector<std::filesystem::path> files;
        for (const auto& path : paths) files.emplace_back(path.toStdString());
        recordings_.add(files, settings_());
    });
}

void RecordingDesk::remove(int id) {
    catchAll([&] { recordings_.remove(id); });
}

juce::String RecordingDesk::analyse(bool again) {
    return whyNotDone([&] { return recordings_.analyse(settings_(), again); });
}

juce::String RecordingDesk::writeTable(const juce::File& file) {
    return whyNotDone([&] { return recordings_.writeTable(file.getFullPathName().toStdString()); });
}

juce::String RecordingDesk::setResults(int id, const juce::File& folder) {
    return whyNotDone([&] { return recordings_.setResults(id, folder.getFullPathName().toStdString()); });
}

} // namespace earshot::plugin
