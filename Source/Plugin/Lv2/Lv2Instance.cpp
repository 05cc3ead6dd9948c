#include "Plugin/Lv2/Lv2Instance.h"

#include "Plugin/EarshotProcessor.h"
#include "Plugin/PluginEntry.h"

#include <lv2/atom/util.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/log/log.h>
#include <lv2/midi/midi.h>
#include <lv2/options/options.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace earshot::plugin {

namespace {

constexpr std::int32_t juceBlock = 4096; // frames, the limit that JUCE's instance gets and never meets
constexpr std::size_t midiBytes = 8192;  // as JUCE's wrappers reserve
constexpr std::size_t chunkFrames = 256;
constexpr std::size_t maxChannels = 2;

// JUCE's order of the ports that follow those of audio.
enum PortKind : std::uint32_t { inputSequence, outputSequence, latency, freeWheeling, enabled, portKinds };

const LV2_Feature* findFeature(const LV2_Feature* const* features, std::string_view uri) {
    for (; features != nullptr && *features != nullptr; ++features)
        if (uri == (*features)->URI) return *features;
    return nullptr;
}

template <typename Data>
const Data* featureData(const LV2_Feature* const* features, const char* uri) {
    const LV2_Feature* feature = findFeature(features, uri);
    return feature == nullptr ? nullptr : static_cast<const Data*>(feature->data);
}

void logError(const LV2_Feature* const* features, const LV2_URID_Map* map, const std::string& message) {
    if (const auto* log = featureData<LV2_Log_Log>(features, LV2_LOG__log);
        log != nullptr && log->printf != nullptr)
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): so it is declared
        log->printf(log->handle, map == nullptr ? 0 : map->map(map->handle, LV2_LOG__Error), "%s\n",
                    message.c_str());
    else
        std::fputs((message + '\n').c_str(), stderr);
}

// JUCE's instance, which gets block lengths in the form that it expects. Other features are the host's.
LV2_Handle makeJuceInstance(const LV2_Descriptor& juce, double rate, const char* bundle,
                            const LV2_URID_Map& map, const LV2_Feature* const* features) {
    const auto mapped = [&](const char* uri) { return map.map(map.handle, uri); };
    std::array<LV2_Options_Option, 2> options{{{LV2_OPTIONS_INSTANCE, 0, mapped(LV2_BUF_SIZE__maxBlockLength),
                                                sizeof juceBlock, mapped(LV2_ATOM__Int), &juceBlock},
                                               {}}};
    const LV2_Feature blocks{LV2_OPTIONS__options, options.data()};
    const LV2_Feature bounded{LV2_BUF_SIZE__boundedBlockLength, nullptr};
    std::vector<const LV2_Feature*> offered{&blocks, &bounded}; // the first of a name counts
    for (; *features != nullptr; ++features) offered.push_back(*features);
    offered.push_back(nullptr);
    return juce.instantiate(&juce, rate, bundle, offered.data());
}

} // namespace

std::unique_ptr<Lv2Instance> Lv2Instance::make(const LV2_Descriptor& juce, double rate, const char* bundle,
                                               const LV2_Feature* const* features) {
    const auto* map = featureData<LV2_URID_Map>(features, LV2_URID__map);
    if (map == nullptr || map->map == nullptr) {
        logError(features, nullptr,
                 "Earshot (LV2): expected the host's feature " LV2_URID__map
                 ", found none; use a host that has it");
        return nullptr;
    }
    std::unique_ptr<Lv2Instance> instance(new Lv2Instance(juce, rate, *map));
    newestProcessor() = nullptr;
    instance->handle_ = makeJuceInstance(juce, rate, bundle, *map, features);
    instance->processor_ = std::exchange(newestProcessor(), nullptr);
    if (instance->handle_ == nullptr || instance->processor_ == nullptr) {
        logError(features, map,
                 "Earshot (LV2): the plugin could not be made; close other programs and try again");
        return nullptr;
    }
    instance->channels_ = static_cast<std::uint32_t>(instance->processor_->getTotalNumInputChannels());
    instance->ports_.resize(2 * std::size_t{instance->channels_} + portKinds, nullptr);
    return instance;
}

