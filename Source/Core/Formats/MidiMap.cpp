#include "Core/Formats/MidiMap.h"

#include <algorithm>
#include <cmath>

namespace earshot::formats {

MidiNote MidiMap::noteFor(const MidiKey& key) const {
    if (const auto named = changedByName_.find(key.name); named != changedByName_.end())
        return named->second.note;
    const auto found = changed_.find(key.number);
    return found == changed_.end() ? defaultNote(key.number) : found->second;
}

MidiNote MidiMap::defaultNote(int classIndex) {
    constexpr int minNote = 36;
    constexpr int notes = 64; // per channel
    constexpr int channels = 16;
    const int position = std::max(0, classIndex);
    return {.note = minNote + position % notes, .channel = 1 + position / notes % channels};
}

int MidiMap::velocity(float probability) {
    if (!(probability > 0.0f)) return 1; // also for NaN; velocity 0 would end the note
    return std::clamp(static_cast<int>(std::lround(std::min(probability, 1.0f) * 127.0f)), 1, 127);
}

void MidiMap::set(const MidiKey& key, MidiNote note) {
    note = {.note = std::clamp(note.note, 0, 127), .channel = std::clamp(note.channel, 1, 16)};
    changed_.erase(key.number);
    changedByName_.erase(key.name);
    if (note == defaultNote(key.number)) return;
    if (key.name.empty())
        changed_[key.number] = note;
    else
        changedByName_[key.name] = {key.number, note};
}

} // namespace earshot::formats
