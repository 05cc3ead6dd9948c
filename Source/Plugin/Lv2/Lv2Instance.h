// An instance of the LV2. It stands between the host and JUCE's instance (7.0.5 and 8.0.6), which refuses
// hosts that state no longest block (maxBlockLength in four bytes, with boundedBlockLength), allocates in
// run() whenever a block is longer than the one before, and does nothing when it is deactivated. JUCE's
// instance is left what has no length: parameters, transport and messages. Blocks may have any length.
//   run()      the audio thread
//   the rest   the host's other threads, one at a time and not during run(), as LV2 has it
#pragma once

#include <juce_audio_basics/juce_audio_basics.h>

#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/urid/urid.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace earshot::plugin {

class EarshotProcessor;

class Lv2Instance {
  public:
    // Returns null, with a line in the host's log (else on stderr), if the host lacks what is needed:
    // urid:map.
    static std::unique_ptr<Lv2Instance> make(const LV2_Descriptor& juce, double rate, const char* bundle,
                                             const LV2_Feature* const* features);
    ~Lv2Instance();
    Lv2Instance(const Lv2Instance&) = delete;
    Lv2Instance& operator=(const Lv2Instance&) = delete;

    LV2_Handle juceHandle() const { return handle_; }

    void connect(std::uint32_t port, void* data);
    // deactivate() ends the stream, as in other formats: what was rendered is analysed to its end.
    void activate();
    void deactivate();
    void run(std::uint32_t frames) noexcept;

  private:
    Lv2Instance(const LV2_Descriptor& juce, double rate, const LV2_URID_Map& map);

    template <typename Data>
    Data* port(std::uint32_t kind) const; // after those of audio
    bool isOn(std::uint32_t kind, bool otherwise) const;
    void passAudio(std::uint32_t frames) noexcept;
    void writeMidi(std::uint32_t capacity) noexcept;

    const LV2_Descriptor& juce_;
    const double rate_;
    const LV2_URID midiEvent_;
    LV2_Handle handle_ = nullptr;
    EarshotProcessor* processor_ = nullptr; // JUCE's instance owns it
    bool prepared_ = true;                  // JUCE's instance prepares it when it is made
    std::uint32_t channels_ = 0;            // inputs, and as many outputs
    std::vector<void*> ports_;              // as the host connected them; null: it did not
    juce::MidiBuffer midi_;
};

} // namespace earshot::plugin
