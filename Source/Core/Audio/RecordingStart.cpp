#include "Core/Audio/RecordingStart.h"

#include "Core/Audio/Guano.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/RegularFile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <regex>
#include <string>

namespace earshot::audio {

namespace {

constexpr std::size_t maxMetadata = 1 << 18; // bytes that are read of one
constexpr int maxChunks = 1000;
constexpr std::size_t beginningBytes = 1 << 16; // where comments of any kind of file are looked for

std::string_view withoutBlanks(std::string_view text) {
    constexpr std::string_view blank(" \t\r\n\0", 5);
    const auto begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blank) + 1 - begin);
}

std::uint64_t littleEndianIn(std::string_view bytes, std::size_t at, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = width; i > 0; --i)
        value = (value << 8) | static_cast<unsigned char>(bytes[at + i - 1]);
    return value;
}

std::uint64_t bigEndianIn(std::string_view bytes, std::size_t at, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

// A date and a time that stand apart, with any separators, as bext and iXML have them.
std::optional<WallTime> joinedTime(std::string_view date, std::string_view time) {
    const auto digitsOf = [](std::string_view text) {
        std::string digits;
        for (const char c : text)
            if (c >= '0' && c <= '9') digits += c;
        return digits;
    };
    return parseWallTime(digitsOf(date) + "_" + digitsOf(time));
}

// What the parts of a file say, by their order.
struct FoundStarts {
    std::optional<WallTime> guano, wamd, comment, bext, ixml, date;
    double sampleRate = 0.0; // Hz

    void takeChunk(std::string_view name, std::string_view bytes);
    void takeInfo(std::string_view list);
    void takeTag(std::string_view text);
    std::optional<WallTime> first() const {
        for (const auto& each : {guano, wamd, comment, bext, ixml, date})
            if (each) return each;
        return std::nullopt;
    }
};

constexpr std::size_t startChunkHeader = 8;

// Calls take(name, bytes) for each part of a chunk that consists of parts.
template <typename Take>
void eachPart(std::string_view bytes, Take take) {
    for (int parts = 0; parts < maxChunks && bytes.size() >= startChunkHeader; ++parts) {
        const auto length = static_cast<std::size_t>(littleEndianIn(bytes, 4, 4));
        const auto body = bytes.substr(startChunkHeader);
        take(bytes.substr(0, 4), body.substr(0, length));
        bytes = body.substr(std::min(body.size(), length + length % 2));
    }
}

void FoundStarts::takeInfo(std::string_view list) {
    if (!list.starts_with("INFO")) return;
    eachPart(list.substr(4), [this](std::string_view name, std::string_view bytes) {
        if (name == "ICMT" && !comment) comment = startInComment(bytes);
        if (name == "ICRD" && !date) date = parseWallTime(withoutBlanks(bytes));
    });
}

void FoundStarts::takeChunk(std::string_view name, std::string_view bytes) {
    if (name == "fmt " && bytes.size() >= 8) sampleRate = static_cast<double>(littleEndianIn(bytes, 4, 4));
    if (name == "guan" && !guano) guano = startInGuano(bytes);
    if (name == "wamd" && !wamd) wamd = startInWamd(bytes);
    if (name == "bext" && !bext) bext = startInBext(bytes, sampleRate);
    if (name == "iXML" && !ixml) ixml = startInIxml(bytes);
    if (name == "LIST") takeInfo(bytes);
}

// A tag of FLAC: NAME=value.
void FoundStarts::takeTag(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) return;
    std::string name(text.substr(0, equals));
    for (char& c : name)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    const auto value = text.substr(equals + 1);
    if (!comment) comment = startInComment(value);
    if (name == "DATE" && !date) date = parseWallTime(withoutBlanks(value));
}

// Reads a file from anywhere, as much as is there.
class FileBytes {
  public:
    explicit FileBytes(const RegularFile& file)
        : file_(file) {}

    std::string at(std::uint64_t position, std::size_t count) const {
        std::string bytes(count, '\0');
        bytes.resize(file_.readSome(position, std::as_writable_bytes(std::span(bytes))));
        return bytes;
    }
    std::uint64_t size() const { return file_.size(); }

  private:
    const RegularFile& file_;
};

bool holdsStart(std::string_view name) {
    return name == "fmt " || name == "guan" || name == "wamd" || name == "bext" || name == "iXML" ||
           name == "LIST";
}

