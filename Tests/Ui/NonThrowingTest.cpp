// Nothing thrown leaves a callback of the views.
#include "Ui/NonThrowing.h"

#include "Mouse.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Support/PrivateBase.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/MainView.h"
#include "Ui/Panels/NoticeBar.h"
#include "Ui/Panels/NowPanel.h"
#include "Ui/Panels/RecordingBar.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/LanesView.h"
#include "ViewWalk.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <vector>

using namespace earshot;

namespace {

struct NoStandardException {};

// Throws what is no standard exception and what is one, in turn.
struct Fault {
    void check() const {
        if (!throws) return;
        if (++thrown % 2 == 0) throw NoStandardException();
        throw std::bad_alloc();
    }
    bool throws = false;
    mutable int thrown = 0;
};

struct ThrowingPlayback : test::FakePlayback {
    ThrowingPlayback(test::FakeSource& live, const Fault& itsFault)
        : FakePlayback(live)
        , fault(itsFault) {}
    streaming::HistoryProvider& source() override { return fault.check(), FakePlayback::source(); }
    std::uint64_t sourceId() const override { return fault.check(), FakePlayback::sourceId(); }
    void open(const juce::File& file) override { fault.check(), FakePlayback::open(file); }
    void cancel() override { fault.check(), FakePlayback::cancel(); }
    void close() override { fault.check(), FakePlayback::close(); }
    bool showsRecording() const override { return fault.check(), FakePlayback::showsRecording(); }
    streaming::FilePlayer* player() override { return fault.check(), FakePlayback::player(); }
    const Fault& fault;
};

struct ThrowingModel : test::FakeModel {
    explicit ThrowingModel(const Fault& itsFault)
        : fault(itsFault) {}
    void load(const juce::File& file) override { fault.check(), FakeModel::load(file); }
    void loadDefault() override { fault.check(), FakeModel::loadDefault(); }
    juce::Array<juce::File> recent() const override { return fault.check(), FakeModel::recent(); }
    const Fault& fault;
};

struct ThrowingOutputs : test::FakeOutputs {
    explicit ThrowingOutputs(const Fault& itsFault)
        : fault(itsFault) {}
    ui::OutputSettings settings() const override { return fault.check(), FakeOutputs::settings(); }
    void set(const ui::OutputSettings& settings) override { fault.check(), FakeOutputs::set(settings); }
    juce::String problem() const override { return fault.check(), FakeOutputs::problem(); }
    const Fault& fault;
};

struct ThrowingShell : test::FakeShell {
    explicit ThrowingShell(const Fault& itsFault)
        : fault(itsFault) {}
    bool monitorsInput() const override { return fault.check(), FakeShell::monitorsInput(); }
    const Fault& fault;
};

// Says everything a program says, or throws.
class ThrowingController : public test::FakeController, public Fault {
  public:
    using FakeController::FakeController;

    ThrowingPlayback& playback() override { return playback_; }
    ThrowingModel& model() override { return model_; }
    ThrowingOutputs& outputs() override { return outputs_; }
    ThrowingShell& shell() override { return shell_; }
    ui::ViewState& view() override { return check(), FakeController::view(); }
    detection::RuleChoice rules(const detection::Labels& labels, double secondsPerColumn) const override {
        return check(), FakeController::rules(labels, secondsPerColumn);
    }

  private:
    ThrowingPlayback playback_{live, *this};
    ThrowingModel model_{*this};
    ThrowingOutputs outputs_{*this};
    ThrowingShell shell_{*this};
};

// A view whose every callback throws.
class Throwing : public juce::Component {
  public:
    void paint(juce::Graphics&) override { fail(); }
    void paintOverChildren(juce::Graphics&) override { fail(); }
    void resized() override { fail(); }
    void lookAndFeelChanged() override { fail(); }
    void enablementChanged() override { fail(); }
    void visibilityChanged() override { fail(); }
    void mouseMove(const juce::MouseEvent&) override { fail(); }
    void mouseEnter(const juce::MouseEvent&) override { fail(); }
    void mouseExit(const juce::MouseEvent&) override { fail(); }
    void mouseDown(const juce::MouseEvent&) override { fail(); }
    void mouseDrag(const juce::MouseEvent&) override { fail(); }
    void mouseUp(const juce::MouseEvent&) override { fail(); }
    void mouseDoubleClick(const juce::MouseEvent&) override { fail(); }
    void mouseWheelMove(const juce::MouseEvent&, const juce::MouseWheelDetails&) override { fail(); }
    void mouseMagnify(const juce::MouseEvent&, float) override { fail(); }
    bool keyPressed(const juce::KeyPress&) override { fail(); }
    void focusGained(FocusChangeType) override { fail(); }
    void focusLost(FocusChangeType) override { fail(); }

    int calls = 0;

