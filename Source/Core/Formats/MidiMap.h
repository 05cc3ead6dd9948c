// Maps each class to a MIDI note and channel. By default class i plays note 36 + i % 64 on channel
// 1 + (i / 64) % 16: 64 classes per channel, from C1 (36, General MIDI's kick) up. Velocity is the
// probability, 1 to 127. A changed note belongs to a class's name, so that the class has it in every model.
// A plain value: one thread at a time.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace earshot::formats {

struct MidiNote {
    int note = 36;   // 0 to 127
    int channel = 1; // 1 to 16

    bool operator==(const MidiNote&) const = default;
};

// What a map knows a class by.
struct MidiKey {
    // The name is empty where the number alone tells the class: of a word, and in projects of older versions.
    MidiKey(int classNumber, std::string className = {}) // NOLINT(google-explicit-constructor)
        : number(classNumber)
        , name(std::move(className)) {}

    int number = 0; // the class index, or a word's number (detection::Labels::key())
    std::string name;

    bool operator==(const MidiKey&) const = default;
};

class MidiMap {
  public:
    // Returns the note of the class's name, else that of its number, else the number's default.
    MidiNote noteFor(const MidiKey& key) const;
    static MidiNote defaultNote(int classIndex);
    static int velocity(float probability);

    // Clamps the note to MIDI's ranges. Setting the default note removes the entry. A named class's note
    // takes the place of that of its number.
    void set(const MidiKey& key, MidiNote note);

    struct Named {
        int number = 0; // of the class when the note was set, which older versions know it by
        MidiNote note;

        bool operator==(const Named&) const = default;
    };
    const std::map<int, MidiNote>& changed() const { return changed_; }
    const std::map<std::string, Named>& changedByName() const { return changedByName_; }

    bool operator==(const MidiMap&) const = default;

  private:
    // Entries that differ from the default.
    std::map<int, MidiNote> changed_;
    std::map<std::string, Named> changedByName_;
};

} // namespace earshot::formats
