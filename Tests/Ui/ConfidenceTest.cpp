// Events of a recording by the model's confidence, in place of thresholds.
#include "Core/Base/Csv.h"
#include "Core/Detection/Detector.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Formats/EventFormats.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/SebbScorers.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/MainView.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/FilterBar.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/ParameterIds.h"
#include "Ui/Timeline/LaneMenu.h"
#include "Ui/TimelineView.h"
#include "ViewWalk.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace earshot;

namespace {

constexpr double columnSeconds = 0.32;
const std::vector<std::string> names = {"Dog", "Rain"};
const juce::String switchTitle = "Choose events by confidence";

// Of 15 columns of Dog, the middle 5 are loud. By thresholds all are an event; the surest box is the loud
// ones. Rain is above its threshold, but its box is unsure.
void hear(test::FakeSource& source, int columns) {
    for (int i = 0; i < columns; ++i) {
        const float dog = i >= 15 ? 0.0f : i >= 5 && i < 10 ? 0.9f : 0.3f;
        const float rain = i >= 2 && i < 6 ? 0.45f : 0.0f;
        source.addColumn({dog, rain});
    }
}

std::unique_ptr<test::FakeSource> newRecording(int columns) {
    auto source = std::make_unique<test::FakeSource>(names, columnSeconds);
    source->setBoxes(*test::scorerBy(test::meanFeature, 1.0f, 2));
    hear(*source, columns);
    return source;
}

void choose(test::FakeController& controller, bool byConfidence) {
    controller.view().edit([&](ui::ViewSettings& view) { view.byConfidence = byConfidence; });
}

void set(test::FakeController& controller, const char* id, float value) {
    auto* parameter = controller.parameters().getParameter(id);
    parameter->setValueNotifyingHost(parameter->convertTo0to1(value));
}

// What the command line does with --confidence auto.
detection::EventList expectedFor(const test::FakeController& controller,
                                 const ui::HistoryViewModel& viewModel) {
    const auto& labels = *viewModel.history().labels;
    auto settings = detection::eventSettings(controller.rules(labels, columnSeconds), labels);
    detection::useSebbs(settings, labels.sebbs(), labels.sebbs()->minConfidence());
    return detection::deriveEvents(*viewModel.history().timeline, settings);
}

void checkByThresholds(const ui::HistoryViewModel& viewModel) {
    const auto& events = viewModel.events().list().events;
    REQUIRE(events.size() == 2);
    CHECK(events[0].classIndex == 0);
    CHECK(events[0].onset == 0.0);
    CHECK(events[0].offset == Approx(15 * columnSeconds));
    CHECK(events[0].confidence == 0.0f);
    CHECK(events[1].classIndex == 1);
}

void checkByConfidence(const ui::HistoryViewModel& viewModel) {
    const auto& events = viewModel.events().list().events;
    REQUIRE(events.size() == 1);
    CHECK(events[0].classIndex == 0);
    CHECK(events[0].onset == Approx(5 * columnSeconds));
    CHECK(events[0].offset == Approx(10 * columnSeconds));
    CHECK(events[0].confidence > 0.9f);
    const auto& misses = viewModel.events().list().nearMisses;
    REQUIRE(misses.size() == 1);
    CHECK(misses[0].event.classIndex == 1);
    CHECK(misses[0].reason == detection::Rejection::unsure);
}

struct Scene {
    Scene() {
        controller.live.setBoxes(*test::scorerBy(test::meanFeature, 1.0f, 2));
        hear(controller.live, 25);
        view.setSize(1200, 720);
        view.refresh();
    }

