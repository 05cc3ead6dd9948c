// The entry point for LV2 hosts. It returns a descriptor of instances of our own (Lv2Instance.h) and another
// state interface, which checks a state before JUCE decodes it. JUCE's own entry point is renamed in this
// library (CMakeLists.txt). Lv2Ui.cpp has the editor's.
#include "Plugin/Lv2/Lv2Instance.h"
#include "Plugin/State/StateText.h"

#include "Ui/CatchAll.h"

#include <lv2/core/lv2.h>
#include <lv2/state/state.h>

#include <cstring>
#include <string_view>

namespace {

using earshot::plugin::isStateText;
using earshot::plugin::Lv2Instance;
using earshot::ui::catchAll;

// Up to the #undef below, `lv2_descriptor` means JUCE's entry point.
const LV2_Descriptor* juceDescriptor() {
    static const LV2_Descriptor* const descriptor = lv2_descriptor(0);
    return descriptor;
}

const LV2_State_Interface* juceState() {
    static const auto* const state =
        static_cast<const LV2_State_Interface*>(juceDescriptor()->extension_data(LV2_STATE__interface));
    return state;
}

Lv2Instance& instanceOf(LV2_Handle handle) { return *static_cast<Lv2Instance*>(handle); }

LV2_Handle instantiate(const LV2_Descriptor*, double rate, const char* bundle,
                       const LV2_Feature* const* features) {
    LV2_Handle handle = nullptr;
    catchAll([&] { handle = Lv2Instance::make(*juceDescriptor(), rate, bundle, features).release(); });
    return handle;
}

void connectPort(LV2_Handle handle, uint32_t port, void* data) { instanceOf(handle).connect(port, data); }
void activate(LV2_Handle handle) {
    catchAll([&] { instanceOf(handle).activate(); });
}
void run(LV2_Handle handle, uint32_t frames) { instanceOf(handle).run(frames); }
void deactivate(LV2_Handle handle) {
    catchAll([&] { instanceOf(handle).deactivate(); });
}
void cleanup(LV2_Handle handle) { delete &instanceOf(handle); }

// The host's function that retrieves a value, and its handle. retrieve() below wraps them for JUCE.
struct Asked {
    LV2_State_Retrieve_Function retrieve;
    LV2_State_Handle handle;
};

// JUCE retrieves the program's number (an int) and the state (a text). A value of another size than an int is
// the text, which is returned only if it is valid.
const void* retrieve(LV2_State_Handle handle, uint32_t key, size_t* size, uint32_t* type, uint32_t* flags) {
    const auto& asked = *static_cast<const Asked*>(handle);
    const void* value = asked.retrieve(asked.handle, key, size, type, flags);
    if (value == nullptr || *size == sizeof(int32_t)) return value;
    return isStateText({static_cast<const char*>(value), *size}) ? value : nullptr;
}

LV2_State_Status restore(LV2_Handle instance, LV2_State_Retrieve_Function hostRetrieve,
                         LV2_State_Handle handle, uint32_t flags, const LV2_Feature* const* features) {
    Asked asked{hostRetrieve, handle};
    LV2_State_Status status = LV2_STATE_ERR_UNKNOWN;
    catchAll([&] {
        status = juceState()->restore(instanceOf(instance).juceHandle(), retrieve, &asked, flags, features);
    });
    return status;
}

LV2_State_Status save(LV2_Handle instance, LV2_State_Store_Function store, LV2_State_Handle handle,
                      uint32_t flags, const LV2_Feature* const* features) {
    LV2_State_Status status = LV2_STATE_ERR_UNKNOWN;
    catchAll([&] {
        status = juceState()->save(instanceOf(instance).juceHandle(), store, handle, flags, features);
    });
    return status;
}

const void* extensionData(const char* uri) {
    static const LV2_State_Interface state{save, restore};
    if (std::strcmp(uri, LV2_STATE__interface) == 0) return &state;
    return juceDescriptor()->extension_data(uri);
}

} // namespace

#undef lv2_descriptor
// NOLINTNEXTLINE(readability-identifier-naming): the name that hosts look for
LV2_SYMBOL_EXPORT const LV2_Descriptor* lv2_descriptor(uint32_t index) {
    if (index != 0 || juceDescriptor() == nullptr) return nullptr;
    static const LV2_Descriptor descriptor{
        juceDescriptor()->URI, instantiate, connectPort, activate, run, deactivate, cleanup, extensionData};
    return &descriptor;
}
