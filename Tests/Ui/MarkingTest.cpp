// Marking by itself, without a timeline around it.
#include "Ui/Timeline/Marking.h"

#include "Mouse.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/Timeline/SpectrogramView.h"

#include <vector>

using namespace earshot;
using ui::MarkNews;

namespace {

// 20 s were heard, and the axis shows 30 s in 600 pixels.
struct Scene {
    Scene() {
        view.setLookAndFeel(&theme);
        view.setSize(ui::size::laneNames + 600, 400);
        view.addAndMakeVisible(spectrogram);
        view.addAndMakeVisible(lanes);
        view.addChildComponent(marking.band);
        spectrogram.setBounds(0, ui::size::ruler, view.getWidth(), 100);
        lanes.setBounds(0, 200, view.getWidth(), 200);
        axis.setContentEnd(20.0);
        marking.onMark = [this](MarkNews told) { news.push_back(told); };
    }
    ~Scene() { view.setLookAndFeel(nullptr); }

    juce::Point<int> at(double seconds, int y) const {
        return {ui::size::laneNames + juce::roundToInt(seconds * 20.0), y};
    }
    juce::MouseEvent mouse(juce::Point<int> to, juce::Point<int> from, juce::ModifierKeys keys = {}) {
        return test::mouseEvent(view, to, test::leftButton(keys), from);
    }

    test::FakeController controller{{"Water", "Dog"}};
    ui::Theme theme{ui::ThemeChoice::dark};
    ui::HistoryViewModel viewModel{controller};
    ui::TimeAxis axis;
    juce::Component view;
    ui::SpectrogramView spectrogram{controller.view(), viewModel, axis};
    ui::LanesView lanes{controller, viewModel, axis};
    ui::Marking marking{view, viewModel, axis, lanes, spectrogram};
    std::vector<MarkNews> news;
};

constexpr int inSpectrogram = ui::size::ruler + 50;
constexpr int inLanes = 300;

} // namespace

TEST_CASE("a drag marks nothing any more when its stream ends under it", "[unit]") {
    Scene scene;
    const auto from = scene.at(4.0, inSpectrogram), to = scene.at(6.0, inSpectrogram);
    REQUIRE(scene.marking.press(scene.mouse(from, from)));
    scene.marking.drag(scene.mouse(to, from));
    REQUIRE(scene.marking.mark().seconds() == Approx(2.0));
    REQUIRE(scene.news.empty()); // it is told of when the button goes up
    scene.marking.historyChanged({.replaced = true, .sameAudio = true});
    REQUIRE(scene.marking.mark().exists());
    scene.marking.historyChanged({.replaced = true});
    REQUIRE_FALSE(scene.marking.mark().exists());
    scene.marking.drag(scene.mouse(scene.at(8.0, inSpectrogram), from));
    REQUIRE_FALSE(scene.marking.mark().exists());
    REQUIRE_FALSE(scene.marking.release(scene.mouse(to, from)));
    REQUIRE(scene.marking.press(scene.mouse(from, from))); // the next drag marks again
    scene.marking.drag(scene.mouse(to, from));
    REQUIRE(scene.marking.release(scene.mouse(to, from)));
    REQUIRE(scene.news.back() == MarkNews::made);
}

TEST_CASE("a mark without a lane is beside the spectrogram, or beside the ruler of a low view", "[unit]") {
    Scene scene;
    const auto from = scene.at(4.0, inLanes), to = scene.at(6.0, inLanes);
    REQUIRE_FALSE(scene.marking.press(scene.mouse(from, from)));
    const juce::ModifierKeys shift(juce::ModifierKeys::shiftModifier);
    REQUIRE(scene.marking.press(scene.mouse(from, from, shift)));
    scene.marking.drag(scene.mouse(to, from, shift));
    REQUIRE(scene.marking.release(scene.mouse(to, from, shift)));
    const int left = from.x;
    REQUIRE(scene.marking.place() == juce::Rectangle<int>(left, ui::size::ruler, 40, 100));
    REQUIRE(scene.marking.isAt(scene.at(5.0, inSpectrogram)));
    REQUIRE_FALSE(scene.marking.isAt(scene.at(5.0, ui::size::ruler / 2)));
    scene.spectrogram.setVisible(false);
    REQUIRE(scene.marking.place() == juce::Rectangle<int>(left, 0, 40, ui::size::ruler));
}
