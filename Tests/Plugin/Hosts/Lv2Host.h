// A small LV2 host, which describes itself as its test wants. Any one thread.
#pragma once

#include "Support/Catch.h"

#include <juce_core/juce_core.h>

#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <lv2/atom/util.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>
#include <lv2/time/time.h>
#include <lv2/urid/urid.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::test {

// What a host says of its blocks, and what it offers.
struct Lv2HostTraits {
    struct Option {
        const char* key = LV2_BUF_SIZE__maxBlockLength;
        const char* type = LV2_ATOM__Int;
        std::vector<char> value; // its bytes
    };
    std::vector<Option> options;
    bool bounded = true;      // boundedBlockLength
    bool givesOptions = true; // the feature itself
    bool maps = true;         // urid:map
};

template <typename Number>
Lv2HostTraits::Option lv2Option(const char* key, const char* type, Number value) {
    const auto* const bytes = reinterpret_cast<const char*>(&value);
    return {key, type, {bytes, bytes + sizeof value}};
}

class Lv2Host {
  public:
    enum Port : std::uint32_t { in, out = 2, events = 4, messages, latency, freeWheeling, enabled };
    static constexpr std::uint32_t most = 100'000; // frames of a block
    static constexpr double rate = 48000.0;

    static Lv2HostTraits plain(std::int32_t block = 512) {
        return {{lv2Option(LV2_BUF_SIZE__maxBlockLength, LV2_ATOM__Int, block)}};
    }

    explicit Lv2Host(const Lv2HostTraits& traits = plain())
        : descriptor_(library().descriptor(0)) {
        REQUIRE(descriptor_ != nullptr);
        std::vector<LV2_Options_Option> options;
        for (const auto& option : traits.options)
            options.push_back({LV2_OPTIONS_INSTANCE, 0, urid(option.key),
                               static_cast<std::uint32_t>(option.value.size()), urid(option.type),
                               option.value.data()});
        options.push_back({});
        const LV2_Feature map{LV2_URID__map, &map_}, log{LV2_LOG__log, &log_},
            given{LV2_OPTIONS__options, options.data()}, bounded{LV2_BUF_SIZE__boundedBlockLength, nullptr};
        std::vector<const LV2_Feature*> features{&log};
        if (traits.maps) features.push_back(&map);
        if (traits.givesOptions) features.push_back(&given);
        if (traits.bounded) features.push_back(&bounded);
        features.push_back(nullptr);
        const juce::String folder = juce::String(EARSHOT_LV2_BUNDLE) + "/";
        handle_ = descriptor_->instantiate(descriptor_, rate, folder.toRawUTF8(), features.data());
        if (handle_ == nullptr) return;
        lv2_atom_forge_init(&forge_, &map_);
        for (std::uint32_t port = 0; port < 4; ++port) connect(port, audio[port].data());
        connect(events, input_.data());
        connect(messages, output_.data());
        for (std::uint32_t port = latency; port <= enabled; ++port) connect(port, &controls[port - latency]);
        controls[enabled - latency] = 1.0f;
    }
    ~Lv2Host() { remove(true); }
    Lv2Host(const Lv2Host&) = delete;
    Lv2Host& operator=(const Lv2Host&) = delete;

    void connect(std::uint32_t port, void* data) { descriptor_->connect_port(handle_, port, data); }
    bool runs() const { return handle_ != nullptr; }
    void activate() {
        descriptor_->activate(handle_);
        active_ = true;
    }
    void deactivate() {
        descriptor_->deactivate(handle_);
        active_ = false;
    }
    // Some hosts do not deactivate first.
    void remove(bool deactivates) {
        if (handle_ == nullptr) return;
        if (active_ && deactivates) deactivate();
        descriptor_->cleanup(handle_);
        handle_ = nullptr;
    }

    // Events that the next block brings.
    void setParameter(const char* name, float value) {
        pending_.push_back([this, name = std::string(name), value] {
            LV2_Atom_Forge_Frame object;
            lv2_atom_forge_object(&forge_, &object, 0, urid(LV2_PATCH__Set));
            lv2_atom_forge_key(&forge_, urid(LV2_PATCH__property));
            lv2_atom_forge_urid(&forge_, urid(std::string(uri) + ":" + name));
            lv2_atom_forge_key(&forge_, urid(LV2_PATCH__value));
            lv2_atom_forge_float(&forge_, value);
            lv2_atom_forge_pop(&forge_, &object);
        });
    }
    void setPosition(std::int64_t frame) {
        pending_.push_back([this, frame] {
            LV2_Atom_Forge_Frame object;
            lv2_atom_forge_object(&forge_, &object, 0, urid(LV2_TIME__Position));
            lv2_atom_forge_key(&forge_, urid(LV2_TIME__frame));
            lv2_atom_forge_long(&forge_, frame);
            lv2_atom_forge_key(&forge_, urid(LV2_TIME__speed));
            lv2_atom_forge_float(&forge_, 1.0f);
            lv2_atom_forge_pop(&forge_, &object);
        });
    }
    // Prepares a block; process() runs it, and takeMessages() reads what came.
    void prepareBlock() {
        lv2_atom_forge_set_buffer(&forge_, bytes(input_), sizeof(std::uint64_t) * input_.size());
        LV2_Atom_Forge_Frame sequence;
        lv2_atom_forge_sequence_head(&forge_, &sequence, 0);
        for (const auto& write : pending_) {
            lv2_atom_forge_frame_time(&forge_, 0);
            write();
        }
        pending_.clear();
        lv2_atom_forge_pop(&forge_, &sequence);
        auto* const output = reinterpret_cast<LV2_Atom_Sequence*>(output_.data());
        output->atom = {static_cast<std::uint32_t>(sizeof(std::uint64_t) * (output_.size() - 1)), 0};
    }
    void process(std::uint32_t frames) { descriptor_->run(handle_, frames); }
    void takeMessages(std::uint32_t frames) {
        const auto* const output = reinterpret_cast<const LV2_Atom_Sequence*>(output_.data());
        REQUIRE(output->atom.type == urid(LV2_ATOM__Sequence));
        std::int64_t last = 0;
        LV2_ATOM_SEQUENCE_FOREACH(output, event) {
            CHECK(event->time.frames >= last);
            CHECK(event->time.frames < frames);
            last = event->time.frames;
            const auto* const object = reinterpret_cast<const LV2_Atom_Object*>(&event->body);
            if (event->body.type != urid(LV2_ATOM__Object) || object->body.otype != urid(LV2_PATCH__Set))
                continue;
            const LV2_Atom* property = nullptr;
            const LV2_Atom* value = nullptr;
            lv2_atom_object_get(object, urid(LV2_PATCH__property), &property, urid(LV2_PATCH__value), &value,
                                0);
            REQUIRE((property != nullptr && value != nullptr));
            sets.emplace_back(nameOf(reinterpret_cast<const LV2_Atom_URID*>(property)->body),
                              reinterpret_cast<const LV2_Atom_Float*>(value)->body);
        }
    }
    void run(std::uint32_t frames) {
        prepareBlock();
        process(frames);
        takeMessages(frames);
    }