    void open(std::unique_ptr<test::FakeSource> recording) {
        recording->finish();
        controller.playback().recorded = std::move(recording);
        controller.playback().open(juce::File("/tmp/walk.wav"));
        view.refresh();
    }
    template <typename Kind>
    Kind& the(const juce::String& title) {
        auto* found = test::find<Kind>(view, title);
        INFO("no " << title << " to be seen");
        REQUIRE(found != nullptr);
        return *found;
    }
    juce::ToggleButton* confidence() {
        return test::find<juce::ToggleButton>(the<ui::FilterBar>("Find and filter"), switchTitle);
    }
    juce::Slider& threshold() {
        auto* slider = test::find<juce::Slider>(the<ui::FilterBar>("Find and filter"), "Sensitivity");
        REQUIRE(slider != nullptr);
        return *slider;
    }
    void click(juce::ToggleButton& button) {
        button.setToggleState(!button.getToggleState(), juce::sendNotificationSync);
        controller.view().dispatchPendingMessages();
        view.refresh();
    }
    std::optional<bool> entryEnabled(const juce::String& text) {
        const auto menu =
            ui::laneMenu(the<ui::TimelineView>("Timeline"), controller, controller.viewModel(), 0, {});
        for (juce::PopupMenu::MenuItemIterator item(menu); item.next();)
            if (item.getItem().text == text) return item.getItem().isEnabled;
        return std::nullopt;
    }

    test::FakeController controller{names, columnSeconds};
    ui::MainView view{controller};
};

} // namespace

TEST_CASE("a recording's events are chosen by confidence if wanted, those of a live stream never", "[unit]") {
    test::FakeController controller(names, columnSeconds);
    controller.live.setBoxes(*test::scorerBy(test::meanFeature, 1.0f, 2));
    hear(controller.live, 25);
    choose(controller, true);
    ui::HistoryViewModel viewModel(controller);
    viewModel.update();
    REQUIRE_FALSE(viewModel.offersConfidence());
    REQUIRE_FALSE(viewModel.byConfidence());
    checkByThresholds(viewModel);

    controller.playback().recorded = newRecording(25);
    controller.playback().open(juce::File("/tmp/walk.wav"));
    viewModel.update();
    REQUIRE(viewModel.byConfidence());
    checkByConfidence(viewModel); // all sounds are over
    controller.playback().recorded->finish();
    viewModel.update();
    checkByConfidence(viewModel);
    REQUIRE(viewModel.events().list() == expectedFor(controller, viewModel));

    choose(controller, false);
    viewModel.update();
    REQUIRE(viewModel.offersConfidence());
    REQUIRE_FALSE(viewModel.byConfidence());
    checkByThresholds(viewModel);

    choose(controller, true);
    set(controller, ui::parameter::threshold, 0.95f); // means nothing now
    viewModel.update();
    checkByConfidence(viewModel);
    set(controller, ui::parameter::minDuration, 2.0f);
    viewModel.update();
    REQUIRE(viewModel.events().list().events.empty());
    REQUIRE(viewModel.events().list() == expectedFor(controller, viewModel));

    controller.playback().close();
    viewModel.update();
    REQUIRE_FALSE(viewModel.byConfidence());
    REQUIRE(viewModel.eventSettings().sebbs == nullptr);
}

TEST_CASE("by confidence, a sound that goes on has its event once the recording has ended", "[unit]") {
    test::FakeController controller(names, columnSeconds);
    choose(controller, true);
    controller.playback().recorded = newRecording(12);
    controller.playback().open(juce::File("/tmp/walk.wav"));
    ui::HistoryViewModel viewModel(controller);
    viewModel.update();
    REQUIRE(viewModel.events().list().events.empty()); // Dog goes on
    REQUIRE(viewModel.events().list().nearMisses.size() == 1);
    controller.playback().recorded->finish();
    viewModel.update();
    checkByConfidence(viewModel);
    REQUIRE(viewModel.events().list() == expectedFor(controller, viewModel));
}

TEST_CASE("a model without confidences is not offered them", "[unit]") {
    Scene scene;
    choose(scene.controller, true);
    auto recording = std::make_unique<test::FakeSource>(names, columnSeconds);
    hear(*recording, 25);
    scene.open(std::move(recording));
    REQUIRE(scene.confidence() == nullptr);
    REQUIRE(scene.threshold().isEnabled());
    checkByThresholds(scene.controller.viewModel());
}

