// earshot_ui_bench times the message thread: how long the timeline takes to draw, off screen and by JUCE's
// software renderer, and the events to derive. No display is needed. ctest only checks that it runs.
#include "Benchmark/Program.h"
#include "Benchmark/Report.h"
#include "Core/Detection/Events/EventIndex.h"
#include "Core/Detection/Timeline.h"
#include "Support/FakeController.h"
#include "Ui/Theme.h"
#include "Ui/TimelineView.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <random>

namespace {

using namespace earshot;
using benchmark::Row;
using benchmark::timed;

struct Options {
    int classes = 527;
    double column = 0.32; // seconds
    int rounds = 100;
    int width = 1200;
    int height = 720;
    double scale = 1.0;
    std::string json;
};

std::vector<std::string> labels(int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(fmt::format("sound {}", i));
    return names;
}

// A timeline in a window, painted into one picture again and again.
class Stage {
  public:
    Stage(const Options& options, int height, double seconds)
        : column_(options.column)
        , controller_(labels(options.classes), options.column)
        , viewModel_(controller_)
        , view_(controller_, viewModel_, axis_)
        , scale_(static_cast<float>(options.scale))
        , picture_(juce::Image::RGB, static_cast<int>(options.width * options.scale),
                   static_cast<int>(height * options.scale), true, juce::SoftwareImageType()) {
        view_.setLookAndFeel(&theme_);
        view_.setSize(options.width, height);
        controller_.live.addScene(seconds);
        viewModel_.update();
        axis_.setVisible(seconds, 0.0);
        axis_.follow();
        paint();
    }
    ~Stage() { view_.setLookAndFeel(nullptr); }

    // One more column of audio arrives and is drawn; the copying from the source is not counted.
    double newestColumn() {
        controller_.live.addScene(1.01 * column_);
        viewModel_.update();
        return timed([&] { paint(); });
    }

    // Nothing drawn before is of use.
    double everything() {
        view_.sendLookAndFeelChange();
        return timed([&] { paint(); });
    }

  private:
    void paint() {
        juce::Graphics graphics(picture_);
        graphics.addTransform(juce::AffineTransform::scale(scale_));
        view_.paintEntireComponent(graphics, true);
    }

    double column_; // seconds
    ui::Theme theme_{ui::ThemeChoice::dark};
    test::FakeController controller_;
    ui::HistoryViewModel viewModel_;
    ui::TimeAxis axis_;
    ui::TimelineView view_;
    float scale_;
    juce::Image picture_;
};

Row measure(const char* name, int rounds, double (Stage::*step)(), Stage& stage) {
    Row row{name, 0.0, {}, {}};
    for (int round = -1; round < rounds; ++round) {
        const double seconds = (stage.*step)();
        if (round >= 0) row.seconds.push_back(seconds);
    }
    return row;
}

// The events of a timeline that got one more column, while the last 128 may still change. With `sounds` every
// class comes and goes all the time; without, one in ten does.
Row measurePoll(const char* name, const Options& options, bool sounds) {
    constexpr std::int64_t openColumns = 128;
    Row row{name, 0.0, {}, {}};
    std::mt19937 random(1);
    std::vector<float> column(static_cast<std::size_t>(options.classes));
    detection::Timeline timeline(options.classes, options.column);
    detection::EventIndex index;
    for (std::int64_t i = 0; i < openColumns + options.rounds; ++i) {
        for (std::size_t c = 0; c < column.size(); ++c)
            if (random() % 4 == 0 && (sounds || c % 10 == 0))
                column[c] = static_cast<float>(random() % 1000) / 1000.0f;
        timeline.add(i, column);
        timeline.settle(std::max<std::int64_t>(0, i + 1 - openColumns));
        const double seconds = timed([&] { index.update(timeline, {}); });
        if (i >= openColumns) row.seconds.push_back(seconds);
    }
    return row;
}

std::vector<Row> measureAll(const Options& options) {
    std::vector<Row> rows;
    {
        Stage minute(options, options.height, 60.0);
        rows.push_back(measure("newest column, 60 s", options.rounds, &Stage::newestColumn, minute));
        rows.push_back(measure("everything, 60 s", options.rounds, &Stage::everything, minute));
    }
    {
        Stage tenMinutes(options, options.height, 600.0);
        rows.push_back(measure("newest column, 10 min", options.rounds, &Stage::newestColumn, tenMinutes));
        rows.push_back(measure("everything, 10 min", options.rounds, &Stage::everything, tenMinutes));
    }
    // A window so tall that every lane is in view.
    Stage tall(options, 200 + 39 * options.classes, 60.0);
    const int rounds = std::max(1, options.rounds / 10);
    rows.push_back(measure("newest column, all lanes", rounds, &Stage::newestColumn, tall));
    rows.push_back(measure("everything, all lanes", rounds, &Stage::everything, tall));
    rows.push_back(measurePoll("poll of events", options, false));
    rows.push_back(measurePoll("poll, every class sounds", options, true));
    return rows;
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Times the drawing of the timeline, off screen, and the polls of its events.");
    app.add_option("--classes", options.classes, "lanes")->check(CLI::Range(2, 10000))->capture_default_str();
    app.add_option("--column", options.column, "seconds")
        ->check(CLI::Range(0.01, 1.0))
        ->capture_default_str();
    app.add_option("--rounds", options.rounds, "measured rounds")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--width", options.width, "logical pixels")
        ->check(CLI::Range(200, 8000))
        ->capture_default_str();
    app.add_option("--height", options.height, "logical pixels")
        ->check(CLI::Range(100, 8000))
        ->capture_default_str();
    app.add_option("--scale", options.scale, "physical pixels in a logical one")
        ->check(CLI::Range(1.0, 4.0))
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the numbers to this file");
    CLI11_PARSE(app, argc, argv);

    const auto rows = measureAll(options);
    fmt::print("{} lanes, {} x {} at scale {}\n\n{:<28}{:>9}{:>9}\n", options.classes, options.width,
               options.height, options.scale, "", "p50 ms", "p95 ms");
    auto json = nlohmann::json::array();
    for (const auto& row : rows) {
        const double p50 = benchmark::percentile(row.seconds, 0.5) * 1e3;
        const double p95 = benchmark::percentile(row.seconds, 0.95) * 1e3;
        fmt::print("{:<28}{:>9.3f}{:>9.3f}\n", row.name, p50, p95);
        json.push_back({{"name", row.name}, {"p50_ms", p50}, {"p95_ms", p95}});
    }
    const nlohmann::json document = {{"classes", options.classes},
                                     {"width", options.width},
                                     {"height", options.height},
                                     {"scale", options.scale},
                                     {"rows", json}};
    benchmark::writeJson(options.json, document);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const juce::ScopedJuceInitialiser_GUI juce;
    return benchmark::runBenchmark("earshot_ui_bench", [&] { return run(argc, argv); });
}
