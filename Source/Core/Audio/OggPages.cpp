#include "Core/Audio/OggPages.h"

#include "Core/Audio/OggPackets.h"
#include "Core/Base/Error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace earshot::audio {

namespace {

constexpr std::string_view pagePattern{"OggS\0", 5};
constexpr std::size_t pageFlagsAt = 5, pagePositionAt = 6, pageSerialAt = 14, pageNumberAt = 18,
                      pageChecksumAt = 22, pageSegmentsAt = 26, pageFixedBytes = 27;
constexpr std::int64_t maxPageBytes = pageFixedBytes + 255 + 255 * 255;

std::uint64_t littleEndianAt(std::string_view bytes, std::size_t at, int count) {
    std::uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = (value << 8) | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
    return value;
}

void putLittleEndian(std::string& bytes, std::size_t at, std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i, value >>= 8)
        bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value & 0xffu);
}

// The checksum of RFC 3533, of a page whose own is zero.
std::uint32_t pageChecksum(std::string_view page) {
    static const auto table = [] {
        std::array<std::uint32_t, 256> values{};
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            std::uint32_t value = i << 24;
            for (int bit = 0; bit < 8; ++bit)
                value = (value << 1) ^ ((value & 0x80000000u) != 0 ? 0x04c11db7u : 0u);
            values[i] = value;
        }
        return values;
    }();
    std::uint32_t sum = 0;
    for (const char c : page) sum = (sum << 8) ^ table[(sum >> 24) ^ static_cast<unsigned char>(c)];
    return sum;
}

void seal(std::string& page) {
    putLittleEndian(page, pageChecksumAt, 0, 4);
    putLittleEndian(page, pageChecksumAt, pageChecksum(page), 4);
}

// The page that begins there or after it, within the bytes that a page can have.
std::optional<OggPage> nextPage(InputFile& input, std::int64_t at) {
    if (auto page = oggPageAt(input, at)) return page;
    const std::string bytes = bytesAt(input, at, static_cast<std::size_t>(maxPageBytes));
    for (std::size_t found = 0; (found = bytes.find(pagePattern, found)) != std::string::npos; ++found)
        if (auto page = oggPageAt(input, at + static_cast<std::int64_t>(found))) return page;
    return std::nullopt;
}

// The last pages that begin before that place, at most as many, in their order.
std::vector<OggPage> lastPages(InputFile& input, std::size_t count, std::int64_t before) {
    std::vector<OggPage> pages;
    const std::int64_t view = maxPageBytes * static_cast<std::int64_t>(count);
    std::int64_t at = std::max<std::int64_t>(before - view, 0);
    // The pattern may also stand inside a page: what begins a page is what leads to the next one.
    while (const auto page = nextPage(input, at)) {
        if (page->end() < input.size() && !oggPageAt(input, page->end()) && pages.empty()) {
            at = page->at + 1;
            continue;
        }
        pages.push_back(*page);
        at = page->end();
        if (at >= before) break;
    }
    if (pages.size() > count) pages.erase(pages.begin(), pages.end() - static_cast<std::ptrdiff_t>(count));
    return pages;
}

std::optional<OggPage> lastPage(InputFile& input) {
    const auto pages = lastPages(input, 1, input.size());
    if (pages.empty() || pages.back().end() > input.size()) return std::nullopt;
    // What follows may be a tag, or the beginning of a page.
    const std::string behind = bytesAt(input, pages.back().end(), pagePattern.size());
    if (!behind.empty() && pagePattern.starts_with(behind)) return std::nullopt;
    return pages.back();
}

// How long packets are that end on a page. The first one of a page that was not reached from the one before
// it may have begun there, and counts nothing.
class PageTimes {
  public:
    explicit PageTimes(OggPackets packets)
        : packets_(std::move(packets)) {}

    // Returns the samples of the packets that end on it.
    std::int64_t add(InputFile& input, const OggPage& page) {
        const std::string body =
            bytesAt(input, page.at + page.headerBytes, static_cast<std::size_t>(page.bodyBytes));
        if (!page.has(OggPage::continued)) begin_.clear();
        bool known = !page.has(OggPage::continued) || !begin_.empty();
        std::int64_t samples = 0;
        std::size_t at = 0;
        for (const char segment : page.lacing) {
            const auto bytes = static_cast<unsigned char>(segment);
            if (at < body.size() && begin_.size() < OggPackets::bytesNeeded)
                begin_ += std::string_view(body).substr(at, bytes);
            at += bytes;
            if (bytes == 255) continue;
            if (known) samples += packets_.samples(begin_);
            known = true;
            begin_.clear();
        }
        return samples;
    }

  private:
    OggPackets packets_;
    std::string begin_; // of the packet that goes on
};

} // namespace

std::optional<OggPage> oggPageAt(InputFile& input, std::int64_t at) {
    const std::string bytes = bytesAt(input, at, pageFixedBytes + 255);
    if (bytes.size() < pageFixedBytes || !bytes.starts_with(pagePattern)) return std::nullopt;
    const std::size_t segments = static_cast<unsigned char>(bytes[pageSegmentsAt]);
    if (bytes.size() < pageFixedBytes + segments) return std::nullopt;
    OggPage page{.at = at,
                 .headerBytes = static_cast<std::int64_t>(pageFixedBytes + segments),
                 .bodyBytes = 0,
                 .flags = static_cast<unsigned char>(bytes[pageFlagsAt]),
                 .position = static_cast<std::int64_t>(littleEndianAt(bytes, pagePositionAt, 8)),
                 .serial = static_cast<std::uint32_t>(littleEndianAt(bytes, pageSerialAt, 4)),
                 .number = static_cast<std::uint32_t>(littleEndianAt(bytes, pageNumberAt, 4)),
                 .lacing = bytes.substr(pageFixedBytes, segments)};
    for (const char segment : page.lacing) page.bodyBytes += static_cast<unsigned char>(segment);
    return page;
}