Lv2Instance::Lv2Instance(const LV2_Descriptor& juce, double rate, const LV2_URID_Map& map)
    : juce_(juce)
    , rate_(rate)
    , midiEvent_(map.map(map.handle, LV2_MIDI__MidiEvent)) {
    midi_.ensureSize(midiBytes);
}

Lv2Instance::~Lv2Instance() {
    if (handle_ != nullptr) juce_.cleanup(handle_);
}

void Lv2Instance::connect(std::uint32_t port, void* data) {
    if (port < ports_.size()) ports_[port] = data;
    juce_.connect_port(handle_, port, data);
}

template <typename Data>
Data* Lv2Instance::port(std::uint32_t kind) const {
    return static_cast<Data*>(ports_[2 * std::size_t{channels_} + kind]);
}

bool Lv2Instance::isOn(std::uint32_t kind, bool otherwise) const {
    const auto* value = port<const float>(kind);
    return value == nullptr ? otherwise : *value > 0.5f;
}

void Lv2Instance::activate() {
    if (!std::exchange(prepared_, true)) {
        processor_->setNonRealtime(isOn(freeWheeling, false));
        processor_->prepareToPlay(rate_, juceBlock);
    }
    juce_.activate(handle_);
}

void Lv2Instance::deactivate() {
    juce_.deactivate(handle_);
    processor_->releaseResources();
    prepared_ = false;
}

void Lv2Instance::run(std::uint32_t frames) noexcept {
    const auto* out = port<LV2_Atom_Sequence>(outputSequence);
    const std::uint32_t capacity = out == nullptr ? 0 : out->atom.size;
    juce_.run(handle_, 0); // reads and writes messages, and says where the transport is
    passAudio(frames);
    writeMidi(capacity);
}

// The host's outputs may be its inputs, in any order.
void Lv2Instance::passAudio(std::uint32_t frames) noexcept {
    std::array<float*, 2 * maxChannels> audio{};
    for (std::size_t i = 0; i < audio.size(); ++i)
        if (audio[i] = static_cast<float*>(ports_[i]); audio[i] == nullptr) return;
    std::array<std::array<float, chunkFrames>, maxChannels> chunk;
    for (std::size_t done = 0; done < frames;) {
        const std::size_t count = std::min(chunkFrames, frames - done);
        for (std::size_t i = 0; i < maxChannels; ++i) std::copy_n(audio[i] + done, count, chunk[i].begin());
        for (std::size_t i = 0; i < maxChannels; ++i)
            std::copy_n(chunk[i].begin(), count, audio[maxChannels + i] + done);
        done += count;
    }
    juce::AudioBuffer<float> block(&audio[maxChannels], static_cast<int>(maxChannels),
                                   static_cast<int>(frames));
    midi_.clear();
    if (isOn(enabled, true))
        processor_->processBlock(block, midi_);
    else
        processor_->processBlockBypassed(block, midi_);
}

// Appends to what JUCE's instance wrote. What does not fit into the host's sequence is lost, as there.
void Lv2Instance::writeMidi(std::uint32_t capacity) noexcept {
    auto* out = port<LV2_Atom_Sequence>(outputSequence);
    for (const juce::MidiMessageMetadata note : midi_) {
        struct {
            LV2_Atom_Event head;
            std::array<std::uint8_t, 8> bytes;
        } event{};
        const auto size = static_cast<std::uint32_t>(note.numBytes);
        const std::uint32_t needed = lv2_atom_pad_size(sizeof event.head + size);
        if (size > event.bytes.size() || capacity < out->atom.size + needed) continue;
        event.head.time.frames = note.samplePosition;
        event.head.body = {size, midiEvent_};
        std::copy_n(note.data, size, event.bytes.begin());
        lv2_atom_sequence_append_event(out, capacity, &event.head);
    }
}

} // namespace earshot::plugin
