// What the plugin catches is logged, and the user reads its cause.
#include "Plugin/Base/Refusal.h"
#include "Plugin/EarshotProcessor.h"
#include "Plugin/Window/FailureEditor.h"
#include "ProcessorRig.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Environment.h"
#include "Ui/CatchAll.h"

#include <new>
#include <stdexcept>

using namespace earshot;

TEST_CASE("a refusal states the cause of an exception, and memory only where it is missing", "[unit][log]") {
    const auto refused = [](const auto& thrown) {
        return plugin::whyNotDone([&]() -> std::string { throw thrown; });
    };
    CHECK(refused(std::runtime_error("the d\xc3\xbcnn disk is on fire")) ==
          juce::String::fromUTF8("the d\xc3\xbcnn disk is on fire"));
    CHECK(refused(std::bad_alloc()) == "There is not enough memory: close other programs and try again");
    CHECK(plugin::whyNotDone([] { return "a reason"; }) == "a reason");
}

TEST_CASE("an editor that cannot be opened is a window that says why", "[unit][log]") {
    const test::HomeEnvironment home;
    plugin::EarshotProcessor processor;
    plugin::FailureEditor editor(processor, "the font is missing");
    CHECK(editor.text() == "The window of Earshot could not be opened: the font is missing");
    CHECK(editor.getWidth() > 0);
    CHECK(editor.createComponentSnapshot(editor.getLocalBounds()).isValid());
}

TEST_CASE("instances share a log, which has what they caught and begins with the first message",
          "[unit][log]") {
    const test::HomeEnvironment home;
    const test::TemporaryDirectory folder;
    const auto file = folder / "log";
    const test::EnvironmentScope chosen("EARSHOT_LOG", file.string());
    {
        plugin::EarshotProcessor first, second;
        CHECK(first.shell().hasLog());
        CHECK_FALSE(std::filesystem::exists(file)); // scanning leaves nothing
        CHECK_FALSE(ui::catchAll([] { throw std::runtime_error("the disk is on fire"); }));
    }
    const auto text = test::readBytes(file);
    CHECK_THAT(text, ContainsSubstring("] Earshot ") && ContainsSubstring(": the disk is on fire\n"));
    CHECK(text.find("] Earshot ") == text.rfind("] Earshot "));
    const test::EnvironmentScope off("EARSHOT_LOG", "off");
    plugin::EarshotProcessor silent;
    CHECK_FALSE(silent.shell().hasLog());
}
