#include "Core/Pictures/Svg.h"

#include "Support/Catch.h"

using namespace earshot::pictures;

TEST_CASE("markup in a name stays text, and what XML cannot hold is replaced", "[unit]") {
    REQUIRE(escaped("a & b <c> \"d\"") == "a &amp; b &lt;c&gt; &quot;d&quot;");
    REQUIRE(escaped("\xef\xbf\xbe|\xef\xbf\xbf|\xef\xbf\xbd") == "?|?|\xef\xbf\xbd");
    REQUIRE(escaped("a\nb\x01") == "a?b?");
    REQUIRE(escaped("a\xe2\x80\xae"
                    "b\xe2\x81\xa9") == "a?b?"); // turns the text around
    REQUIRE(escaped("Glockenspiel, \xe9\x90\x98 \xf0\x9f\x94\x94") ==
            "Glockenspiel, \xe9\x90\x98 \xf0\x9f\x94\x94");
}

TEST_CASE("a text is cut to fit at characters' borders, and left alone when it fits", "[unit]") {
    const Type type{12.0};
    for (const std::string text : {"Bird vocalization, bird call, bird song",
                                   "\xe9\x90\x98\xe9\x90\x98\xe9\x90\x98", "WWWWWWWW", "iiii", "x", ""})
        for (const double width : {0.0, 8.0, 20.0, 50.0, 90.0, 400.0}) {
            INFO(text << " in " << width);
            for (const auto& cut : {cutAtEnd(text, type, width), cutInside(text, type, width)}) {
                // At least the ellipsis stays.
                REQUIRE((textWidth(cut, type) <= width || cut == "\xe2\x80\xa6"));
                REQUIRE((cut == text) == (textWidth(text, type) <= width));
                REQUIRE(escaped(cut) == cut);
            }
        }
}

TEST_CASE("a cut name keeps its beginning, a cut file name its suffix too", "[unit]") {
    const Type type{12.0};
    const std::string name = "a/very/long/path/that/ends/with/a/recording.flac";
    const auto atEnd = cutAtEnd(name, type, 150.0), inside = cutInside(name, type, 150.0);
    REQUIRE(atEnd.starts_with("a/very/long/"));
    REQUIRE(atEnd.ends_with("\xe2\x80\xa6"));
    REQUIRE(inside.starts_with("a/very"));
    REQUIRE(inside.ends_with(".flac"));
}
