#include "Core/Base/Unicode.h"

#include "Support/Catch.h"

#include <nlohmann/json.hpp>

#include <random>

using namespace earshot;

namespace {

std::string randomText(std::mt19937& random) {
    static const std::string bytes = "a \x7f\x80\xbf\xc0\xc2\xdf\xe0\xa0\x9f\xed\xef\xf0\x90\x8f\xf4\xf5\xff";
    std::string text;
    for (auto i = random() % 12; i > 0; --i) text += bytes[random() % bytes.size()];
    return text;
}

} // namespace

TEST_CASE("what is no UTF-8 is replaced as JSON replaces it", "[unit]") {
    std::mt19937 random(3);
    for (int round = 0; round < 20000; ++round) {
        const std::string text = randomText(random);
        CAPTURE(text);
        const std::string repaired = nlohmann::json::parse(
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        REQUIRE(validUtf8(text) == repaired);
        REQUIRE(validUtf8(repaired) == repaired);
    }
}

TEST_CASE("characters are the whole text, each with its code or none", "[unit]") {
    std::mt19937 random(4);
    for (int round = 0; round < 2000; ++round) {
        const std::string text = randomText(random);
        std::string_view rest = text;
        std::string together;
        while (!rest.empty()) {
            const auto before = rest.size();
            together += takeCharacter(rest).bytes;
            REQUIRE(rest.size() < before);
        }
        REQUIRE(together == text);
    }
    std::string_view text = "\xf0\x9f\x90\xa6x\xed\xa0\x80";
    REQUIRE(takeCharacter(text).code == U'\U0001f426');
    REQUIRE(takeCharacter(text).code == U'x');
    REQUIRE(!takeCharacter(text).code);
    REQUIRE(text.size() == 2); // a surrogate's first byte begins no character that goes on so
}

TEST_CASE("a text's width is its columns on a terminal", "[unit]") {
    REQUIRE(displayWidth("") == 0);
    REQUIRE(displayWidth("caf\xc3\xa9") == 4);
    REQUIRE(displayWidth("cafe\xcc\x81") == 4);                    // an accent of its own
    REQUIRE(displayWidth("a \xe9\xb3\xa5 \xf0\x9f\x90\xa6") == 7); // an ideograph, an emoji
    REQUIRE(displayWidth("\xff") == 1);                            // shown as U+FFFD
}

TEST_CASE("a path made of text is that text, whatever the system's own form is", "[unit]") {
    const std::string text = "Geräusche/čuk 犬 \U0001f415\U0001f42c.flac";
    const std::filesystem::path path(text);
    CHECK(path.generic_u8string() == u8"Geräusche/čuk 犬 \U0001f415\U0001f42c.flac");
    CHECK(path.generic_string() == text);
    CHECK(path == std::filesystem::path(u8"Geräusche/čuk 犬 \U0001f415\U0001f42c.flac"));
    CHECK(path.u16string().size() == 25); // a letter is one unit, the two animals are two each
}

TEST_CASE("shown text is valid UTF-8 on one line", "[unit]") {
    const std::string valid = "a \xc3\xb6 \xe9\xb3\xa5 \xf0\x9f\x90\xa6";
    const std::string replacement = "\xef\xbf\xbd";
    CHECK(displayText(valid) == valid);
    CHECK(displayText("a\nb\t\033[31m\x7f") == "a?b??[31m?");
    // A lone continuation, a cut character, an overlong one, a surrogate, beyond U+10FFFF.
    CHECK(displayText("\x80") == replacement);
    CHECK(displayText("x\xe9\xb3") == "x" + replacement + replacement);
    CHECK(displayText("\xc0\xaf") == replacement + replacement);
    CHECK(displayText("\xed\xa0\x80") == replacement + replacement + replacement);
    CHECK(displayText("\xf4\x90\x80\x80") == replacement + replacement + replacement + replacement);
    CHECK(displayText("\u009b2J") == "??2J"); // CSI of eight-bit terminals
    CHECK(displayText("a\u202eb\u2028c\ufeff") == "a<U+202E>b<U+2028>c<U+FEFF>");
    CHECK(padded("\xc3\xb6", 3) == "\xc3\xb6  ");
    CHECK(padded("\xe9\xb3\xa5", 3) == "\xe9\xb3\xa5 "); // two columns
    CHECK(padded("long", 2) == "long");
}

TEST_CASE("composed and decomposed letters are the same text, composed", "[unit]") {
    CHECK(composed("plain.wav") == "plain.wav");
    CHECK(composed("Gru\xcc\x88nspecht e\xcc\x81") == "Gr\xc3\xbcnspecht \xc3\xa9");
    CHECK(composed("Gr\xc3\xbcnspecht \xc3\xa9") == "Gr\xc3\xbcnspecht \xc3\xa9");
    CHECK(composed("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab") == "\xed\x95\x9c"); // Hangul
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
        const std::string text = randomText(random);
        CAPTURE(text);
        if (validUtf8(text) != text) REQUIRE(composed(text) == text);
        REQUIRE(composed(composed(text)) == composed(text));
    }
}