TEST_CASE("the switch stands beside the threshold while it applies, and disables what it replaces",
          "[unit]") {
    Scene scene;
    const juce::String ownThreshold = "Threshold for this sound...";
    const juce::String noThreshold = "Threshold for this sound: off, by confidence";
    REQUIRE(scene.confidence() == nullptr); // live
    scene.open(newRecording(25));
    REQUIRE(scene.confidence() != nullptr);
    auto& button = *scene.confidence();
    REQUIRE_FALSE(button.getToggleState());
    REQUIRE(button.getTooltip().isNotEmpty());
    REQUIRE(scene.threshold().isEnabled());
    REQUIRE(scene.entryEnabled(ownThreshold) == true);
    const auto help = scene.threshold().getTooltip();
    checkByThresholds(scene.controller.viewModel());
    REQUIRE(scene.the<ui::EventTable>("Events").listed() == 2);
    scene.the<juce::Button>("Order by peak");

    scene.click(button);
    REQUIRE(scene.controller.view().get().byConfidence);
    checkByConfidence(scene.controller.viewModel());
    REQUIRE(scene.the<ui::EventTable>("Events").listed() == 1);
    scene.the<juce::Button>("Order by confidence");
    REQUIRE_FALSE(scene.threshold().isEnabled());
    REQUIRE(scene.threshold().getTooltip().contains("By confidence"));
    REQUIRE_FALSE(scene.entryEnabled(ownThreshold));
    REQUIRE(scene.entryEnabled(noThreshold) == false);

    // The settings show the same, and switch it too.
    REQUIRE(scene.view.keyPressed(juce::KeyPress(',', juce::ModifierKeys::commandModifier, 0)));
    auto& settings = scene.the<ui::SettingsPanel>("Settings");
    auto* there = test::find<juce::ToggleButton>(settings, switchTitle);
    REQUIRE(there != nullptr);
    REQUIRE(there->getToggleState());
    for (const char* title : {"Sensitivity", "Release"})
        REQUIRE_FALSE(test::find<juce::Slider>(settings, title)->isEnabled());
    test::find<juce::Button>(settings, "Show the advanced settings")->onClick();
    REQUIRE_FALSE(test::find<juce::ComboBox>(settings, "Median")->isEnabled());
    REQUIRE(test::find<juce::Slider>(settings, "Shortest")->isEnabled());
    scene.click(*there);
    checkByThresholds(scene.controller.viewModel());
    REQUIRE_FALSE(button.getToggleState());
    REQUIRE(scene.threshold().isEnabled());
    REQUIRE(scene.threshold().getTooltip() == help);

    // It has room in the narrowest view.
    scene.click(button);
    REQUIRE(scene.view.keyPressed(juce::KeyPress(juce::KeyPress::escapeKey)));
    scene.view.setSize(640, 480);
    auto& bar = scene.the<ui::FilterBar>("Find and filter");
    REQUIRE(bar.getLocalBounds().contains(button.getBounds()));
    REQUIRE(button.getX() > test::find<juce::TextEditor>(bar, "Find a sound")->getRight());
    REQUIRE(scene.threshold().getX() > button.getRight());

    scene.controller.playback().close();
    scene.view.refresh();
    REQUIRE(scene.confidence() == nullptr);
    REQUIRE(scene.threshold().isEnabled());
    REQUIRE(scene.controller.view().get().byConfidence); // for the next recording
}

TEST_CASE("what is exported and copied by confidence is what the command line writes", "[unit]") {
    Scene scene;
    choose(scene.controller, true);
    scene.open(newRecording(25));
    const auto& viewModel = scene.controller.viewModel();
    checkByConfidence(viewModel);
    auto& panel = scene.the<ui::EventPanel>("Events");
    formats::RecordingEvents written;
    written.file = "/tmp/walk.wav";
    written.events = detection::timedEvents(expectedFor(scene.controller, viewModel).events,
                                            viewModel.history().labels->names());
    for (const char* format : {"csv", "audacity"})
        CHECK(panel.exported(*formats::formatNamed(format)) ==
              formats::document(*formats::formatNamed(format), written, {}));
    const auto rows = parseCsv(panel.exported(*formats::formatNamed("csv")));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0][7] == "confidence");
    CHECK(rows[1][7].substr(0, 3) == "0.9");
    CHECK(panel.copied().find("confidence") != std::string::npos);
}
