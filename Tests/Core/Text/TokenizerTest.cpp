#include "Core/Text/Tokenizer.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace earshot;
using namespace earshot::text;

namespace {

std::string bytesOf(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return bytes;
}

const nlohmann::json& goldenCases() {
    static const auto cases =
        nlohmann::json::parse(std::ifstream(test::goldenDirectory() / "tokenizer_cases.json"));
    return cases;
}

using Ids = std::vector<int>;

// The numbers of a file in Resources/vocabulary.
Ids numbersOf(const std::string& fileName) {
    std::ifstream file(test::sourceDirectory() / "Resources" / "vocabulary" / fileName, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    Ids numbers;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
        numbers.push_back(static_cast<unsigned char>(bytes[i]) +
                          256 * static_cast<unsigned char>(bytes[i + 1]));
    return numbers;
}

// GPT-2's vocabulary, read from its file: the symbols of all ids, and the ranks of the merges.
struct Symbols {
    Symbols() {
        const auto add = [this](int first, int last) {
            for (int byte = first; byte <= last; ++byte) strings.emplace_back(1, static_cast<char>(byte));
        };
        for (const auto& [first, last] :
             {std::pair(0x21, 0x7e), std::pair(0xa1, 0xac), std::pair(0xae, 0xff), std::pair(0x00, 0x20),
              std::pair(0x7f, 0xa0), std::pair(0xad, 0xad)})
            add(first, last);
        const Ids merges = numbersOf("gpt2_merges.u16");
        for (std::size_t i = 0; i < merges.size(); i += 2) {
            const auto left = static_cast<std::size_t>(merges[i]);
            const auto right = static_cast<std::size_t>(merges[i + 1]);
            ranks.emplace(std::pair(merges[i], merges[i + 1]), static_cast<int>(ranks.size()));
            strings.push_back(strings.at(left) + strings.at(right));
        }
    }

    std::string textOf(const Ids& ids) const {
        std::string text;
        for (const int id : ids) text += strings.at(static_cast<std::size_t>(id));
        return text;
    }

    std::vector<std::string> strings; // by id
    std::map<std::pair<int, int>, int> ranks;
};

const Symbols& symbols() {
    static const Symbols read;
    return read;
}

// The textbook's loop over one piece: it merges the best pair everywhere, from left to right, and looks
// again.
Ids mergeByTheBook(const std::string& piece) {
    Ids ids;
    for (const char c : piece)
        ids.push_back(static_cast<int>(std::ranges::find(symbols().strings, std::string(1, c)) -
                                       symbols().strings.begin()));
    for (;;) {
        auto best = symbols().ranks.end();
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            const auto found = symbols().ranks.find({ids[i], ids[i + 1]});
            if (found != symbols().ranks.end() &&
                (best == symbols().ranks.end() || found->second < best->second))
                best = found;
        }
        if (best == symbols().ranks.end()) return ids;
        Ids merged;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (i + 1 < ids.size() && std::pair(ids[i], ids[i + 1]) == best->first) {
                merged.push_back(256 + best->second);
                ++i;
            } else {
                merged.push_back(ids[i]);
            }
        }
        ids = std::move(merged);
    }
}

std::string randomText(std::mt19937& random, const std::vector<std::string>& parts, std::size_t count) {
    std::string text;
    for (; count > 0; --count) text += parts[random() % parts.size()];
    return text;
}

std::vector<std::string> lettersOf(const std::string& letters) {
    std::vector<std::string> parts;
    for (const char c : letters) parts.emplace_back(1, c);
    return parts;
}

} // namespace

TEST_CASE("texts have the ids of the reference tokenizers", "[golden]") {
    std::size_t compared = 0;
    for (const auto& entry : goldenCases().at("cases")) {
        const std::string hex = entry.at("utf8"), text = bytesOf(hex);
        CAPTURE(entry.at("kind").get<std::string>(), hex);
        CHECK(encode(text, Vocabulary::gpt2) == entry.at("gpt2").get<Ids>());
        CHECK(encode(text, Vocabulary::roberta) == entry.at("roberta").get<Ids>());
        ++compared;
    }
    REQUIRE(compared == 484);
}

