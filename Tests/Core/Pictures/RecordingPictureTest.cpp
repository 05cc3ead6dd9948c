#include "Core/Pictures/RecordingPicture.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Pictures/Drawing.h"
#include "Core/Pictures/PictureTools.h"

#include "Support/Catch.h"
#include "Support/Skip.h"

#include <algorithm>
#include <iterator>

namespace {

using namespace earshot;
using namespace earshot::pictures;
using detection::Event;
using test::decodePng;
using test::embeddedPngs;
using test::xmlFault;

constexpr double columnSeconds = 0.32;

// A recording of noise with one loud band, whose classes are silent but for `loud` in the second half.
RecordingPicture heard(double seconds, int classes, int loud) {
    frontend::LogMelSettings frontend;
    RecordingPicture picture(frontend);
    std::vector<float> frame(static_cast<std::size_t>(frontend.melBands), -60.0f);
    frame[20] = 0.0f;
    for (int i = 0; i < static_cast<int>(seconds * 100.0); ++i) picture.frames(frame);
    picture.begin(classes, columnSeconds);
    std::vector<float> column(static_cast<std::size_t>(classes), 0.01f);
    for (std::int64_t i = 0; static_cast<double>(i) * columnSeconds < seconds; ++i) {
        if (loud >= 0)
            column[static_cast<std::size_t>(loud)] =
                static_cast<double>(i) * columnSeconds >= seconds / 2.0 ? 1.0f : 0.0f;
        picture.column(i, column);
    }
    picture.end(seconds);
    return picture;
}

const PictureSubject subject{"dawn.wav", "model", {"Speech", "Dog", "Rain", "Bell"}, {}};

} // namespace

TEST_CASE("a picture shows the loud band and the loud class where and when they sound", "[unit]") {
    const auto svg = heard(64.0, 4, 2).svg(subject, {});
    REQUIRE(xmlFault(svg) == "");
    const auto pngs = embeddedPngs(svg);
    REQUIRE(pngs.size() == 4); // spectrogram, heat map, and two for the legend
    const auto ramp = makeRamp(darkStops());

    const auto spectrogram = decodePng(pngs[0]);
    REQUIRE(spectrogram.width == plotWidth);
    const auto pixel = [](const ColourImage& image, int x, int y) {
        return image.pixels[static_cast<std::size_t>(y * image.width + x)];
    };
    const int rowsPerBand = spectrogram.height / 64;
    REQUIRE(pixel(spectrogram, 700, (63 - 20) * rowsPerBand + 1) == ramp[255]);
    REQUIRE(pixel(spectrogram, 700, (63 - 21) * rowsPerBand + 1) == ramp[0]);

    const auto heat = decodePng(pngs[1]);
    REQUIRE(heat.width == plotWidth);
    const int laneHeight = heat.height / 4;
    REQUIRE(pixel(heat, 1000, laneHeight / 2) == ramp[255]); // the strongest lane is the first
    REQUIRE(pixel(heat, 400, laneHeight / 2) == ramp[0]);
    REQUIRE(pixel(heat, 1000, laneHeight + laneHeight / 2) == ramp[3]);
    REQUIRE(svg.find(">Rain<") < svg.find(">Speech<"));
    REQUIRE(svg.find("0:30") != std::string::npos);
    REQUIRE(svg.find("no events") != std::string::npos);
}

TEST_CASE("sounds with events come first, and their events are outlined in their time", "[unit]") {
    const auto picture = heard(64.0, 4, 2);
    const std::vector<Event> events = {{1, 16.0, 32.0, 0.9f, 0.5f}};
    const auto svg = picture.svg(subject, events);
    REQUIRE(xmlFault(svg) == "");
    REQUIRE(svg.find(">Dog<") < svg.find(">Rain<"));
    REQUIRE(svg.find("Dog, 0:16.0 to 0:32.0, peak 0.90") != std::string::npos);
    REQUIRE(svg.find("1 event") != std::string::npos);
    // Classes that the model does not have, or that are not asked for, are not there.
    const std::vector<Event> foreign = {{-1, 0.0, 1.0, 0.5f, 0.5f}, {4, 0.0, 1.0, 0.5f, 0.5f}};
    REQUIRE(picture.svg(subject, foreign) == picture.svg(subject, {}));
    auto narrower = subject;
    narrower.shown = {true, false, true, false};
    const auto less = picture.svg(narrower, events);
    REQUIRE(less.find("Dog") == std::string::npos);
    REQUIRE(less.find(">Speech<") != std::string::npos);
}

