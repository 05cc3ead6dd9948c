#include "Core/Base/Unicode.h"

#include "Support/Catch.h"

using earshot::displayName;
using earshot::markupText;
using earshot::printable;
using earshot::Quotes;

TEST_CASE("text from outside cannot break a line, a terminal or UTF-8", "[unit]") {
    REQUIRE(printable("Größe 训练 \xf0\x9f\x94\x94") == "Größe 训练 \xf0\x9f\x94\x94");
    REQUIRE(printable("a\nb\x1b[2J\x7f") == "a?b?[2J?");
    REQUIRE(printable("\xc2\x9b"
                      "2J") == "??2J");                              // CSI of eight-bit terminals
    REQUIRE(printable("\xff\xc0\xaf\xe4") == "????");                // no UTF-8, or longer than needed
    REQUIRE(printable("\xed\xa0\x80\xf4\x90\x80\x80") == "???????"); // a surrogate, beyond Unicode
    REQUIRE(printable("\xe8\xae") == "??");                          // cut off
    REQUIRE(printable(std::string_view("\0", 1)) == "?");
}

TEST_CASE("what nobody would see is shown by its number", "[unit]") {
    REQUIRE(printable("a\u202egpj.exe") == "a<U+202E>gpj.exe"); // read from right to left
    for (const char* bidi : {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068",
                             "\u2069", "\u200e", "\u200f", "\u061c"})
        REQUIRE(printable("Dog" + std::string(bidi) + "s").starts_with("Dog<U+"));
    REQUIRE(printable("one\u2028two\u2029three") == "one<U+2028>two<U+2029>three");
    REQUIRE(printable("\ufeffDo\u200bg\u00ad\u2060\u3164") == "<U+FEFF>Do<U+200B>g<U+00AD><U+2060><U+3164>");
    REQUIRE(printable("a\U000e0001\U000e0041\U000e01ef") == "a<U+E0001><U+E0041><U+E01EF>");
    REQUIRE(printable("D\u200dog\ufe0f") == "D<U+200D>og<U+FE0F>");
    REQUIRE(displayName(std::filesystem::path("a\u202eb")) == "a<U+202E>b");
    // Characters that join or part others belong to many scripts and to emoji.
    for (const char* text : {"\u0645\u06cc\u200c\u0631\u0648\u062f", "\u2764\ufe0f\u200d\U0001f525",
                             "\U0001f469\u200d\U0001f467", "\u0915\u094d\u200d\u0937"})
        REQUIRE(printable(text) == text);
    REQUIRE(printable("\U0001f525\ufe0f\ufe0f\u200d") == "\U0001f525\ufe0f<U+FE0F><U+200D>");
}

TEST_CASE("text that is shown already stays as it is", "[unit]") {
    std::string text;
    for (int length = 0; length < 120; ++length) {
        const std::string once = printable(text + "\u202e\u202e\u202e\xff");
        REQUIRE(printable(once) == once);
        text += length % 3 == 0 ? "\u202e" : length % 3 == 1 ? "\u00e4" : "x";
    }
}

TEST_CASE("long text is cut between characters, paths are not", "[unit]") {
    std::string text = "a";
    for (int i = 0; i < 200; ++i) text += "ä";
    const auto cut = printable(text);
    REQUIRE(cut.size() < 210);
    REQUIRE(cut.ends_with("ä..."));
    REQUIRE(displayName(std::filesystem::path(text)) == text);
    REQUIRE(displayName("folder/a\nb") == "folder/a?b");
}

TEST_CASE("text between tags is no markup", "[unit]") {
    REQUIRE(markupText("a & <b> \"c\"") == "a &amp; &lt;b&gt; \"c\"");
    REQUIRE(markupText("\"&amp;\"", Quotes::escaped) == "&quot;&amp;amp;&quot;");
    REQUIRE(markupText("").empty());
}
