#include "Core/Formats/TextTable.h"

#include "Support/Catch.h"

#include <limits>

using namespace earshot;
using formats::TimedEvent;

TEST_CASE("the table says times, names and what decided", "[unit]") {
    formats::RecordingEvents recording{
        .file = "walk.wav",
        .seconds = 35.0,
        .sampleRate = 48000,
        .channels = 2,
        .events = {{1.92, 7.04, "Speech", 0, 0.996f, 0.8f}, {-1.5, 36000.5, "\u96e8", 1, 0.25f, 0.2f}}};
    CHECK(formats::tableHeading(recording) == "walk.wav  0:35.00, 48000 Hz, stereo, 2 sounds\n");
    CHECK(formats::tableLines(recording.events, formats::nameColumns(recording.events)) ==
          "       from          to      length  sound   peak\n"
          "    0:01.92     0:07.04      5.12 s  Speech  1.00 "
          "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\n"
          "   -0:01.50 10:00:00.50  36002.00 s  \u96e8      0.25 "
          "\u2588\u2588\u2588\u2591\u2591\u2591\u2591\u2591\u2591\u2591\n");

    recording.events.resize(1);
    recording.events.front().confidence = 0.5f;
    recording.channels = recording.sampleRate = 0;
    recording.complete = false;
    CHECK(formats::tableHeading(recording) == "walk.wav  0:35.00, 1 sound, incomplete\n");
    CHECK(formats::tableLines(recording.events, 9)
              .starts_with("       from          to      length  sound      confidence\n"
                           "    0:01.92     0:07.04      5.12 s  Speech     0.50 "));
    recording.channels = 1;
    CHECK(formats::tableHeading(recording) == "walk.wav  0:35.00, mono, 1 sound, incomplete\n");
}

TEST_CASE("a terminal's colours stand around parts of the table", "[unit]") {
    const std::vector<TimedEvent> events = {{0.0, 1.0, "Dog", 0, 1.0f, 1.0f}};
    const formats::TableStyle style{"<b>", "<f>", "<g>", "</>"};
    const auto lines = formats::tableLines(events, 5, style);
    CHECK(lines.starts_with("<f>       from"));
    CHECK(lines.find("<b>Dog  </>  1.00 <g>\u2588") != std::string::npos);
    CHECK(formats::tableHeading({.file = "a"}, style) == "<b>a</><f>  0:00.00, 0 sounds</>\n");
}

TEST_CASE("the table shows what it was given, whatever that is", "[unit]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<TimedEvent> events = {
        {nan, nan, "a\nb\xff", 0, std::numeric_limits<float>::quiet_NaN(), 0.0f}};
    const auto lines = formats::tableLines(events, formats::nameColumns(events));
    CHECK(lines.find("--:--") != std::string::npos);
    CHECK(lines.find("a?b\ufffd") != std::string::npos);
}
