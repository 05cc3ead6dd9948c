#include "Ui/EditHistory.h"

#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/ParameterIds.h"
#include "Ui/PresetChoice.h"

#include <string>

using namespace earshot;
using namespace earshot::ui;

namespace {

struct Scene {
    Scene() {
        edits.clock = [this] { return now; };
        edits.onMark = [this](const auto& shown) { mark = shown; };
    }
    template <typename Change>
    void edit(Change change, int later = 5000) {
        now += later;
        view.edit(change);
        view.dispatchPendingMessages();
    }
    void setThreshold(const std::string& sound, float threshold, int later = 5000) {
        edit([&](ViewSettings& settings) { settings.classThresholds[sound] = threshold; }, later);
    }
    const std::map<std::string, float>& thresholds() const { return view.get().classThresholds; }

    juce::RangedAudioParameter& sensitivity() {
        return *controller.parameters().getParameter(parameter::sensitivity);
    }
    // As a slider that is dragged there.
    void drag(std::initializer_list<float> values) {
        sensitivity().beginChangeGesture();
        for (const float value : values) {
            now += 3000;
            sensitivity().setValueNotifyingHost(value);
        }
        sensitivity().endChangeGesture();
    }
    void teach(const juce::String& sound) {
        REQUIRE(controller.teaching().teach(sound, 1, 0.0, 1.0, true).isEmpty());
        edits.noteExamples();
    }
    int examples() { // of all sounds
        int count = 0;
        for (const auto& sound : controller.teaching().now.sounds) count += sound.examples;
        return count;
    }

    test::FakeController controller{{"Rain"}};
    ViewState& view = controller.view();
    EditHistory edits{controller};
    juce::int64 now = 0;
    std::optional<MarkedSpan> mark;
};

using Thresholds = std::map<std::string, float>;

} // namespace

TEST_CASE("thresholds, pins, hidden and solo sounds are undone and redone one by one", "[unit]") {
    Scene scene;
    REQUIRE(scene.edits.undo().isEmpty());
    scene.setThreshold("Rain", 0.3f);
    scene.edit([](ViewSettings& settings) { settings.hidden.insert("Dog"); });
    scene.edit([](ViewSettings& settings) { settings.solo.insert("Bird"); });
    scene.edit([](ViewSettings& settings) { settings.pinned.insert("Bell"); });
    scene.edit([](ViewSettings& settings) { settings.width = 900; }); // is no step
    REQUIRE(scene.edits.undo() == "pins");
    REQUIRE(scene.edits.undo() == "solo sounds");
    REQUIRE(scene.edits.undo() == "hidden sounds");
    REQUIRE(scene.edits.undo() == "threshold of Rain");
    REQUIRE(scene.edits.undo().isEmpty());
    ViewSettings first;
    first.width = 900;
    REQUIRE(scene.view.get() == first);
    REQUIRE(scene.edits.redo() == "threshold of Rain");
    REQUIRE(scene.thresholds() == Thresholds{{"Rain", 0.3f}});
    REQUIRE(scene.edits.redo() == "hidden sounds");
    scene.setThreshold("Rain", 0.2f); // from here there is nothing to redo
    REQUIRE(scene.edits.redo().isEmpty());
    REQUIRE(scene.edits.undo() == "threshold of Rain");
    REQUIRE(scene.thresholds() == Thresholds{{"Rain", 0.3f}});
    REQUIRE(scene.view.get().hidden == std::set<std::string>{"Dog"});
}

TEST_CASE("a slider that is dragged is one step, and another sound another", "[unit]") {
    Scene scene;
    scene.setThreshold("Rain", 0.5f);
    for (int i = 0; i < 20; ++i) scene.setThreshold("Rain", 0.4f - 0.01f * static_cast<float>(i), 100);
    scene.setThreshold("Dog", 0.1f, 100);
    REQUIRE(scene.edits.undo() == "threshold of Dog");
    REQUIRE(scene.edits.undo() == "threshold of Rain");
    REQUIRE(scene.thresholds().empty());
    REQUIRE(scene.edits.undo().isEmpty());
    // A change right after an undo is a step of its own.
    scene.setThreshold("Rain", 0.6f, 10);
    REQUIRE(scene.edits.undo() == "threshold of Rain");
    REQUIRE(scene.thresholds().empty());
}

