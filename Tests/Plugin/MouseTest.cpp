// The app's view on a real screen, used with the mouse alone: xdotool moves and clicks it where the named
// parts are. Tests/Hosts/mouse.sh gives it the screen; without one it is skipped.
#include "Plugin/EarshotEditor.h"
#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/Skip.h"
#include "Ui/Panels/EventTable.h"
#include "Ui/ParameterIds.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/TimelineView.h"

#include "Core/Formats/EventFormats.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

using namespace earshot;

namespace {

using Point = juce::Point<int>;

// What the user does stands on a thread of its own, because the message thread draws meanwhile.
template <typename Function>
auto onMessageThread(Function function) {
    std::promise<decltype(function())> promise;
    auto result = promise.get_future();
    juce::MessageManager::callAsync([&] {
        try {
            promise.set_value(function());
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    return result.get();
}

void require(bool holds, const juce::String& what) {
    if (!holds) throw std::runtime_error(what.toStdString());
}

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

juce::String calledOf(juce::Component& component) {
    if (component.getTitle().isNotEmpty()) return component.getTitle();
    if (const auto* button = dynamic_cast<juce::Button*>(&component)) return button->getButtonText();
    if (const auto* handler = component.getAccessibilityHandler()) return handler->getTitle();
    return component.getName();
}

using Wanted = std::function<bool(juce::Component&)>;

juce::Component* findIn(juce::Component& root, const Wanted& wanted) {
    if (!root.isShowing()) return nullptr;
    if (wanted(root)) return &root;
    for (int i = root.getNumChildComponents(); --i >= 0;)
        if (auto* found = findIn(*root.getChildComponent(i), wanted)) return found;
    return nullptr;
}

// In the windows, the newest first.
juce::Component* findShown(const Wanted& wanted) {
    auto& desktop = juce::Desktop::getInstance();
    for (int i = desktop.getNumComponents(); --i >= 0;)
        if (auto* found = findIn(*desktop.getComponent(i), wanted)) return found;
    return nullptr;
}

Wanted called(const juce::String& name) {
    return
        [name](juce::Component& component) { return component.isEnabled() && calledOf(component) == name; };
}

template <typename Kind>
Kind* shown() {
    return dynamic_cast<Kind*>(
        findShown([](juce::Component& component) { return dynamic_cast<Kind*>(&component) != nullptr; }));
}

bool waitUntil(const std::function<bool()>& holds, std::chrono::seconds longest = std::chrono::seconds(60)) {
    return test::eventually(
        [&] {
            pause(20);
            return onMessageThread(holds);
        },
        longest);
}

void mouse(const juce::String& commands) {
    require(std::system(("xdotool " + commands).toRawUTF8()) == 0, "xdotool " + commands);
    pause(80);
}

juce::String at(Point point) { return juce::String(point.x) + " " + juce::String(point.y); }

void click(Point point, int button = 1) {
    mouse("mousemove " + at(point) + " sleep 0.08 click " + juce::String(button));
}

// Clicks what is called so, once it is there and stays where it is.
void click(const juce::String& name, const Wanted& wanted) {
    juce::Rectangle<int> place, before;
    const bool found = waitUntil([&] {
        before = place;
        const auto* component = findShown(wanted);
        place = component != nullptr ? component->getScreenBounds() : juce::Rectangle<int>();
        return !place.isEmpty() && place == before;
    });
    require(found, "there is no " + name);
    pause(300); // JUCE's menus take no click in their first moments
    click(place.getCentre());
}

void click(const juce::String& name) { click(name, called(name)); }

void dragBetween(Point from, Point to) {
    mouse("mousemove " + at(from) + " sleep 0.08 mousedown 1 sleep 0.08 mousemove " + at((from + to) / 2) +
          " sleep 0.08 mousemove " + at(to) + " sleep 0.08 mouseup 1");
}

// A picture of the screen, where the environment names a folder for it.
void picture(const char* name) {
    const auto folder = juce::SystemStats::getEnvironmentVariable("EARSHOT_PICTURES", {});
    if (folder.isEmpty()) return;
    pause(400);
    const auto command =
        "import -window root " + juce::File(folder).getChildFile(name).getFullPathName().quoted() + ".png";
    require(std::system(command.toRawUTF8()) == 0, command);
}

// The user's device: it plays and listens to silence at the speed of sound.
class Device {
  public:
    explicit Device(plugin::EarshotProcessor& processor)
        : thread_([this, &processor] {
            juce::AudioBuffer<float> block(2, 480);
            juce::MidiBuffer midi;
            for (; !over_; pause(10)) {
                block.clear();
                midi.clear();
                processor.processBlock(block, midi);
            }
        }) {}
    ~Device() {
        over_ = true;
        thread_.join();
    }

  private:
    std::atomic<bool> over_{false};
    std::thread thread_;
};

class User {
  public:
    explicit User(plugin::EarshotProcessor& processor)
        : processor_(processor) {}

    void doesAll() {
        opensTheDemo();
        plays();
        raisesSensitivity();
        includesANearMiss();
        undoes();
        addsAnExample();
        trains();
        exportsAll();
        cuts();
    }

  private:
    int events() {
        return onMessageThread([] {
            const auto* table = shown<ui::EventTable>();
            return table != nullptr ? static_cast<int>(table->rows().rows().size()) : 0;
        });
    }

    void opensTheDemo() {
        picture("1-first-start");
        click("Try the demo");
        require(waitUntil([&] {
                    return processor_.playback().showsRecording() &&
                           processor_.viewModel().status().state == streaming::State::finished;
                }),
                "the demo is not analysed");
        require(waitUntil([&] { return shown<ui::EventTable>() != nullptr; }) && events() > 4, "no events");
        picture("2-demo");
    }

    // The first start has no device.
    void plays() {
        onMessageThread([&] {
            processor_.setRateAndBufferSizeDetails(48000.0, 480);
            processor_.prepareToPlay(48000.0, 480);
            demo_ = processor_.playback().recording();
            return true;
        });
        device_ = std::make_unique<Device>(processor_);
        auto* player = onMessageThread([&] { return processor_.playback().player(); });
        click("Play");
        require(waitUntil([&] { return player->playing() && player->position() > 0.5; }), "it does not play");
        picture("3-plays");
        click("Stop");
        require(waitUntil([&] { return !player->playing(); }), "it does not stop");
    }

    void raisesSensitivity() {
        const auto value = [&] {
            return onMessageThread(
                [&] { return processor_.parameters().getParameter(ui::parameter::sensitivity)->getValue(); });
        };
        const auto place = onMessageThread([] {
            auto* slider = findShown([](juce::Component& component) {
                return dynamic_cast<juce::Slider*>(&component) != nullptr &&
                       calledOf(component) == "Sensitivity";
            });
            return slider != nullptr ? slider->getScreenBounds() : juce::Rectangle<int>();
        });
        require(!place.isEmpty(), "no Sensitivity");
        const float before = value();
        eventsAtFirst_ = events();
        const auto middle = place.withWidth(place.getWidth() - 50).getCentre();
        dragBetween(middle, middle.translated(30, 0));
        require(value() != before, "Sensitivity has not moved");
        require(waitUntil([&] {
                    return shown<ui::EventTable>()->rows().rows().size() >
                           static_cast<std::size_t>(eventsAtFirst_);
                }),
                "a higher sensitivity detects nothing more");
        picture("4-sensitivity");
    }

    // The dashed frames in the lanes: where one lies is asked of the view, as a user sees it.
    void includesANearMiss() {
        const auto place = nearMiss();
        require(place.has_value(), "no near miss in view");
        click(*place);
        picture("5-near-miss");
        const int before = events();
        click("Include it");
        require(waitUntil([&] { return !processor_.view().get().classThresholds.empty(); }), "not included");
        require(waitUntil(
                    [&] { return static_cast<int>(shown<ui::EventTable>()->rows().rows().size()) > before; }),
                "the near miss is no event");
        picture("6-included");
    }

    std::optional<Point> nearMiss() {
        for (const auto& miss :
             onMessageThread([&] { return processor_.viewModel().events().list().nearMisses; }))
            if (miss.event.offset - miss.event.onset > 0.3)
                if (const auto place =
                        placeOf(miss.event.classIndex, (miss.event.onset + miss.event.offset) / 2.0))
                    return place;
        return std::nullopt;
    }

    // Where a time of a sound is on the screen.
    std::optional<Point> placeOf(int classIndex, double seconds) {
        const auto lane = onMessageThread([&] {
            auto* lanes = shown<ui::LanesView>();
            const auto own = lanes->laneBounds(classIndex).getIntersection(lanes->cells());
            return own.getHeight() > 20 ? lanes->localAreaToGlobal(own) : juce::Rectangle<int>();
        });
        if (lane.isEmpty()) return std::nullopt;
        if (secondsPerPixel_ <= 0.0) readAxis(lane);
        const int x = axisLeft_ + juce::roundToInt((seconds - axisStart_) / secondsPerPixel_);
        if (x < lane.getX() + 4 || x > lane.getRight() - 4) return std::nullopt;
        return Point(x, lane.getCentreY());
    }

    // By the times that the view's tip states at two places of a lane.
    void readAxis(juce::Rectangle<int> lane) {
        const auto timeAt = [&](int x) {
            mouse("mousemove " + at({x, lane.getCentreY()}) + " sleep 0.3");
            const auto text = onMessageThread([] { return shown<ui::TimelineView>()->hoverText(); });
            const auto time = text.fromFirstOccurrenceOf(juce::String::fromUTF8(" \xc2\xb7 "), false, false);
            return time.substring(0, 2).getDoubleValue() * 60.0 + time.substring(3).getDoubleValue();
        };
        axisLeft_ = lane.getX() + 60;
        constexpr int pixels = 500;
        axisStart_ = timeAt(axisLeft_);
        secondsPerPixel_ = (timeAt(axisLeft_ + pixels) - axisStart_) / pixels;
        require(secondsPerPixel_ > 0.0, "the tip states no time");
    }

    void undo() { click("Undo"); }

    void undoes() {
        undo();
        require(waitUntil([&] { return processor_.view().get().classThresholds.empty(); }), "not undone");
        undo();
        require(waitUntil([&] {
                    return static_cast<int>(shown<ui::EventTable>()->rows().rows().size()) == eventsAtFirst_;
                }),
                "undo does not bring Sensitivity back");
    }

    void addsAnExample() {
        const auto sounds = onMessageThread([&] { return processor_.viewModel().events().list().events; });
        int added = 0;
        for (const auto& event : sounds) {
            if (added == 3) break;
            const auto place = placeOf(event.classIndex, (event.onset + event.offset) / 2.0);
            if (!place || event.peak < 0.5f) continue;
            click(*place, 3);
            click("This is...");
            picture("7-mark");
            click("Add example");
            ++added;
            require(waitUntil([&] {
                        int examples = 0;
                        for (const auto& sound : processor_.teaching().state().sounds)
                            examples += sound.examples;
                        return examples == added;
                    }),
                    "the example is not added");
        }
        require(added > 0, "no event can be an example");
    }

    void trains() {
        click("Teach sounds");
        click("Train");
        require(waitUntil([&] { return processor_.teaching().state().learning; }), "no training");
        picture("8-training");
        require(waitUntil([&] { return !processor_.teaching().state().learning; }, std::chrono::minutes(8)),
                "the training does not end");
        require(waitUntil([&] { return processor_.teaching().state().canUndo; }), "nothing was trained");
        picture("9-trained");
        click("Close the Teach panel");
        require(waitUntil([&] {
                    return processor_.viewModel().status().state == streaming::State::finished &&
                           !processor_.viewModel().events().list().events.empty();
                }),
                "the recording is not analysed by the trained model");
    }

    // In JUCE's dialog, because the desktop's own is another program's.
    void exportsAll() {
        for (const auto& format : formats::allFormats()) {
            click("Export events");
            click(juce::String(std::string(format.title)) + " (" + format.extension() + ")...");
            if (format.name == "csv") picture("10-save");
            const int before = files();
            click("Save");
            require(waitUntil([&] { return files() > before; }),
                    "nothing is exported as " + juce::String(std::string(format.name)));
        }
    }

    int files() const { return demo_.getParentDirectory().getNumberOfChildFiles(juce::File::findFiles); }

    void cuts() {
        click("Export events");
        click("Cut events out as audio files...");
        picture("11-cut");
        click("Cut");
        require(waitUntil([&] {
                    return demo_.getSiblingFile("demo clips").getNumberOfChildFiles(juce::File::findFiles) >
                           3;
                }),
                "no clips");
        picture("12-clips");
    }

    plugin::EarshotProcessor& processor_;
    juce::File demo_; // that was opened
    std::unique_ptr<Device> device_;
    double axisStart_ = 0.0, secondsPerPixel_ = 0.0; // seconds at axisLeft_
    int eventsAtFirst_ = 0;
    int axisLeft_ = 0; // of the screen
};

} // namespace

TEST_CASE(
    "the mouse alone does it all: demo, play, sensitivity, near miss, undo, example, training, export, cut",
    "[screen]") {
    if (juce::SystemStats::getEnvironmentVariable("DISPLAY", {}).isEmpty())
        return test::skip("there is no screen");
    const test::HomeEnvironment home;
    const test::ModelEnvironment model;
    juce::AudioProcessor::setTypeOfNextNewPlugin(juce::AudioProcessor::wrapperType_Standalone);
    plugin::EarshotProcessor processor;
    juce::AudioProcessor::setTypeOfNextNewPlugin(juce::AudioProcessor::wrapperType_Undefined);
    std::string problem;
    {
        const std::unique_ptr<juce::AudioProcessorEditor> editor(processor.createEditorIfNeeded());
        editor->addToDesktop(0);
        editor->setTopLeftPosition(0, 0);
        editor->setVisible(true);
        std::thread user([&] {
            try {
                User(processor).doesAll();
            } catch (const std::exception& failed) {
                problem = failed.what();
                picture("failed");
            }
            juce::MessageManager::getInstance()->stopDispatchLoop();
        });
        juce::MessageManager::getInstance()->runDispatchLoop();
        user.join();
    }
    INFO(problem);
    REQUIRE(problem.empty());
}
