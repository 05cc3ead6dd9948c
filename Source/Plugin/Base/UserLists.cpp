#include "Plugin/Base/UserLists.h"

#include "Core/Base/Log.h"
#include "Core/Base/WholeFile.h"
#include "Ui/Control/ShellControl.h"

namespace earshot::plugin {

namespace {

constexpr const char* hostsFile = "osc-hosts.txt";
constexpr int maxHosts = 64;
constexpr const char* modelsFile = "recent-models.txt";
constexpr int maxModels = 8;
constexpr const char* collectionFile = "collection.txt";
constexpr const char* zoomFile = "zoom.txt";
constexpr juce::int64 maxBytes = 64 * 1024;

juce::File listFile(const char* name) { return configFolder().getChildFile(name); }

// Returns the lines of a list, or none if the file does not exist or is too long.
juce::StringArray readList(const char* name) {
    juce::StringArray lines;
    const juce::File list = listFile(name);
    if (!list.existsAsFile() || list.getSize() > maxBytes) return lines;
    list.readLines(lines);
    lines.trim();
    lines.removeEmptyStrings();
    return lines;
}

bool writeList(const char* name, const juce::StringArray& lines) {
    try {
        writeWholeFile(listFile(name).getFullPathName().toStdString(),
                       lines.joinIntoString("\n").toStdString(), WholeFile::MissingFolders::made);
        return true;
    } catch (const WriteError&) {
        logCaught("storing settings");
        return false;
    }
}

juce::String nameOf(const juce::String& host) { return host.trim().toLowerCase(); }

// Returns whether a name is an address in 127.0.0.0/8. All four numbers are checked, because the name of
// another host may begin with "127.".
bool isLoopbackAddress(const juce::String& name) {
    const auto parts = juce::StringArray::fromTokens(name, ".", {});
    if (parts.size() != 4 || parts[0] != "127") return false;
    for (const juce::String& part : parts)
        if (part.isEmpty() || part.length() > 3 || !part.containsOnly("0123456789") ||
            part.getIntValue() > 255)
            return false;
    return true;
}

} // namespace

juce::File configFolder() {
#if JUCE_LINUX || JUCE_BSD
    // JUCE looks for this variable in ~/.config/user-dirs.dirs alone.
    const auto given = juce::SystemStats::getEnvironmentVariable("XDG_CONFIG_HOME", {});
    if (given.startsWithChar('/')) return juce::File(given).getChildFile("Earshot");
#endif
    return juce::File::getSpecialLocation(juce::File::userApplicationDataDirectory).getChildFile("Earshot");
}

bool isThisComputer(const juce::String& host) {
    const juce::String name = nameOf(host);
    return name == "localhost" || name == "::1" || isLoopbackAddress(name);
}

bool mayReceive(const juce::String& host) {
    return isThisComputer(host) || readList(hostsFile).contains(nameOf(host));
}

bool allowToReceive(const juce::String& host) {
    juce::StringArray hosts = readList(hostsFile);
    hosts.removeString(nameOf(host));
    hosts.insert(0, nameOf(host));
    hosts.removeRange(maxHosts, hosts.size());
    return writeList(hostsFile, hosts);
}

juce::Array<juce::File> recentModels() {
    juce::Array<juce::File> models;
    for (const juce::String& line : readList(modelsFile)) {
        if (models.size() == maxModels) break;
        if (!juce::File::isAbsolutePath(line)) continue;
        const juce::File model(line);
        if (model.existsAsFile()) models.addIfNotAlreadyThere(model);
    }
    return models;
}

void rememberModel(const juce::File& model) {
    juce::Array<juce::File> models = recentModels();
    models.removeFirstMatchingValue(model);
    models.insert(0, model);
    models.resize(juce::jmin(models.size(), maxModels));
    juce::StringArray lines;
    for (const juce::File& file : models) lines.add(file.getFullPathName());
    writeList(modelsFile, lines);
}

int zoomOfViews() {
    constexpr int usual = 100;
    const juce::StringArray chosen = readList(zoomFile);
    const int percent = chosen.isEmpty() ? usual : chosen[0].getIntValue();
    return percent == 0 ? usual : juce::jlimit(ui::minZoom, ui::maxZoom, percent);
}

void rememberZoom(int percent) { writeList(zoomFile, {juce::String(percent)}); }

juce::File collectionFolder() {
    const juce::StringArray chosen = readList(collectionFile);
    if (!chosen.isEmpty() && juce::File::isAbsolutePath(chosen[0])) return juce::File(chosen[0]);
    const juce::File documents = juce::File::getSpecialLocation(juce::File::userDocumentsDirectory);
    const bool writable =
        documents.exists() ? documents.hasWriteAccess() : documents.getParentDirectory().hasWriteAccess();
    return (writable ? documents.getChildFile("Earshot") : configFolder()).getChildFile("Collection");
}

void rememberCollection(const juce::File& folder) { writeList(collectionFile, {folder.getFullPathName()}); }

juce::File lessonLock() { return listFile("learning.lock"); }

juce::File remadeModels() { return configFolder().getChildFile("Taught"); }

} // namespace earshot::plugin