TEST_CASE("a change that was not told of yet is undone", "[unit]") {
    Scene scene;
    scene.view.edit([](ViewSettings& settings) { settings.classThresholds["Rain"] = 0.3f; });
    REQUIRE(scene.edits.undo() == "threshold of Rain");
    REQUIRE(scene.thresholds().empty());
    scene.view.dispatchPendingMessages();
    REQUIRE(scene.edits.undo().isEmpty());
    REQUIRE(scene.edits.redo() == "threshold of Rain");
}

TEST_CASE("a mark that was made, moved or removed comes back, until other audio is shown", "[unit]") {
    Scene scene;
    const MarkedSpan first{{2, 1.0, 2.0}}, second{{-1, 1.5, 2.0}, {1200.0, 4800.0}};
    scene.edits.noteMark(first);
    scene.now += 5000;
    scene.edits.noteMark(second);
    scene.edits.noteMark(std::nullopt);
    REQUIRE(scene.edits.undo() == "mark");
    REQUIRE(scene.mark == second);
    REQUIRE(scene.edits.undo() == "mark");
    REQUIRE(scene.mark == first);
    REQUIRE(scene.edits.undo() == "mark");
    REQUIRE_FALSE(scene.mark);
    REQUIRE(scene.edits.redo() == "mark");
    REQUIRE(scene.mark == first);
    scene.setThreshold("Rain", 0.3f);
    scene.edits.forgetMarks();
    scene.mark.reset();
    REQUIRE(scene.edits.undo() == "threshold of Rain");
    REQUIRE(scene.edits.undo().isEmpty());
    REQUIRE_FALSE(scene.mark);
}

TEST_CASE("a drag of the sensitivity is one step, and automation none", "[unit]") {
    Scene scene;
    auto& sensitivity = *scene.controller.parameters().getParameter(parameter::sensitivity);
    const auto now = [&] { return presetRules(scene.controller.parameters()).sensitivity; };
    sensitivity.setValueNotifyingHost(sensitivity.convertTo0to1(-1.0f)); // automation
    REQUIRE(scene.edits.undo().isEmpty());
    sensitivity.beginChangeGesture();
    for (const float value : {0.5f, 1.0f, 2.0f})
        sensitivity.setValueNotifyingHost(sensitivity.convertTo0to1(value));
    sensitivity.endChangeGesture();
    scene.setThreshold("Rain", 0.3f);
    sensitivity.setValueNotifyingHost(sensitivity.convertTo0to1(3.0f));
    REQUIRE(scene.edits.undo() == "threshold of Rain");
    REQUIRE(now() == Approx(3.0f)); // stays as the host has it
    REQUIRE(scene.edits.undo() == "sensitivity");
    REQUIRE(now() == Approx(-1.0f));
    REQUIRE(scene.edits.undo().isEmpty());
    REQUIRE(scene.edits.redo() == "sensitivity");
    REQUIRE(now() == Approx(2.0f));
}