TEST_CASE("texts have the ids that MS CLAP's wrapper gives them", "[golden]") {
    std::size_t compared = 0;
    for (const auto& entry : goldenCases().at("msclap")) {
        const std::string hex = entry.at("utf8"), text = bytesOf(hex);
        CAPTURE(hex);
        const Ids ids = msClapIds(text);
        CHECK(ids == entry.at("ids").get<Ids>());
        const auto padding = std::ranges::count(ids, msClapPadding);
        CHECK(std::ssize(ids) - padding - 1 == entry.at("pooled_index").get<int>());
        ++compared;
    }
    REQUIRE(compared == 37);
}

TEST_CASE("texts have the ids that LAION-CLAP's wrapper gives them", "[golden]") {
    std::size_t compared = 0, cut = 0;
    for (const auto& entry : goldenCases().at("laion")) {
        const std::string hex = entry.at("utf8"), text = bytesOf(hex);
        CAPTURE(hex);
        const Ids ids = laionIds(text);
        CHECK(ids == entry.at("ids").get<Ids>());
        cut += ids.size() == laionLength ? 1 : 0;
        ++compared;
    }
    REQUIRE(compared == 42);
    REQUIRE(cut > 2);
}

TEST_CASE("bytes that are not UTF-8 count as U+FFFD, as many as Python has", "[golden]") {
    std::size_t compared = 0;
    for (const auto& entry : goldenCases().at("invalid_utf8")) {
        const std::string hex = entry.at("bytes"), text = bytesOf(hex), replaced = entry.at("replaced");
        CAPTURE(hex);
        CHECK(encode(text, Vocabulary::gpt2) == entry.at("gpt2").get<Ids>());
        CHECK(encode(text, Vocabulary::roberta) == entry.at("roberta").get<Ids>());
        CHECK(msClapIds(text) == msClapIds(replaced));
        CHECK(laionIds(text) == laionIds(replaced));
        ++compared;
    }
    REQUIRE(compared == 11);
}

// The queue of pairs relies on it.
TEST_CASE("each merge joins symbols that earlier merges made", "[unit]") {
    REQUIRE(symbols().ranks.size() == 50000);
    for (const auto& [pair, rank] : symbols().ranks)
        if (std::max(pair.first, pair.second) >= 256 + rank) FAIL(pair.first << " " << pair.second);
}

TEST_CASE("pieces are merged as in the textbook", "[unit]") {
    // Each text is one piece, because its characters are of one kind.
    const std::vector<std::vector<std::string>> alphabets = {
        lettersOf("a"),
        lettersOf("ab"),
        lettersOf("aehinorst"),
        lettersOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        {"in", "the", "ing", "er", "s", "tion", "T", "re", "an"},
        {"\xc3\xa9", "\xe9\xb3\xa5", "\xd0\xb4", "\xce\xb1", "n", "\xe3\x81\x82"}, // letters
        lettersOf("0123456789"),
        lettersOf("-=_.*#"),
        {"\xf0\x9f\x90\xa6", "\xe2\x80\x93", "\xcc\x81", "\xef\xbf\xbd"}, // others
        {" ", "\t", "\n", "\xc2\xa0", "\xe3\x80\x80"},
    };
    std::mt19937 random(7);
    for (const auto& alphabet : alphabets)
        for (int round = 0; round < 60; ++round) {
            const std::string text = randomText(random, alphabet, 1 + random() % 60);
            CAPTURE(text);
            REQUIRE(encode(text, Vocabulary::gpt2) == mergeByTheBook(text));
        }
    const std::string longer = randomText(random, alphabets[2], 3000);
    REQUIRE(encode(longer, Vocabulary::gpt2) == mergeByTheBook(longer));
}