TEST_CASE("any length makes a picture of the same width, the empty one too", "[unit]") {
    for (const double seconds : {0.0, 0.004, 0.5, 2.0, 3599.7, 3600.0}) {
        INFO(seconds << " s");
        const auto svg = heard(seconds, 3, seconds > 0.0 ? 1 : -1).svg(subject, {});
        REQUIRE(xmlFault(svg) == "");
        REQUIRE(svg.find("NaN") == std::string::npos);
        REQUIRE(svg.find("nan") == std::string::npos);
        const auto pngs = embeddedPngs(svg);
        REQUIRE(pngs.size() == (seconds > 0.0 ? 4 : 2));
        if (seconds > 0.0) REQUIRE(decodePng(pngs[1]).width == plotWidth);
    }
    // A recording that could not be heard at all.
    REQUIRE(xmlFault(RecordingPicture(frontend::LogMelSettings{}).svg(subject, {})) == "");
}

TEST_CASE("what recordings, models and sounds are called cannot break out of a picture", "[unit]") {
    const std::string hostile[] = {"</text><script>alert(1)</script>",
                                   "a\"b'c&d<e>f",
                                   std::string("nul\0\x1b[31m\xff\xfe\r\n", 13),
                                   "\xef\xbf\xbf\xe2\x80\xae\xc2\x85",
                                   "]]>",
                                   "<!--",
                                   std::string(100'000, '<'),
                                   "\xf0\x9f\x94\x94\xe9\x90\x98"};
    for (const std::string& name : hostile) {
        INFO(printable(name));
        const PictureSubject named{name, name, {name, name}, {}};
        const auto svg = heard(4.0, 3, 0).svg(named, std::vector<Event>{{0, 1.0, 3.0, 0.9f, 0.9f}});
        REQUIRE(xmlFault(svg) == "");
        REQUIRE(svg.find("<script") == std::string::npos);
        REQUIRE(svg.size() < 600'000);
    }
}

TEST_CASE("a great many events make no great picture", "[unit]") {
    const auto picture = heard(3600.0, 30, 0);
    std::vector<Event> events;
    for (int i = 0; i < 90'000; ++i) events.push_back({i % 30, i * 0.04, i * 0.04 + 0.02, 0.9f, 0.9f});
    const auto svg = picture.svg(subject, events);
    REQUIRE(xmlFault(svg) == "");
    REQUIRE(svg.size() < 1'500'000);
    REQUIRE(svg.find("24 of 30 sounds with events are shown") != std::string::npos);
    REQUIRE(svg.find(">class 7<") != std::string::npos);
}

TEST_CASE("a day takes no more memory than an hour", "[slow][no-emulator]") {
    frontend::LogMelSettings frontend;
    RecordingPicture picture(frontend);
    const int classes = 527;
    picture.begin(classes, columnSeconds);
    const std::vector<float> frames(100 * static_cast<std::size_t>(frontend.melBands), -50.0f);
    const std::vector<float> column(classes, 0.1f);
    std::size_t afterAnHour = 0;
    std::int64_t columns = 0;
    for (int second = 0; second < 86'400; ++second) {
        picture.frames(frames);
        for (; static_cast<double>(columns) * columnSeconds < second; ++columns)
            picture.column(columns, column);
        if (second == 3600) afterAnHour = picture.bytes();
    }
    picture.end(86'400.0);
    REQUIRE(picture.bytes() <= 2 * afterAnHour);
    REQUIRE(picture.bytes() < 4'000'000);
    const auto svg = picture.svg(subject, {});
    REQUIRE(xmlFault(svg) == "");
    REQUIRE(svg.find("24:00:00") != std::string::npos);
}

TEST_CASE("the same recording gives the same bytes in both formats", "[unit]") {
    const std::vector<Event> events = {{1, 1.0, 3.0, 0.9f, 0.5f}, {2, 2.0, 2.1, 0.9f, 0.5f}};
    for (const auto format : {PictureFormat::svg, PictureFormat::png}) {
        if (format == PictureFormat::png && !canRender()) {
            test::skip("no PNG: built without librsvg");
            continue;
        }
        const auto first = heard(8.0, 4, 2).encoded(format, subject, events);
        REQUIRE(first == heard(8.0, 4, 2).encoded(format, subject, events));
        REQUIRE(first != heard(8.0, 4, 1).encoded(format, subject, events));
    }
}

TEST_CASE("a PNG picture has the drawing's size and its colours in their places", "[unit]") {
    if (!canRender()) {
        REQUIRE_THROWS_AS(render("<svg/>"), Error);
        return test::skip("built without librsvg");
    }
    const std::vector<Event> events = {{1, 0.0, 8.0, 0.9f, 0.5f}};
    const auto image = decodePng(heard(8.0, 4, 2).encoded(PictureFormat::png, subject, events));
    REQUIRE(image.width > plotWidth);
    REQUIRE(image.width < plotWidth + 400);
    REQUIRE(image.pixels.size() ==
            static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
    const auto count = [&](const Rgb& colour) { return std::ranges::count(image.pixels, colour); };
    const auto ramp = makeRamp(darkStops());
    REQUIRE(image.pixels.front() == ramp.front());
    REQUIRE(count(ramp.back()) >= plotWidth);        // the loud band at least
    REQUIRE(count({0xff, 0xb4, 0x54}) >= plotWidth); // an event from end to end: its outline
}
