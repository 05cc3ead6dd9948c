#include "Core/Base/Unicode.h"
#include "Core/Formats/Documents.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::formats {

namespace {

constexpr std::uint32_t ticksPerQuarter = 480;
constexpr std::uint32_t microsecondsPerQuarter = 500'000; // 120 BPM
constexpr double ticksPerSecond = ticksPerQuarter * 1e6 / microsecondsPerQuarter;
// The longest time between two messages that a MIDI file can express is 77 hours. Longer ones are made of
// several.
constexpr std::uint64_t maxDelta = 0x0fffffff;
constexpr std::uint64_t lastTick = 0xffffffff; // 51 days; readers count in 32 bits

std::uint64_t tickOf(double seconds) {
    const double ticks = std::round(seconds * ticksPerSecond);
    if (!(ticks > 0.0)) return 0; // also for NaN
    return ticks < static_cast<double>(lastTick) ? static_cast<std::uint64_t>(ticks) : lastTick;
}

void appendBigEndian(std::string& bytes, std::uint32_t value, int count) {
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift & 0xffu);
}

// Writes seven bits per byte; all bytes but the last have the highest bit set.
void appendVariableLength(std::string& bytes, std::uint32_t value) {
    for (int shift = 21; shift > 0; shift -= 7)
        if (value >> shift != 0) bytes += static_cast<char>((value >> shift & 0x7fu) | 0x80u);
    bytes += static_cast<char>(value & 0x7fu);
}

std::string metaEvent(std::uint8_t type, std::string_view content) {
    std::string bytes = {'\xff', static_cast<char>(type)};
    appendVariableLength(bytes, static_cast<std::uint32_t>(content.size()));
    return bytes.append(content);
}

std::string noteMessage(std::uint8_t status, const MidiNote& note, int velocity) {
    return {static_cast<char>(status | static_cast<unsigned>(note.channel - 1)), static_cast<char>(note.note),
            static_cast<char>(velocity)};
}

constexpr std::uint8_t textType = 0x01;

// In the order in which messages of the same tick are written.
enum class Kind { noteOff, text, noteOn };

struct Message {
    std::uint64_t tick = 0;
    Kind kind = Kind::text;
    std::string bytes;
};

struct Note {
    std::uint64_t on = 0; // ticks
    std::uint64_t off = 0;
    int velocity = 1;
};

Note noteOf(const TimedEvent& event) {
    const std::uint64_t on = std::min(tickOf(event.onset), lastTick - 1);
    return {
        .on = on, .off = std::max(on + 1, tickOf(event.offset)), .velocity = MidiMap::velocity(event.peak)};
}

void appendNotes(std::vector<Message>& messages, const MidiNote& key, std::vector<Note> notes) {
    std::ranges::sort(notes, {}, &Note::on);
    std::vector<Note> apart;
    for (const Note& note : notes) {
        if (apart.empty() || apart.back().off <= note.on) {
            apart.push_back(note);
        } else {
            apart.back().off = std::max(apart.back().off, note.off);
            apart.back().velocity = std::max(apart.back().velocity, note.velocity);
        }
    }
    constexpr int releaseVelocity = 64; // the neutral value
    for (const Note& note : apart) {
        messages.push_back({note.on, Kind::noteOn, noteMessage(0x90, key, note.velocity)});
        messages.push_back({note.off, Kind::noteOff, noteMessage(0x80, key, releaseVelocity)});
    }
}

std::vector<Message> messagesOf(std::span<const TimedEvent> events, const MidiMap& map) {
    std::vector<Message> messages;
    std::map<std::pair<int, int>, std::vector<Note>> notes; // by channel and note
    for (const TimedEvent& event : events) {
        const MidiNote key = map.noteFor(event.classIndex);
        const Note note = noteOf(event);
        notes[{key.channel, key.note}].push_back(note);
        messages.push_back({note.on, Kind::text, metaEvent(textType, printable(labelWithChannel(event)))});
    }
    for (auto& [key, list] : notes)
        appendNotes(messages, {.note = key.second, .channel = key.first}, std::move(list));
    std::ranges::stable_sort(messages, {},
                             [](const Message& message) { return std::pair(message.tick, message.kind); });
    return messages;
}

std::string midiFile(std::span<const TimedEvent> events, const MidiMap& map) {
    constexpr std::uint8_t trackNameType = 0x03;
    constexpr std::uint8_t tempoType = 0x51;
    constexpr std::uint8_t endOfTrackType = 0x2f;

    std::string tempo;
    appendBigEndian(tempo, microsecondsPerQuarter, 3);
    std::string track;
    std::uint64_t now = 0; // ticks
    const auto append = [&](std::uint64_t tick, const std::string& bytes) {
        for (; tick - now > maxDelta; now += maxDelta) {
            appendVariableLength(track, maxDelta);
            track += metaEvent(textType, {});
        }
        appendVariableLength(track, static_cast<std::uint32_t>(tick - now));
        track += bytes;
        now = tick;
    };
    append(0, metaEvent(trackNameType, "Earshot"));
    append(0, metaEvent(tempoType, tempo));
    for (const Message& message : messagesOf(events, map)) append(message.tick, message.bytes);
    append(now, metaEvent(endOfTrackType, {}));

    std::string file = "MThd";
    appendBigEndian(file, 6, 4); // length of the header in bytes
    appendBigEndian(file, 0, 2); // format 0
    appendBigEndian(file, 1, 2); // one track
    appendBigEndian(file, ticksPerQuarter, 2);
    file += "MTrk";
    appendBigEndian(file, static_cast<std::uint32_t>(track.size()), 4);
    return file + track;
}

class MidiDocument : public ResultDocument {
  public:
    explicit MidiDocument(MidiMap map)
        : map_(std::move(map)) {}

    std::string add(const RecordingEvents& recording) override { return midiFile(recording.events, map_); }

  private:
    MidiMap map_;
};

} // namespace

std::unique_ptr<ResultDocument> midiDocument(const MidiMap& map) {
    return std::make_unique<MidiDocument>(map);
}

} // namespace earshot::formats
