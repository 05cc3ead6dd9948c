#include "Core/Base/Printable.h"

#include "Support/Catch.h"

using earshot::displayName;
using earshot::printable;

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

TEST_CASE("long text is cut between characters, paths are not", "[unit]") {
    std::string text = "a";
    for (int i = 0; i < 200; ++i) text += "ä";
    const auto cut = printable(text);
    REQUIRE(cut.size() < 210);
    REQUIRE(cut.ends_with("ä..."));
    REQUIRE(displayName(std::filesystem::path(text)) == text);
    REQUIRE(displayName("folder/a\nb") == "folder/a?b");
}
