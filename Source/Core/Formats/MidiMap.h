// Maps each class to a MIDI note and channel. By default class i plays note 36 + i % 64 on channel
// 1 + (i / 64) % 16: 64 classes per channel, from C1 (36, General MIDI's kick) up. Velocity is the
// probability, 1 to 127. A plain value: one thread at a time.
#pragma once

#include <map>
#include <string>

namespace earshot::formats {

struct MidiNote {
    int note = 36;   // 0 to 127
    int channel = 1; // 1 to 16

    bool operator==(const MidiNote&) const = default;
};

class MidiMap {
  public:
    MidiNote noteFor(int classIndex) const;
    static MidiNote defaultNote(int classIndex);
    static int velocity(float probability);

    // Clamps the note to MIDI's ranges. Setting the default note removes the entry.
    void set(int classIndex, MidiNote note);
    const std::map<int, MidiNote>& changed() const { return changed_; }

    bool operator==(const MidiMap&) const = default;

  private:
    std::map<int, MidiNote> changed_; // entries that differ from the default, by class index
};

} // namespace earshot::formats
