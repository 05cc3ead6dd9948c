#include "Plugin/RecentModels.h"

#include "Core/Base/WholeFile.h"

namespace earshot::plugin {

namespace {

constexpr int mostModels = 8;
constexpr juce::int64 mostBytes = 64 * 1024;

juce::File listFile() {
    return juce::File::getSpecialLocation(juce::File::userApplicationDataDirectory)
        .getChildFile("Earshot")
        .getChildFile("recent-models.txt");
}

} // namespace

juce::Array<juce::File> recentModels() {
    juce::Array<juce::File> models;
    const juce::File list = listFile();
    if (!list.existsAsFile() || list.getSize() > mostBytes) return models;
    juce::StringArray lines;
    list.readLines(lines);
    for (const juce::String& line : lines) {
        if (models.size() == mostModels) break;
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
    models.resize(juce::jmin(models.size(), mostModels));
    juce::StringArray lines;
    for (const juce::File& file : models) lines.add(file.getFullPathName());
    const juce::File list = listFile();
    try {
        writeWholeFile(list.getFullPathName().toStdString(), lines.joinIntoString("\n").toStdString(),
                       WholeFile::MissingFolders::made);
    } catch (const WriteError&) {
        return; // the list is a convenience
    }
}

} // namespace earshot::plugin