void readWavStarts(const FileBytes& file, FoundStarts& found) {
    constexpr std::uint64_t unknownSize = 0xffffffff;
    constexpr std::uint64_t firstChunk = 12;
    std::uint64_t audioBytes = unknownSize; // from ds64
    std::uint64_t at = firstChunk;
    for (int chunks = 0; chunks < maxChunks; ++chunks) {
        const std::string header = file.at(at, startChunkHeader);
        if (header.size() < startChunkHeader) return;
        const auto name = header.substr(0, 4);
        std::uint64_t length = littleEndianIn(header, 4, 4);
        at += startChunkHeader;
        if (name == "ds64")
            if (const auto sizes = file.at(at, 16); sizes.size() == 16)
                audioBytes = littleEndianIn(sizes, 8, 8);
        if (name == "data" && length == unknownSize) length = audioBytes;
        if (length > file.size() || at + length > file.size() + 1) length = file.size();
        if (holdsStart(name))
            found.takeChunk(
                name, file.at(at, static_cast<std::size_t>(std::min<std::uint64_t>(length, maxMetadata))));
        at += length + length % 2;
    }
}

// FLAC's comments, and the chunks of a WAV that `flac --keep-foreign-metadata` keeps.
void readFlacStarts(const FileBytes& file, FoundStarts& found) {
    enum : unsigned { application = 2, comments = 4, last = 0x80 };
    constexpr std::size_t blockHeader = 4;
    std::uint64_t at = 4;
    for (int blocks = 0; blocks < maxChunks; ++blocks) {
        const std::string header = file.at(at, blockHeader);
        if (header.size() < blockHeader) return;
        const auto type = static_cast<unsigned char>(header[0]);
        const auto length = static_cast<std::size_t>(bigEndianIn(header, 1, 3));
        at += blockHeader;
        const auto kind = type & ~unsigned{last};
        if (kind == application || kind == comments) {
            const std::string bytes = file.at(at, std::min(length, maxMetadata));
            if (kind == application && bytes.starts_with("riff") && bytes.size() > 4 + startChunkHeader)
                found.takeChunk(std::string_view(bytes).substr(4, 4),
                                std::string_view(bytes).substr(4 + startChunkHeader));
            std::string_view rest(bytes);
            const auto takeText = [&]() -> std::string_view {
                if (rest.size() < 4) return rest = {};
                const auto size = static_cast<std::size_t>(littleEndianIn(rest, 0, 4));
                const auto text = rest.substr(4, size);
                rest = rest.substr(std::min(rest.size(), size + 4));
                return text;
            };
            if (kind == comments && bytes.size() > 8) {
                takeText(); // the encoder's name
                rest = rest.substr(std::min<std::size_t>(rest.size(), 4));
                for (int tags = 0; tags < maxChunks && !rest.empty(); ++tags) found.takeTag(takeText());
            }
        }
        at += length;
        if ((type & last) != 0) return;
    }
}

std::optional<WallTime> startInside(const std::filesystem::path& path) {
    const RegularFile regular(path, "file of audio");
    const FileBytes file(regular);
    FoundStarts found;
    const std::string beginning = file.at(0, 12);
    const bool isWav =
        (beginning.starts_with("RIFF") || beginning.starts_with("RF64") || beginning.starts_with("BW64")) &&
        beginning.ends_with("WAVE");
    if (isWav)
        readWavStarts(file, found);
    else if (beginning.starts_with("fLaC"))
        readFlacStarts(file, found);
    else
        found.comment = startInComment(file.at(0, beginningBytes));
    return found.first();
}

bool isWholeText(const std::optional<FoundTime>& found, std::string_view text) {
    return found && found->begin == 0 && found->end == text.size();
}

} // namespace

std::optional<WallTime> startInGuano(std::string_view chunk) {
    const Guano fields = parseGuano(chunk);
    const auto timestamp = fields.find("Timestamp");
    return timestamp == fields.end() ? std::nullopt : parseWallTime(timestamp->second);
}

