#include "Plugin/Base/UserLists.h"

#include "OscInbox.h"
#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/Skip.h"
#include "Ui/ParameterIds.h"

using namespace earshot;

namespace {

// The same computer under names that look like others.
constexpr const char* elsewhere = "127.1";
constexpr const char* alsoElsewhere = "0x7f.1";

std::string projectThatSendsTo(const juce::String& host, int port) {
    plugin::PluginState state;
    state.outputs.osc = true;
    state.outputs.oscActivation = true;
    state.outputs.oscHost = host;
    state.outputs.oscPort = port;
    return plugin::toJson(state);
}

// Opens the project, bounces two seconds and says how many messages arrived.
std::size_t messagesOf(const std::string& project, test::OscInbox& inbox, bool allow = false) {
    const auto before = inbox.waitFor(0).size();
    {
        plugin::EarshotProcessor processor;
        processor.setStateInformation(project.data(), static_cast<int>(project.size()));
        if (allow) processor.outputs().allowHost();
        const bool off = processor.outputs().hostToAllow().isNotEmpty();
        REQUIRE(off == processor.outputs().problem().contains("OSC is off"));
        if (off) REQUIRE(processor.outputs().problem().contains(processor.outputs().hostToAllow()));
        REQUIRE(processor.state().outputs.osc); // the project keeps what it said
        processor.setNonRealtime(true);
        processor.prepareToPlay(48000.0, 512);
        juce::AudioBuffer<float> audio(2, 96000);
        audio.clear();
        test::playThrough(
            processor, audio, [] { return 512; }, [](const juce::MidiBuffer&, int) {});
        processor.releaseResources();
    }
    // What was sent to an address of this computer is there by now, or nearly.
    juce::Thread::sleep(200);
    return inbox.waitFor(0).size() - before;
}

} // namespace

TEST_CASE("OSC goes to this computer, and to another one only once the user has allowed that one", "[slow]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    test::OscInbox inbox;
    REQUIRE(messagesOf(projectThatSendsTo("127.0.0.1", inbox.port()), inbox) > 0);
    REQUIRE(messagesOf(projectThatSendsTo("localhost", inbox.port()), inbox) > 0);

    REQUIRE(messagesOf(projectThatSendsTo(elsewhere, inbox.port()), inbox) == 0);
    REQUIRE(messagesOf(projectThatSendsTo(elsewhere, inbox.port()), inbox, true) > 0);
    REQUIRE(messagesOf(projectThatSendsTo(elsewhere, inbox.port()), inbox) > 0); // remembered
    REQUIRE(messagesOf(projectThatSendsTo(alsoElsewhere, inbox.port()), inbox) == 0);
    REQUIRE(messagesOf(projectThatSendsTo(" 127.1 ", inbox.port()), inbox) > 0);
}

TEST_CASE("who names a host in the window has allowed it, and who sets anything else has not", "[unit]") {
    const test::HomeEnvironment home;
    const std::string project = projectThatSendsTo(elsewhere, 9000);
    plugin::EarshotProcessor processor;
    processor.setStateInformation(project.data(), static_cast<int>(project.size()));
    REQUIRE(processor.outputs().hostToAllow() == elsewhere);
    auto outputs = processor.outputs().settings();
    outputs.oscPort = 9001;
    outputs.midi.set(3, {64, 2});
    processor.outputs().set(outputs);
    REQUIRE(processor.outputs().hostToAllow() == elsewhere);
    outputs.osc = false;
    processor.outputs().set(outputs);
    REQUIRE(processor.outputs().hostToAllow().isEmpty());
    REQUIRE_FALSE(plugin::mayReceive(elsewhere));
    outputs.osc = true;
    outputs.oscHost = alsoElsewhere;
    processor.outputs().set(outputs);
    REQUIRE(processor.outputs().hostToAllow().isEmpty());
    REQUIRE(plugin::mayReceive(alsoElsewhere));
    REQUIRE_FALSE(plugin::mayReceive(elsewhere));
}

TEST_CASE("XDG_CONFIG_HOME says where the settings are, where it is an absolute path", "[unit]") {
    if (juce::SystemStats::getOperatingSystemType() != juce::SystemStats::Linux)
        return test::skip("other systems have a folder of their own");
    const test::HomeEnvironment home;
    const auto usual = juce::File("~/.config/Earshot");
    REQUIRE(plugin::configFolder() == usual);
    const test::TemporaryDirectory folder;
    {
        const test::EnvironmentScope given("XDG_CONFIG_HOME", folder.path().string());
        REQUIRE(plugin::configFolder() == juce::File(folder.path().string()).getChildFile("Earshot"));
        REQUIRE(plugin::allowToReceive("studio.local"));
        REQUIRE(plugin::configFolder().getChildFile("osc-hosts.txt").existsAsFile());
    }
    REQUIRE_FALSE(plugin::mayReceive("studio.local"));
    for (const char* relative : {"settings", "~/settings", ""}) {
        const test::EnvironmentScope given("XDG_CONFIG_HOME", relative);
        REQUIRE(plugin::configFolder() == usual);
    }
}

TEST_CASE("this computer is known by its addresses, not by names that begin like one", "[unit]") {
    for (const char* host : {"127.0.0.1", "127.8.9.10", "localhost", " LocalHost ", "::1"})
        REQUIRE(plugin::isThisComputer(host));
    for (const char* host : {"127.0.0.1.example.org", "127.example.org", "127.0.0", "127.0.0.256", "127.0.0.",
                             "localhost.example.org", "192.168.0.2", "studio.local", "::", ""})
        REQUIRE_FALSE(plugin::isThisComputer(host));
    const test::HomeEnvironment home;
    REQUIRE_FALSE(plugin::mayReceive("studio.local"));
    for (int i = 0; i < 200; ++i) REQUIRE(plugin::allowToReceive("host" + juce::String(i)));
    REQUIRE(plugin::allowToReceive("Studio.local"));
    REQUIRE(plugin::mayReceive("studio.local"));
    REQUIRE(plugin::mayReceive("host199"));
    REQUIRE_FALSE(plugin::mayReceive("host0")); // the list is short
}

TEST_CASE("a name server that does not answer holds nobody up", "[unit]") {
    const auto answers = std::make_shared<std::atomic<bool>>(false);
    const auto left = std::make_shared<std::atomic<bool>>(false);
    const auto begun = std::chrono::steady_clock::now();
    {
        plugin::OscOut osc([=](juce::OSCSender&, const juce::String&, int) {
            while (!*answers) juce::Thread::sleep(1);
            *left = true;
            return false;
        });
        osc.connect("127.0.0.1", 9000);
        osc.send(juce::OSCMessage("/earshot/event"));
        juce::Thread::sleep(20);
    }
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(3));
    *answers = true;
    while (!*left) juce::Thread::sleep(1);
}
