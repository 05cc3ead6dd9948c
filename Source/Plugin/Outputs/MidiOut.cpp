#include "Plugin/Outputs/MidiOut.h"

#include <algorithm>
#include <cassert>

namespace earshot::plugin {

namespace {

constexpr std::uint8_t noteOn = 0x90;
constexpr std::uint8_t noteOff = 0x80;

void add(juce::MidiBuffer& midi, std::uint8_t kind, int key, std::uint8_t velocity, int sample) {
    const std::array<std::uint8_t, 3> bytes = {static_cast<std::uint8_t>(kind | (key / 128)),
                                               static_cast<std::uint8_t>(key % 128), velocity};
    midi.addEvent(bytes.data(), static_cast<int>(bytes.size()), sample);
}

} // namespace

std::uint32_t MidiOut::begin(formats::MidiNote note, int velocity) {
    const std::uint32_t now = era_.load(std::memory_order_acquire);
    push({true, static_cast<std::uint8_t>(std::clamp(note.channel, 1, 16) - 1),
          static_cast<std::uint8_t>(std::clamp(note.note, 0, 127)),
          static_cast<std::uint8_t>(std::clamp(velocity, 1, 127)), now});
    return now;
}

void MidiOut::end(formats::MidiNote note, std::uint32_t begun) {
    push({false, static_cast<std::uint8_t>(std::clamp(note.channel, 1, 16) - 1),
          static_cast<std::uint8_t>(std::clamp(note.note, 0, 127)), 0, begun});
}

bool MidiOut::endedSince(std::uint32_t begun) const { return begun != era_.load(std::memory_order_acquire); }

void MidiOut::push(const Change& change) {
    if (!queue_.push(change)) overflowed_.store(true, std::memory_order_release);
}

void MidiOut::forgetAll() noexcept {
    era_.fetch_add(1, std::memory_order_release);
    Change change;
    while (queue_.pop(change)) {
    }
    for (int i = 0; i < soundingCount_; ++i) {
        Key& key = keys_[sounding_[static_cast<std::size_t>(i)]];
        key.wanted = 0;
        key.notBefore = clock_;
    }
}

void MidiOut::apply(const Change& change, juce::MidiBuffer& midi, std::int64_t holdSamples) noexcept {
    if (change.begun != era_.load(std::memory_order_relaxed)) return; // its note was forgotten
    const int index = change.channel * 128 + change.note;
    Key& key = keys_[static_cast<std::size_t>(index)];
    if (!change.on) {
        key.wanted = std::max(0, key.wanted - 1);
        return;
    }
    ++key.wanted;
    key.notBefore = clock_ + std::max<std::int64_t>(1, holdSamples);
    if (key.sounding) return;
    key.sounding = true;
    sounding_[static_cast<std::size_t>(soundingCount_++)] = static_cast<std::uint16_t>(index);
    add(midi, noteOn, index, change.velocity, 0);
    --budget_;
}

void MidiOut::render(juce::MidiBuffer& midi, int samples, bool wanted, std::int64_t holdSamples) noexcept {
    assert(holdSamples >= 0);
    if (samples <= 0) return;
    budget_ = maxEvents;
    if (overflowed_.exchange(false, std::memory_order_acquire) || !wanted) forgetAll();
    Change change;
    while (budget_ > 0 && queue_.pop(change)) apply(change, midi, holdSamples);

    int kept = 0;
    for (int i = 0; i < soundingCount_; ++i) {
        const std::uint16_t index = sounding_[static_cast<std::size_t>(i)];
        Key& key = keys_[index];
        if (key.wanted == 0 && key.notBefore < clock_ + samples && budget_ > 0) {
            key.sounding = false;
            add(midi, noteOff, index, 0, static_cast<int>(std::max<std::int64_t>(0, key.notBefore - clock_)));
            --budget_;
        } else {
            sounding_[static_cast<std::size_t>(kept++)] = index;
        }
    }
    soundingCount_ = kept;
    clock_ += samples;
}

void MidiOut::endAll(juce::MidiBuffer& midi) {
    while (soundingCount_ > 0) render(midi, 1, false, 0);
}

void MidiOut::stop() noexcept { forgetAll(); }

} // namespace earshot::plugin