  private:
    [[noreturn]] void fail() {
        ++calls;
        throw NoStandardException();
    }
};

juce::MouseEvent mouseOn(juce::Component& component, bool dragged, juce::ModifierKeys keys = {}) {
    const auto at = component.getLocalBounds().getCentre();
    return test::mouseEvent(component, at, keys, dragged ? at.translated(9, 9) : at);
}

// What JUCE calls of a component, as long as it is there.
void callAll(const juce::Component::SafePointer<juce::Component>& component) {
    using Component = juce::Component;
    const std::vector<std::function<void(Component&)>> calls{
        [](Component& view) { view.mouseEnter(mouseOn(view, false)); },
        [](Component& view) { view.mouseMove(mouseOn(view, false)); },
        [](Component& view) { view.mouseDown(mouseOn(view, false)); },
        [](Component& view) { view.mouseDrag(mouseOn(view, true)); },
        [](Component& view) { view.mouseUp(mouseOn(view, true)); },
        [](Component& view) { view.mouseDoubleClick(mouseOn(view, false)); },
        [](Component& view) {
            view.mouseWheelMove(mouseOn(view, false), {0.1f, 0.1f, false, false, false});
        },
        [](Component& view) { view.mouseMagnify(mouseOn(view, false), 1.1f); },
        [](Component& view) { view.mouseExit(mouseOn(view, false)); },
        [](Component& view) { view.focusGained(Component::focusChangedDirectly); },
        [](Component& view) { view.focusLost(Component::focusChangedDirectly); },
        [](Component& view) { view.keyPressed(juce::KeyPress(juce::KeyPress::leftKey)); },
        [](Component& view) { view.keyPressed(juce::KeyPress(juce::KeyPress::upKey)); },
        [](Component& view) { view.keyPressed(juce::KeyPress('p', {}, 'p')); },
        [](Component& view) { view.resized(); },
        [](Component& view) { view.lookAndFeelChanged(); },
        [](Component& view) { view.enablementChanged(); },
        [](Component& view) { view.visibilityChanged(); },
        [](Component& view) {
            juce::Image image(juce::Image::ARGB, std::max(1, view.getWidth()), std::max(1, view.getHeight()),
                              true);
            juce::Graphics graphics(image);
            view.paint(graphics);
            view.paintOverChildren(graphics);
        },
    };
    for (const auto& call : calls)
        if (component != nullptr) call(*component);
}

} // namespace

TEST_CASE("a view whose callbacks throw throws nothing at JUCE", "[unit]") {
    ui::NonThrowing<Throwing> view;
    view.setSize(100, 50);
    view.calls = 0;
    REQUIRE_NOTHROW(callAll(&view));
    REQUIRE(view.calls >= 20);
    juce::Component parent;
    parent.setSize(100, 50);
    parent.addAndMakeVisible(view);
    REQUIRE(parent.createComponentSnapshot(parent.getLocalBounds()).isValid());
}

TEST_CASE("whatever the program behind the views throws, their callbacks throw nothing", "[unit]") {
    ThrowingController controller({"Water", "Dog", "Train"});
    controller.live.addScene(20.0);
    ui::NonThrowing<ui::MainView> view(controller);
    view.setSize(1200, 720);
    view.refresh();
    view.keyPressed(juce::KeyPress(',', juce::ModifierKeys::commandModifier, 0)); // the settings
    REQUIRE(test::find<ui::SettingsPanel>(view, "Settings") != nullptr);
    // Some go when others are called.
    std::vector<juce::Component::SafePointer<juce::Component>> all{&view};
    test::walk(view, [&](juce::Component& component) { all.emplace_back(&component); });
    REQUIRE(all.size() > 60);

    controller.throws = true;
    int called = 0;
    for (const auto& component : all) {
        // JUCE's own parts of a part are its business; ours answer for theirs.
        if (component == nullptr) continue;
        const juce::Component& part = *component;
        const char* const type = typeid(part).name();
        if (!juce::String(type).contains("earshot")) continue;
        INFO(type);
        bool threw = false;
        try {
            callAll(component);
        } catch (...) {
            threw = true;
        }
        REQUIRE_FALSE(threw);
        ++called;
    }
    REQUIRE(called > 40);
    const auto tick = [&](auto* part) {
        REQUIRE(part != nullptr);
        REQUIRE_NOTHROW(test::privateBase<juce::Timer>(*part).timerCallback());
    };
    test::walk(view, [&](juce::Component& component) {
        if (auto* now = dynamic_cast<ui::NowPanel*>(&component)) tick(now);
        if (auto* bar = dynamic_cast<ui::RecordingBar*>(&component)) tick(bar);
        if (auto* notice = dynamic_cast<ui::NoticeBar*>(&component)) tick(notice);
        if (auto* lanes = dynamic_cast<ui::LanesView*>(&component)) tick(lanes);
    });
    ui::HistoryViewModel viewModel(controller);
    int told = 0;
    viewModel.onTrouble = [&] { ++told; };
    tick(&viewModel);
    REQUIRE(told == 1);
    REQUIRE_NOTHROW(view.filesDropped({"birds.flac"}, 0, 0));
    REQUIRE_NOTHROW(view.filesDropped({"model.safetensors"}, 0, 0));
    REQUIRE_NOTHROW(view.fileDragEnter({"birds.flac"}, 0, 0));
    REQUIRE_NOTHROW(view.fileDragExit({"birds.flac"}));
    REQUIRE(controller.thrown > 10);
    REQUIRE(view.createComponentSnapshot(view.getLocalBounds()).isValid());

    controller.throws = false;
    view.showTrouble("the disk is on fire");
    view.refresh();
    bool said = false;
    test::walk(view, [&](juce::Component& component) {
        if (auto* notice = dynamic_cast<ui::NoticeBar*>(&component))
            said = notice->text().contains("the disk is on fire");
    });
    REQUIRE(said);
}