    // The plugin's state, as texts by their keys.
    using State = std::map<std::string, std::string>;
    State save() {
        saved_.clear();
        state()->save(handle_, &Lv2Host::store, this, 0, nullptr);
        return saved_;
    }
    void restore(const State& from) {
        saved_ = from;
        state()->restore(handle_, &Lv2Host::retrieve, this, 0, nullptr);
    }

    std::array<std::vector<float>, 4> audio{std::vector<float>(most), std::vector<float>(most),
                                            std::vector<float>(most), std::vector<float>(most)};
    std::array<float, 3> controls{};                 // latency, freeWheeling, enabled
    std::vector<std::pair<std::string, float>> sets; // patch:Set of the plugin: the parameter and its value
    std::string logged;                              // by LV2's log extension

    static constexpr const char* uri = "https://earshot-audio.github.io/earshot";

  private:
    struct Library {
        juce::DynamicLibrary file{
            juce::File(EARSHOT_LV2_BUNDLE).getChildFile("libEarshot.so").getFullPathName()};
        LV2_Descriptor_Function descriptor =
            reinterpret_cast<LV2_Descriptor_Function>(file.getFunction("lv2_descriptor"));
    };
    static Library& library() {
        static Library one;
        return one;
    }
    static std::uint8_t* bytes(std::vector<std::uint64_t>& words) {
        return reinterpret_cast<std::uint8_t*>(words.data());
    }

    LV2_URID urid(const std::string& name) {
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (names_[i] == name) return static_cast<LV2_URID>(i + 1);
        names_.push_back(name);
        return static_cast<LV2_URID>(names_.size());
    }
    std::string nameOf(LV2_URID urid) const {
        return names_.at(urid - 1).substr(std::string(uri).size() + 1);
    }
    const LV2_State_Interface* state() const {
        return static_cast<const LV2_State_Interface*>(descriptor_->extension_data(LV2_STATE__interface));
    }

    static LV2_URID mapName(LV2_URID_Map_Handle host, const char* name) {
        return static_cast<Lv2Host*>(host)->urid(name);
    }
    static int print(LV2_Log_Handle host, LV2_URID, const char* format, ...) {
        std::va_list arguments;
        va_start(arguments, format);
        const int length = printList(host, 0, format, arguments);
        va_end(arguments);
        return length;
    }
    static int printList(LV2_Log_Handle host, LV2_URID, const char* format, std::va_list arguments) {
        std::array<char, 1024> text{};
        const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
        static_cast<Lv2Host*>(host)->logged += text.data();
        return length;
    }
    static LV2_State_Status store(LV2_State_Handle host, std::uint32_t key, const void* value,
                                  std::size_t size, std::uint32_t, std::uint32_t) {
        auto& self = *static_cast<Lv2Host*>(host);
        self.saved_[self.names_.at(key - 1)] = std::string(static_cast<const char*>(value), size);
        return LV2_STATE_SUCCESS;
    }
    static const void* retrieve(LV2_State_Handle host, std::uint32_t key, std::size_t* size,
                                std::uint32_t* type, std::uint32_t* flags) {
        auto& self = *static_cast<Lv2Host*>(host);
        const auto found = self.saved_.find(self.names_.at(key - 1));
        if (found == self.saved_.end()) return nullptr;
        *size = found->second.size();
        *type = self.urid(LV2_ATOM__String);
        *flags = 0;
        return found->second.data();
    }

    std::vector<std::string> names_;
    State saved_;
    std::vector<std::function<void()>> pending_;
    LV2_URID_Map map_{this, &Lv2Host::mapName};
    LV2_Log_Log log_{this, &Lv2Host::print, &Lv2Host::printList};
    LV2_Atom_Forge forge_{};
    std::vector<std::uint64_t> input_ = std::vector<std::uint64_t>(4096), output_ = input_;
    const LV2_Descriptor* descriptor_;
    LV2_Handle handle_ = nullptr;
    bool active_ = false;
};

} // namespace earshot::test