std::optional<WallTime> startInWamd(std::string_view chunk) {
    constexpr std::uint64_t timestamp = 5;
    constexpr std::size_t header = 6;
    for (int entries = 0; entries < maxChunks && chunk.size() >= header; ++entries) {
        const auto length = static_cast<std::size_t>(littleEndianIn(chunk, 2, 4));
        const auto body = chunk.substr(header);
        if (littleEndianIn(chunk, 0, 2) == timestamp)
            return parseWallTime(withoutBlanks(body.substr(0, length)));
        chunk = body.substr(std::min(body.size(), length));
    }
    return std::nullopt;
}

std::optional<WallTime> startInComment(std::string_view text) {
    constexpr std::string_view words = "Recorded at ";
    constexpr std::size_t maxBytes = 80; // of the time, the date and the offset
    static const std::regex form(
        R"((\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))? (?:\(UTC\) )?(\d\d)/(\d\d)/(\d{4})( \(UTC([-+][\d:]+)?\))?)");
    for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
        const auto rest = text.substr(at + words.size(), maxBytes);
        std::cmatch match;
        if (!std::regex_search(rest.data(), rest.data() + rest.size(), match, form,
                               std::regex_constants::match_continuous))
            continue;
        std::string plain =
            match[5].str() + "-" + match[4].str() + "-" + match[3].str() + " " + match[1].str();
        if (match[2].length() > 0) plain += "." + match[2].str();
        auto time = parseWallTime(plain);
        if (!time) continue;
        const bool isUtc =
            rest.substr(0, static_cast<std::size_t>(match.length())).find("(UTC)") != std::string_view::npos;
        if (match[7].length() > 0)
            time->offset = parseOffset(match[7].str());
        else if (isUtc)
            time->offset = 0;
        return time;
    }
    return std::nullopt;
}

std::optional<WallTime> startInBext(std::string_view chunk, double sampleRate) {
    constexpr std::size_t dateAt = 320, timeAt = 330, countAt = 338, least = 346;
    constexpr double day = 86400.0; // seconds
    if (chunk.size() < least) return std::nullopt;
    auto time = joinedTime(chunk.substr(dateAt, timeAt - dateAt), chunk.substr(timeAt, countAt - timeAt));
    if (!time || !(sampleRate >= 1.0)) return time;
    const double since = static_cast<double>(littleEndianIn(chunk, countAt, 8)) / sampleRate;
    const auto midnight = time->milliseconds - time->milliseconds % 86'400'000;
    const double shown = static_cast<double>(time->milliseconds - midnight) / 1000.0;
    if (since < day && since >= shown && since < shown + 1.0)
        time->milliseconds = midnight + std::llround(since * 1000.0);
    return time;
}

std::optional<WallTime> startInIxml(std::string_view chunk) {
    const auto element = [&](const std::string& name) -> std::string_view {
        const auto open = "<" + name + ">";
        const auto begin = chunk.find(open);
        if (begin == std::string_view::npos) return {};
        const auto text = chunk.substr(begin + open.size());
        const auto end = text.find("</" + name + ">");
        return end == std::string_view::npos ? std::string_view()
                                             : text.substr(0, std::min<std::size_t>(end, 64));
    };
    return joinedTime(element("BWF_ORIGINATION_DATE"), element("BWF_ORIGINATION_TIME"));
}

std::optional<WallTime> startInName(const std::filesystem::path& file) {
    constexpr std::size_t maxExtension = 5; // characters with the dot; more may be a part of the name
    const auto extension = file.extension().string();
    const std::string name = (extension.size() <= maxExtension ? file.stem() : file.filename()).string();
    if (const auto found = findWallTime(name)) return found->time;
    const auto folder = file.parent_path();
    const std::string folderName = folder.filename().string();
    if (const auto found = findWallTime(folderName); isWholeText(found, folderName)) return found->time;
    const std::string inFolder = folderName + "/" + name;
    if (const auto found = findWallTime(inFolder); found && found->begin == 0) return found->time;
    const auto month = folder.parent_path();
    const std::string inYear =
        month.parent_path().filename().string() + "/" + month.filename().string() + "/" + inFolder;
    if (const auto found = findWallTime(inYear); found && found->begin == 0) return found->time;
    return std::nullopt;
}

std::optional<WallTime> startOf(const std::filesystem::path& file) {
    try {
        if (const auto start = startInside(file)) return start;
    } catch (const Error&) {
        // What cannot be read is reported where it is analysed.
        logCaught("reading when a recording began");
    }
    return startInName(file);
}

} // namespace earshot::audio
