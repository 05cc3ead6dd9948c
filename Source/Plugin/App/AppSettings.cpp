#include "Plugin/App/AppSettings.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/WholeFile.h"
#include "Plugin/Base/UserLists.h"
#include "Plugin/State/StateText.h"
#include "Ui/Panels/Widgets.h"

#include <memory>
#include <optional>

namespace earshot::plugin {

namespace {

constexpr const char* stateName = "state";
constexpr const char* fileTag = "PROPERTIES"; // juce::PropertiesFile reads it

std::string stateIn(const juce::PropertySet& values) {
    juce::MemoryBlock state;
    const juce::String text = values.getValue(stateName);
    if (!isStateText(text.toStdString()) || !state.fromBase64Encoding(text)) return {};
    return {static_cast<const char*>(state.getData()), state.getSize()};
}

// What the file holds; null: it cannot be read, or holds what is no state.
std::optional<juce::PropertySet> read(const juce::File& file) {
    juce::PropertiesFile::Options options;
    options.doNotSave = true;
    const juce::PropertiesFile stored(file, options);
    if (!stored.isValidFile()) return std::nullopt;
    if (stored.getValue(stateName).isNotEmpty() && !stateFromJson(stateIn(stored))) return std::nullopt;
    return juce::PropertySet(stored);
}

} // namespace

juce::File AppSettings::usualFile() {
    juce::PropertiesFile::Options options;
    options.applicationName = "Earshot";
    options.filenameSuffix = ".settings";
    options.osxLibrarySubFolder = "Application Support";
#if JUCE_LINUX || JUCE_BSD
    options.folderName = configFolder().getFullPathName();
#else
    options.folderName = "Earshot";
#endif
    return options.getDefaultFile();
}

AppSettings::AppSettings(const juce::File& file)
    : file_(file) {
    if (const auto stored = read(file)) values_ = *stored;
}

std::string AppSettings::storedState() const { return stateIn(values_); }

void AppSettings::begin(const PluginState& state) { before_ = state_ = state; }

void AppSettings::set(const PluginState& state) {
    if (state == state_) return;
    state_ = state;
    calm_ = 0;
}

void AppSettings::set(const juce::String& name, const juce::String& value) {
    if (value == values_.getValue(name)) return;
    values_.setValue(name, value);
    changed_.insert(name);
    calm_ = 0;
}

void AppSettings::follow() {
    if (++calm_ >= rest) store();
}

void AppSettings::store() {
    if (changed_.empty() && state_ == before_) return;
    calm_ = 0; // what fails is tried again
    try {
        write();
        changed_.clear();
        before_ = state_;
        problem_.clear();
    } catch (const Error& error) {
        logCaught("storing settings");
        problem_ = "The settings could not be saved: " + ui::toText(error.what());
    }
}

void AppSettings::write() {
    juce::PropertySet values = values_;
    if (const auto stored = read(file_); stored && file_.exists()) {
        values = *stored;
        for (const auto& name : changed_) values.setValue(name, values_.getValue(name));
    } else if (file_.exists()) {
        const auto aside = file_.getSiblingFile(file_.getFileName() + ".unreadable").getNonexistentSibling();
        if (!file_.moveFileTo(aside))
            throw WriteError(file_.getFullPathName().toStdString() +
                             ": cannot be read or moved; move it to another folder");
        aside_ = "The settings cannot be read and were moved to " + aside.getFullPathName() +
                 ": close Earshot and put back a copy, or go on with new ones";
    }
    const std::string state = mergedState(toJson(before_), toJson(state_), stateIn(values));
    values.setValue(stateName, juce::MemoryBlock(state.data(), state.size()).toBase64Encoding());
    writeWholeFile(file_.getFullPathName().toStdString(), values.createXml(fileTag)->toString().toStdString(),
                   WholeFile::MissingFolders::made);
    values_ = values;
}

} // namespace earshot::plugin
