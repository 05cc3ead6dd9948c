#include "Core/Text/Tokenizer.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <span>
#include <string>
#include <utility>

namespace earshot::text {

namespace {

// The classes of characters that the splitting into pieces knows, by their letters in unicode_classes.txt.
enum class Kind : char { letter = 'L', number = 'N', space = 'S', other = 'O' };

struct KindRange {
    Kind kind;
    char32_t first;
    char32_t last;
};

// Left and right id of each merge, by rank.
constexpr std::uint16_t mergePairs[] = {
#include "Gpt2Merges.inc"
};
// The GPT-2 id of each RoBERTa id, from `robertaFirst` on.
constexpr std::uint16_t robertaOrder[] = {
#include "RobertaOrder.inc"
};
constexpr KindRange kindRanges[] = {
#include "UnicodeClasses.inc"
};

constexpr std::size_t byteCount = 256;
constexpr std::size_t mergeCount = std::size(mergePairs) / 2;
constexpr int endOfText = 50256; // GPT-2's "<|endoftext|>"
constexpr std::size_t robertaFirst = 4;
constexpr int robertaBegin = 0; // "<s>"
constexpr int robertaEnd = 2;   // "</s>"
static_assert(byteCount + mergeCount + 1 == gpt2Ids && std::size(robertaOrder) == gpt2Ids);

constexpr std::uint16_t noRank = std::numeric_limits<std::uint16_t>::max();

// What the two vocabularies say, in the order in which it is asked for.
class Tables {
  public:
    Tables();

    // The GPT-2 id of a byte.
    std::uint16_t idOf(char byte) const { return byteIds_[static_cast<unsigned char>(byte)]; }
    // The rank of the merge of two neighbours, or `noRank`.
    std::uint16_t rankOf(std::uint16_t left, std::uint16_t right) const;
    Kind kindOf(char32_t code) const;
    // The RoBERTa id of a GPT-2 id.
    int robertaId(int id) const { return robertaIds_[static_cast<std::size_t>(id)]; }

  private:
    struct Merge {
        std::uint16_t left, right, rank;
    };

