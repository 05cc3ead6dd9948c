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

TEST_CASE("a rectangle in the spectrogram marks frequencies, and a flat drag times alone", "[unit]") {
    Scene scene;
    scene.controller.live.addScene(20.0);
    scene.viewModel.update();
    const auto hertz = [&](int y) { return scene.spectrogram.hertzAt(y - ui::size::ruler); };
    const auto mark = [&](juce::Point<int> from, juce::Point<int> to, juce::ModifierKeys keys = {}) {
        REQUIRE(scene.marking.press(scene.mouse(from, from, keys)));
        scene.marking.drag(scene.mouse(to, from, keys));
        scene.marking.release(scene.mouse(to, from, keys));
        return scene.marking.span()->frequencies;
    };
    const int high = ui::size::ruler + 20, low = ui::size::ruler + 60;
    const auto from = scene.at(4.0, high), to = scene.at(6.0, low);
    REQUIRE(mark(from, to) == ui::HertzRange{hertz(low), hertz(high)});
    REQUIRE(mark(scene.at(8.0, low), scene.at(6.5, high)) == ui::HertzRange{hertz(low), hertz(high)});
    REQUIRE(mark(scene.at(9.0, low), scene.at(11.0, low + 5)).all());
    const juce::ModifierKeys shift(juce::ModifierKeys::shiftModifier);
    REQUIRE(mark(scene.at(1.0, high), scene.at(2.0, low), shift).all());
    REQUIRE(mark(scene.at(12.0, inLanes), scene.at(13.0, inLanes + 40), shift).all());
    // It ends at the spectrogram's edge.
    REQUIRE(mark(from, scene.at(6.0, 390)).low == Approx(hertz(ui::size::ruler + 99)));
    // Ends that are dragged keep them, and so does what is restored.
    const auto before = *scene.marking.span();
    const auto end = scene.at(6.0, 390);
    REQUIRE(scene.marking.press(scene.mouse(end, end)));
    scene.marking.drag(scene.mouse(scene.at(7.0, 30), end));
    scene.marking.release(scene.mouse(scene.at(7.0, 30), end));
    REQUIRE(scene.marking.span()->frequencies == before.frequencies);
    scene.marking.clear();
    REQUIRE_FALSE(scene.marking.span());
    scene.marking.markSpan(before);
    REQUIRE(scene.marking.span() == before);
    REQUIRE(scene.marking.band.getTitle().contains("Hz"));
}

TEST_CASE("frequencies are stated in kHz from one kilohertz on", "[unit]") {
    REQUIRE(ui::frequenciesText({1234.0, 4812.0}) == "1.2 to 4.8 kHz");
    REQUIRE(ui::frequenciesText({250.4, 799.6}) == "250 to 800 Hz");
    REQUIRE(ui::frequenciesText({260.0, 4812.0}) == "0.3 to 4.8 kHz");
    REQUIRE(ui::frequenciesText({}).isEmpty());
}
