#include "Plugin/OscPermission.h"

#include "Core/Base/WholeFile.h"

namespace earshot::plugin {

namespace {

constexpr int mostHosts = 64;
constexpr juce::int64 mostBytes = 64 * 1024;

juce::File listFile() {
    return juce::File::getSpecialLocation(juce::File::userApplicationDataDirectory)
        .getChildFile("Earshot")
        .getChildFile("osc-hosts.txt");
}

juce::String nameOf(const juce::String& host) { return host.trim().toLowerCase(); }

juce::StringArray allowedHosts() {
    juce::StringArray hosts;
    const juce::File list = listFile();
    if (!list.existsAsFile() || list.getSize() > mostBytes) return hosts;
    list.readLines(hosts);
    hosts.trim();
    hosts.removeEmptyStrings();
    return hosts;
}

// 127.0.0.0/8, written as four numbers: a name may begin like one.
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

bool isThisComputer(const juce::String& host) {
    const juce::String name = nameOf(host);
    return name == "localhost" || name == "::1" || isLoopbackAddress(name);
}

bool mayReceive(const juce::String& host) {
    return isThisComputer(host) || allowedHosts().contains(nameOf(host));
}

bool allowToReceive(const juce::String& host) {
    juce::StringArray hosts = allowedHosts();
    hosts.removeString(nameOf(host));
    hosts.insert(0, nameOf(host));
    hosts.removeRange(mostHosts, hosts.size());
    const juce::File list = listFile();
    try {
        writeWholeFile(list.getFullPathName().toStdString(), hosts.joinIntoString("\n").toStdString(),
                       WholeFile::MissingFolders::made);
        return true;
    } catch (const WriteError&) {
        return false;
    }
}

} // namespace earshot::plugin