    std::array<std::uint16_t, byteCount> byteIds_{};
    std::vector<Merge> merges_;              // by left and right id
    std::vector<std::uint16_t> firstMerges_; // of each left id, and one more: indices in `merges_`
    std::vector<KindRange> kinds_;           // by code point
    std::vector<std::uint16_t> robertaIds_;
};

Tables::Tables()
    : firstMerges_(gpt2Ids + 1)
    , kinds_(std::begin(kindRanges), std::end(kindRanges))
    , robertaIds_(gpt2Ids) {
    std::uint16_t id = 0;
    const auto isPrinted = [](std::size_t byte) {
        return (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
    };
    for (const bool printed : {true, false})
        for (std::size_t byte = 0; byte < byteCount; ++byte)
            if (isPrinted(byte) == printed) byteIds_[byte] = id++;

    static_assert(mergeCount < noRank);
    merges_.reserve(mergeCount);
    for (std::size_t rank = 0; rank < mergeCount; ++rank)
        merges_.push_back({mergePairs[2 * rank], mergePairs[2 * rank + 1], static_cast<std::uint16_t>(rank)});
    std::ranges::sort(merges_, {}, [](const Merge& merge) { return std::pair(merge.left, merge.right); });
    for (std::size_t left = 0, merge = 0; left < firstMerges_.size(); ++left) {
        while (merge < mergeCount && merges_[merge].left < left) ++merge;
        firstMerges_[left] = static_cast<std::uint16_t>(merge);
    }

    std::ranges::sort(kinds_, {}, &KindRange::first);
    for (std::size_t i = 0; i < std::size(robertaOrder); ++i)
        robertaIds_[robertaOrder[i]] = static_cast<std::uint16_t>(robertaFirst + i);
}

std::uint16_t Tables::rankOf(std::uint16_t left, std::uint16_t right) const {
    const auto begin = merges_.begin() + firstMerges_[left];
    const auto end = merges_.begin() + firstMerges_[left + 1u];
    const auto found = std::ranges::lower_bound(begin, end, right, {}, &Merge::right);
    return found != end && found->right == right ? found->rank : noRank;
}

Kind Tables::kindOf(char32_t code) const {
    const auto after = std::ranges::upper_bound(kinds_, code, {}, &KindRange::first);
    return after != kinds_.begin() && code <= std::prev(after)->last ? std::prev(after)->kind : Kind::other;
}

const Tables& tables() {
    static const Tables made;
    return made;
}

// Pieces of a text. Here and below a text is well-formed UTF-8.

// Removes the first character of the text and returns its kind.
Kind takeKind(std::string_view& text) {
    const auto code = takeCharacter(text).code;
    return code ? tables().kindOf(*code) : Kind::other;
}

Kind firstKind(std::string_view text) { return takeKind(text); }

// Where the last character of the text begins.
std::size_t lastCharacter(std::string_view text) {
    std::size_t begin = text.size() - 1;
    while (begin > 0 && continuesCharacter(text[begin])) --begin;
    return begin;
}

// The bytes of the longest run of one kind with which the text begins.
std::size_t runLength(std::string_view text, Kind kind) {
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view after = rest;
        if (takeKind(after) != kind) break;
        rest = after;
    }
    return text.size() - rest.size();
}

// The bytes of the piece with which the text begins. It follows GPT-2's pattern:
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t pieceLength(std::string_view text) {
    for (const std::string_view contraction : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
        if (text.starts_with(contraction)) return contraction.size();
    const std::size_t blank = text[0] == ' ' ? 1 : 0;
    if (text.size() > blank) {
        const std::string_view word = text.substr(blank);
        if (const Kind kind = firstKind(word); kind != Kind::space) return blank + runLength(word, kind);
    }
    const std::size_t spaces = runLength(text, Kind::space);
    if (spaces == text.size()) return spaces;
    // The last space belongs to what follows, unless it is the only one.
    const std::size_t last = lastCharacter(text.substr(0, spaces));
    return last > 0 ? last : spaces;
}

// Merges the bytes of pieces. The textbook takes the pair of neighbours with the lowest rank, merges it
// everywhere from left to right, and looks again. A queue of pairs by rank and place gives the same: a merge
// joins only symbols that merges of lower rank made, so no pair of this or a lower rank can appear while a
// rank is merged.
class Merger {
  public:
    // Appends the GPT-2 ids of a piece.
    void append(std::string_view piece, std::vector<int>& ids);

  private:
    // Symbols of a piece stand at the place of their first byte and are linked with their neighbours.
    struct Symbol {
        std::uint32_t previous, next; // places, or `none`
        std::uint16_t id;
        std::uint16_t rank; // of the merge with the next one, or `noRank`
    };
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    static_assert(maxTextLength < none / 2);

    // Finds the merge of a symbol and the next one.
    void findMerge(std::uint32_t place);
    void merge(std::uint32_t place);

    std::vector<Symbol> symbols_;
    // Rank in the upper half, place in the lower. Pairs stay in it when a merge has taken one of their
    // symbols.
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> queue_;
};

void Merger::append(std::string_view piece, std::vector<int>& ids) {
    const auto size = static_cast<std::uint32_t>(piece.size());
    symbols_.clear();
    symbols_.reserve(size);
    for (std::uint32_t place = 0; place < size; ++place)
        symbols_.push_back({place > 0 ? place - 1 : none, place + 1 < size ? place + 1 : none,
                            tables().idOf(piece[place]), noRank});
    for (std::uint32_t place = 0; place < size; ++place) findMerge(place);
    while (!queue_.empty()) {
        const std::uint64_t first = queue_.top();
        queue_.pop();
        const auto place = static_cast<std::uint32_t>(first);
        if (symbols_[place].rank == first >> 32u) merge(place);
    }
    for (std::uint32_t place = 0; place != none; place = symbols_[place].next)
        ids.push_back(symbols_[place].id);
}

void Merger::findMerge(std::uint32_t place) {
    Symbol& symbol = symbols_[place];
    symbol.rank = symbol.next != none ? tables().rankOf(symbol.id, symbols_[symbol.next].id) : noRank;
    if (symbol.rank != noRank) queue_.push(std::uint64_t{symbol.rank} << 32u | place);
}

void Merger::merge(std::uint32_t place) {
    Symbol& symbol = symbols_[place];
    Symbol& taken = symbols_[symbol.next];
    symbol.id = static_cast<std::uint16_t>(byteCount + symbol.rank);
    symbol.next = taken.next;
    if (symbol.next != none) symbols_[symbol.next].previous = place;
    taken.rank = noRank;
    findMerge(place);
    if (symbol.previous != none) findMerge(symbol.previous);
}

// A string that has an id of its own wherever it stands in a text.
struct SpecialString {
    std::string_view string;
    int id;
    bool takesSpaceBefore = false;
};

// None of these strings is the beginning of another one of its model, and no two can overlap.
constexpr std::string_view endOfTextString = "<|endoftext|>";
constexpr std::array msClapStrings = {SpecialString{"!", msClapPadding},
                                      SpecialString{endOfTextString, endOfText}};
constexpr std::array laionStrings = {SpecialString{"<s>", robertaBegin}, SpecialString{"<pad>", laionPadding},
                                     SpecialString{"</s>", robertaEnd}, SpecialString{"<unk>", 3},
                                     SpecialString{"<mask>", 50264, true}};

// Python's str.rstrip(): it also takes the separators U+001C to U+001F, which are no \s.
std::string_view withoutSpaceAtEnd(std::string_view text) {
    while (!text.empty()) {
        const std::size_t last = lastCharacter(text);
        const bool separator = text[last] >= '\x1c' && text[last] <= '\x1f';
        if (!separator && firstKind(text.substr(last)) != Kind::space) break;
        text = text.substr(0, last);
    }
    return text;
}

// Encodes a text in parts.
class Encoder {
  public:
    explicit Encoder(Vocabulary vocabulary)
        : vocabulary_(vocabulary) {}

    void addText(std::string_view text);
    void addText(std::string_view text, std::span<const SpecialString> specialStrings);

    std::vector<int> ids;

  private:
    Vocabulary vocabulary_;
    Merger merger_;
};

void Encoder::addText(std::string_view text) {
    const std::size_t begin = ids.size();
    while (!text.empty()) {
        const std::size_t length = pieceLength(text);
        merger_.append(text.substr(0, length), ids);
        text.remove_prefix(length);
    }
    if (vocabulary_ == Vocabulary::roberta)
        for (std::size_t i = begin; i < ids.size(); ++i) ids[i] = tables().robertaId(ids[i]);
}

void Encoder::addText(std::string_view text, std::span<const SpecialString> specialStrings) {
    std::size_t begin = 0; // of the text that has no id yet
    for (std::size_t place = 0; place < text.size();) {
        const auto special = std::ranges::find_if(specialStrings, [&](const SpecialString& candidate) {
            return text.substr(place).starts_with(candidate.string);
        });
        if (special == specialStrings.end()) {
            ++place;
            continue;
        }
        const std::string_view before = text.substr(begin, place - begin);
        addText(special->takesSpaceBefore ? withoutSpaceAtEnd(before) : before);
        ids.push_back(special->id);
        place += special->string.size();
        begin = place;
    }
    addText(text.substr(begin));
}

// The text as well-formed UTF-8, of a length that the merger's places can tell.
std::string wellFormed(std::string_view text) {
    if (text.size() > maxTextLength)
        throw Error(
            fmt::format("a text has {} bytes; at most {} are read; shorten it", text.size(), maxTextLength));
    return validUtf8(text);
}

} // namespace

std::vector<int> encode(std::string_view text, Vocabulary vocabulary) {
    Encoder encoder(vocabulary);
    encoder.addText(wellFormed(text));
    return std::move(encoder.ids);
}

std::vector<int> msClapIds(std::string_view text) {
    Encoder encoder(Vocabulary::gpt2);
    encoder.addText(wellFormed(text) + " " + std::string(endOfTextString), msClapStrings);
    return std::move(encoder.ids);
}

std::vector<int> laionIds(std::string_view text, bool* cut) {
    Encoder encoder(Vocabulary::roberta);
    encoder.ids.push_back(robertaBegin);
    encoder.addText(wellFormed(text), laionStrings);
    if (cut != nullptr) *cut = encoder.ids.size() > laionLength - 1;
    encoder.ids.resize(std::min(encoder.ids.size(), laionLength - 1));
    encoder.ids.push_back(robertaEnd);
    return std::move(encoder.ids);
}

} // namespace earshot::text