void cutOggZeros(InputFile& input) {
    const std::int64_t end = endWithoutZeros(input);
    if (end == input.size()) return;
    const auto pages = lastPages(input, 1, end);
    if (!pages.empty() && pages.back().end() >= end && pages.back().end() <= input.size())
        input.cutAt(pages.back().end());
}

bool oggEndIsThere(InputFile& input) {
    const auto page = lastPage(input);
    return page && page->endsPacket();
}

std::optional<std::vector<Correction>> markOggEnd(InputFile& input) {
    const auto page = lastPage(input);
    if (!page || page->has(OggPage::last) || !page->endsPacket() || page->position < 0) return std::nullopt;
    std::string bytes =
        bytesAt(input, page->at, static_cast<std::size_t>(page->headerBytes + page->bodyBytes));
    bytes[pageFlagsAt] = static_cast<char>(page->flags | OggPage::last);
    seal(bytes);
    return std::vector<Correction>{
        {page->at + std::int64_t{pageFlagsAt}, bytes.substr(pageFlagsAt, 1)},
        {page->at + std::int64_t{pageChecksumAt}, bytes.substr(pageChecksumAt, 4)}};
}

bool oggStreamFollows(InputFile& input) {
    constexpr std::int64_t readAhead = 8192;
    const auto from =
        std::max<std::int64_t>(input.position() - readAhead, 1); // behind the first page's begin
    const std::string bytes = bytesAt(input, from, static_cast<std::size_t>(maxPageBytes));
    for (std::size_t at = 0; (at = bytes.find(pagePattern, at)) != std::string::npos; ++at)
        if (bytes.size() - at > pageFlagsAt &&
            (static_cast<unsigned char>(bytes[at + pageFlagsAt]) & OggPage::first) != 0)
            return true;
    return false;
}

bool oggPositionsLie(InputFile& input) {
    auto packets = OggPackets::of(input);
    if (!packets) return false;
    const auto head = oggPageAt(input, 0);
    auto pages = lastPages(input, 3, input.size());
    std::erase_if(pages, [&](const OggPage& page) {
        return page.serial != head->serial || page.number <= head->number + 1;
    });
    const int rate = packets->rate();
    PageTimes times(std::move(*packets));
    std::optional<OggPage> before;
    for (const OggPage& page : pages) {
        const std::int64_t samples = times.add(input, page);
        const bool last = page.end() >= input.size();
        if (samples > 0 && page.position < 0) return true;
        if (before && page.number == before->number + 1 && page.position >= 0 && samples > 0) {
            const std::int64_t counted = page.position - before->position;
            // A last page may count less than it holds. A gap in a stream may count more.
            if (counted < (last ? 1 : samples * 3 / 4) || (last && counted > samples + rate)) return true;
        }
        if (page.position >= 0) before = page;
    }
    return false;
}

void countOggPackets(InputFile& input) {
    auto packets = OggPackets::of(input);
    const auto head = oggPageAt(input, 0);
    if (!packets || !head) return;
    PageTimes times(std::move(*packets));
    InputFile copy = InputFile::temporary(input.name());
    std::int64_t at = 0, position = 0;
    while (const auto page = nextPage(input, at)) {
        std::string bytes =
            bytesAt(input, page->at, static_cast<std::size_t>(page->headerBytes + page->bodyBytes));
        at = page->end();
        if (page->serial == head->serial && page->number > head->number && at <= input.size()) {
            const std::int64_t samples = times.add(input, *page);
            position += samples;
            if (page->position != 0 || samples > 0)
                putLittleEndian(bytes, pagePositionAt,
                                static_cast<std::uint64_t>(samples > 0 ? position : -1), 8);
            seal(bytes);
        }
        copy.append(bytes);
    }
    copy.seek(0, SEEK_SET);
    input = std::move(copy);
}

OggFlac unwrapOggFlac(InputFile& input) {
    constexpr std::string_view identification{"\x7f"
                                              "FLAC",
                                              5};
    constexpr std::int64_t beforeNative = 9; // version and number of headers
    constexpr std::size_t maxPages = 1u << 22;
    const auto head = oggPageAt(input, 0);
    if (!head || bytesAt(input, head->headerBytes, identification.size()) != identification)
        return OggFlac::none;
    std::vector<InputFile::Stretch> stretches;
    std::int64_t size = 0, at = 0;
    OggFlac found = OggFlac::cut;
    while (const auto page = nextPage(input, at)) {
        if (page->has(OggPage::first) && at > 0) {
            found = OggFlac::joined;
            break;
        }
        const std::int64_t begin = page->at + page->headerBytes + (at == 0 ? beforeNative : 0);
        at = page->end();
        if (page->serial != head->serial || begin >= input.size()) continue;
        if (stretches.size() == maxPages)
            throw Error(input.name() + ": has more than " + std::to_string(maxPages) +
                        " Ogg pages; unwrap it first (ffmpeg -i FILE -c:a copy out.flac)");
        stretches.push_back({.begin = size, .from = begin});
        size += std::min(at, input.size()) - begin;
        found = page->endsPacket() && at <= input.size() ? OggFlac::whole : OggFlac::cut;
    }
    input.rearrange({}, std::move(stretches), size);
    return found;
}

} // namespace earshot::audio