TEST_CASE("a preset with rules and sounds is one step, and each preset its own", "[unit]") {
    Scene scene;
    const auto rules = [&] { return presetRules(scene.controller.parameters()); };
    scene.edit([](ViewSettings& settings) { settings.hidden = {"Rain"}; });
    scene.now += 5000;
    applyPreset(scene.controller, {"Mine", {2.0f, 0.5f, 1.0f}, {"Rain"}, {}});
    applyPreset(scene.controller, {"Other", {-2.0f, 0.0f, 0.0f}, {}, {"Dog"}});
    scene.view.dispatchPendingMessages();
    REQUIRE(scene.edits.undo() == "preset");
    REQUIRE(scene.view.get().preset == "Mine");
    REQUIRE(scene.view.get().solo == std::set<std::string>{"Rain"});
    REQUIRE(rules().sensitivity == Approx(2.0f));
    REQUIRE(rules().minDuration == Approx(0.5f));
    REQUIRE(scene.edits.undo() == "preset");
    REQUIRE(scene.view.get().preset == "Everything");
    REQUIRE(scene.view.get().hidden == std::set<std::string>{"Rain"});
    REQUIRE(rules() == PresetRules{});
    REQUIRE(scene.edits.undo() == "hidden sounds");
    REQUIRE(scene.edits.undo().isEmpty());
    REQUIRE(scene.edits.redo() == "hidden sounds");
    REQUIRE(scene.edits.redo() == "preset");
    REQUIRE(rules().mergeGap == Approx(1.0f));
    // Applied again after its rules were changed.
    setPresetRules(scene.controller.parameters(), {1.0f, 0.5f, 1.0f});
    scene.now += 5000;
    applyPreset(scene.controller, {"Mine", {2.0f, 0.5f, 1.0f}, {"Rain"}, {}});
    REQUIRE(scene.edits.undo() == "sensitivity");
    REQUIRE(rules().sensitivity == Approx(1.0f));
}

TEST_CASE("at most a hundred steps are kept", "[unit]") {
    Scene scene;
    for (int i = 0; i < 300; ++i) scene.setThreshold("Rain", 0.001f * static_cast<float>(i));
    int steps = 0;
    while (scene.edits.undo().isNotEmpty()) ++steps;
    REQUIRE(steps == static_cast<int>(EditHistory::maxSteps));
}
TEST_CASE("other steps leave the sensitivity where automation has moved it", "[unit]") {
    Scene scene;
    const float first = scene.sensitivity().getValue();
    scene.drag({0.55f, 0.6f, 0.75f});
    scene.setThreshold("Rain", 0.3f);
    scene.sensitivity().setValueNotifyingHost(0.2f); // as a host's automation does
    scene.setThreshold("Dog", 0.3f);
    scene.drag({0.9f});
    REQUIRE(scene.edits.undo() == "sensitivity");
    REQUIRE(scene.sensitivity().getValue() == Approx(0.2f));
    REQUIRE(scene.edits.undo() == "threshold of Dog");
    REQUIRE(scene.edits.undo() == "threshold of Rain");
    REQUIRE(scene.sensitivity().getValue() == Approx(0.2f));
    REQUIRE(scene.edits.undo() == "sensitivity");
    REQUIRE(scene.sensitivity().getValue() == Approx(first));
    REQUIRE(scene.edits.undo().isEmpty());
    REQUIRE(scene.edits.redo() == "sensitivity");
    REQUIRE(scene.sensitivity().getValue() == Approx(0.2f)); // where it was before the thresholds
}

TEST_CASE("examples are taken back one by one, and come back", "[unit]") {
    Scene scene;
    scene.teach("Door");
    scene.teach("Door"); // at once, and yet a step of its own
    REQUIRE(scene.controller.teaching().forget("Door").isEmpty());
    scene.edits.noteExamples();
    REQUIRE(scene.examples() == 0);
    REQUIRE(scene.edits.undo() == "examples");
    REQUIRE(scene.examples() == 2);
    REQUIRE(scene.edits.undo() == "examples");
    REQUIRE(scene.examples() == 1);
    REQUIRE(scene.edits.redo() == "examples");
    REQUIRE(scene.examples() == 2);
    REQUIRE(scene.edits.undo() == "examples");
    REQUIRE(scene.edits.undo() == "examples");
    REQUIRE(scene.examples() == 0);
    REQUIRE(scene.edits.undo().isEmpty());
}

TEST_CASE("what cannot be undone now says why, and can be later", "[unit]") {
    Scene scene;
    juce::String refused;
    scene.edits.onRefusal = [&](const juce::String& why) { refused = why; };
    scene.teach("Door");
    scene.controller.teaching().refusal = "A bounce is running";
    REQUIRE(scene.edits.undo().isEmpty());
    REQUIRE(refused == "A bounce is running");
    REQUIRE(scene.examples() == 1);
    scene.controller.teaching().refusal = {};
    REQUIRE(scene.edits.undo() == "examples");
    REQUIRE(scene.examples() == 0);
}