TEST_CASE("ids spell the text, whatever bytes it has", "[unit]") {
    std::vector<std::string> parts = {"'s",    "'ll",          "don't", "<mask>",   "<|endoftext|>",
                                      "!",     "\xe2\x80\x83", "  ",    "\xc2\xa0", "\xe9\x9b\xa8",
                                      "sound", "\xef\xbb\xbf"};
    for (int byte = 0; byte < 256; ++byte) parts.emplace_back(1, static_cast<char>(byte));
    const Ids order = numbersOf("roberta_order.u16");
    REQUIRE(order.size() == gpt2Ids);
    std::mt19937 random(8);
    for (int round = 0; round < 1000; ++round) {
        const std::string text = randomText(random, parts, random() % 40);
        CAPTURE(text);
        const Ids ids = encode(text, Vocabulary::gpt2);
        REQUIRE(symbols().textOf(ids) == validUtf8(text));
        Ids roberta = encode(text, Vocabulary::roberta);
        for (int& id : roberta) id = order.at(static_cast<std::size_t>(id - 4));
        REQUIRE(roberta == ids);
        for (const int id : msClapIds(text)) REQUIRE((id >= 0 && id < gpt2Ids));
        for (const int id : laionIds(text)) REQUIRE((id >= 0 && id < robertaIds));
        REQUIRE(laionIds(text).size() <= laionLength);
    }
}

TEST_CASE("white space before a mask is Python's", "[unit]") {
    const Ids alone = laionIds("a<mask>");
    REQUIRE(alone.size() == 4);
    for (const std::string space :
         {" ", "\t\n\v\f\r", "\x1c\x1d\x1e\x1f", "\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80",
          "\xe2\x80\x80\xe2\x80\x8a", "\xe2\x80\xa8\xe2\x80\xaf", "\xe3\x80\x80  "})
        CHECK(laionIds("a" + space + "<mask>") == alone);
    // NUL, U+200B and U+FEFF are no space.
    for (const std::string& other : {std::string(1, '\0'), std::string("\x1b"), std::string("\xe2\x80\x8b"),
                                     std::string("\xef\xbb\xbf")})
        CHECK(laionIds("a" + other + "<mask>").size() > alone.size());
    // Only the white space right before the mask is left out.
    REQUIRE(laionIds(" <s> <mask>") == Ids{0, 1437, 0, 50264, 2});
}

// With work that grows as the square of the length, these would take minutes.
TEST_CASE("a piece of a million letters is merged", "[unit]") {
    constexpr std::size_t count = 1'000'000;
    std::mt19937 random(9);
    for (const std::string letters : {"a", " ", "-", "0", "ab", "abcdefghijklmnopqrstuvwxyz"}) {
        CAPTURE(letters);
        const std::string text = randomText(random, lettersOf(letters), count);
        REQUIRE(symbols().textOf(encode(text, Vocabulary::gpt2)) == text);
        const std::string shorter = text.substr(0, letters.size() == 1 ? 20'000 : 2'000);
        REQUIRE(encode(shorter, Vocabulary::gpt2) == mergeByTheBook(shorter));
    }
}

TEST_CASE("a million short parts are encoded", "[unit]") {
    constexpr std::size_t count = 1'000'000;
    REQUIRE(msClapIds(std::string(count, '!')).size() == count + 2);
    const std::string beginnings = "<|endoftext<mask<";
    std::string text;
    while (text.size() < count) text += beginnings;
    REQUIRE(symbols().textOf(encode(text, Vocabulary::gpt2)) == text);
    REQUIRE(laionIds(text).size() == laionLength);
    text = std::string(count, ' ') + "<mask>";
    REQUIRE(laionIds(text) == Ids{0, 50264, 2});
    text = std::string(count / 4, '\xff'); // three bytes replace each
    REQUIRE(encode(text, Vocabulary::gpt2) == encode(validUtf8(text), Vocabulary::gpt2));
}

TEST_CASE("a text that is too long is refused", "[unit]") {
    const std::string text(maxTextLength + 1, ' ');
    REQUIRE_THROWS_AS(encode(text, Vocabulary::gpt2), Error);
    REQUIRE_THROWS_AS(msClapIds(text), Error);
    REQUIRE_THROWS_WITH(laionIds(text), ContainsSubstring("1048577 bytes"));
}
