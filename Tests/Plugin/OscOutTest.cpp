#include "Plugin/Outputs/OscOut.h"

#include "OscInbox.h"
#include "Support/Catch.h"

using namespace earshot;

TEST_CASE("OSC messages arrive in order, and what is queued at the end is still sent", "[unit]") {
    test::OscInbox inbox;
    {
        plugin::OscOut osc;
        osc.connect("127.0.0.1", inbox.port());
        // No more than a socket's buffer holds, if the receiver is not scheduled.
        for (int i = 0; i < 100; ++i)
            osc.send(
                juce::OSCMessage("/earshot/event", juce::String("Dog"), static_cast<float>(i), 1.0f, 0.5f));
        REQUIRE(osc.problem().isEmpty());
    }
    const auto messages = inbox.waitFor(100);
    REQUIRE(messages.size() == 100);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        REQUIRE(messages[i][0].getString() == "Dog");
        REQUIRE(messages[i][1].getFloat32() == static_cast<float>(i));
    }
}

TEST_CASE("an address that cannot be reached is reported, and a good one clears the report", "[unit]") {
    test::OscInbox inbox;
    plugin::OscOut osc;
    osc.connect("no such host", 9000);
    osc.send(juce::OSCMessage("/earshot/event"));
    for (int i = 0; i < 3000 && osc.problem().isEmpty(); ++i) juce::Thread::sleep(20);
    REQUIRE(osc.problem().contains("no such host"));

    osc.connect("127.0.0.1", inbox.port());
    osc.send(juce::OSCMessage("/earshot/event"));
    REQUIRE(inbox.waitFor(1).size() == 1);
    REQUIRE(osc.problem().isEmpty());

    osc.connect({}, 0);
    osc.send(juce::OSCMessage("/earshot/event")); // goes nowhere
    REQUIRE(osc.problem().isEmpty());
}
