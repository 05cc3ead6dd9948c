// The entry point for the windows of LV2 hosts. It returns JUCE's descriptor. Where a host names no scale,
// which JUCE takes for 1, the desktop's is named for it.
//
// A host on GTK 3 (by suil) counts a window in the desktop's logical pixels, and then gives it as many
// physical ones: a half of its place at a scale of 2. So it is asked for logical pixels, and the window takes
// its place. JUCE's own entry point is renamed in this library (CMakeLists.txt). Message thread.
#include "Plugin/Lv2/Lv2Instance.h"
#include "Plugin/Window/SystemScale.h"
#include "Ui/CatchAll.h"

#include <juce_core/juce_core.h>
#include <lv2/atom/atom.h>
#include <lv2/instance-access/instance-access.h>
#include <lv2/options/options.h>
#include <lv2/ui/ui.h>
#include <lv2/urid/urid.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace {

using earshot::plugin::Desktop;
using earshot::ui::catchAll;

// Up to the #undef below, `lv2ui_descriptor` means JUCE's entry point.
const LV2UI_Descriptor& juceUi() {
    static const LV2UI_Descriptor* const descriptor = lv2ui_descriptor(0);
    return *descriptor;
}

const LV2UI_Idle_Interface& juceIdle() {
    static const auto* const idle =
        static_cast<const LV2UI_Idle_Interface*>(juceUi().extension_data(LV2_UI__idleInterface));
    return *idle;
}

void* dataOf(const LV2_Feature* const* features, const char* uri) {
    for (; features != nullptr && *features != nullptr; ++features)
        if (std::strcmp((*features)->URI, uri) == 0) return (*features)->data;
    return nullptr;
}

bool hostIsGtk3() {
    juce::DynamicLibrary program{juce::String()};
    return program.getFunction("gdk_window_get_scale_factor") != nullptr;
}

std::uint32_t idOf(const void* window) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(window));
}

// A window whose host names no scale, on a desktop that has one.
struct ScaledUi {
    Desktop desktop;
    int scale = 1;
    const LV2UI_Resize* host = nullptr; // what the host resizes it with; may be null
    bool logical = false;               // the host counts logical pixels
    std::uint32_t parent = 0, window = 0;

    int inHost(int pixels) const { return logical ? (pixels + scale - 1) / scale : pixels; }

    static int resize(LV2UI_Feature_Handle handle, int width, int height) {
        const auto& ui = *static_cast<const ScaledUi*>(handle);
        return ui.host->ui_resize(ui.host->handle, ui.inHost(width), ui.inHost(height));
    }
    LV2UI_Resize ours{this, resize};

    // The host makes room for as many logical pixels as the window has physical ones when it first sees it.
    void shrink() const {
        const auto size = logical ? desktop.sizeOf(window) : std::nullopt;
        if (size) desktop.resize(window, {inHost(size->width), inHost(size->height)});
    }

    // Takes the place that the host has for the window.
    void fill() const {
        constexpr int minWidth = 320, minHeight = 180; // logical; a smaller place is not laid out yet
        const auto place = logical ? desktop.sizeOf(parent) : std::nullopt;
        if (!place || place->width < scale * minWidth || place->height < scale * minHeight) return;
        if (desktop.sizeOf(window) != place) desktop.resize(window, *place);
    }
};

std::map<LV2UI_Handle, std::unique_ptr<ScaledUi>>& scaledUis() {
    static std::map<LV2UI_Handle, std::unique_ptr<ScaledUi>> all;
    return all;
}

// The host's options and the scale behind them; empty: the host has named one.
std::vector<LV2_Options_Option> withScale(const LV2_Options_Option* options, const LV2_URID_Map& map,
                                          const float& scale) {
    const auto key = map.map(map.handle, LV2_UI__scaleFactor);
    std::vector<LV2_Options_Option> all;
    for (; options != nullptr && options->key != 0; ++options) {
        if (options->key == key) return {};
        all.push_back(*options);
    }
    all.push_back(
        {LV2_OPTIONS_INSTANCE, 0, key, sizeof(float), map.map(map.handle, LV2_ATOM__Float), &scale});
    all.push_back({});
    return all;
}

// The host's features, with JUCE's instance instead of ours.
struct JuceFeatures {
    explicit JuceFeatures(const LV2_Feature* const* features) {
        if (auto* instance = dataOf(features, LV2_INSTANCE_ACCESS_URI))
            access.data = static_cast<earshot::plugin::Lv2Instance*>(instance)->juceHandle();
        for (; features != nullptr && *features != nullptr; ++features)
            all.push_back(std::strcmp((*features)->URI, access.URI) == 0 ? &access : *features);
        all.push_back(nullptr);
    }

    LV2_Feature access{LV2_INSTANCE_ACCESS_URI, nullptr};
    std::vector<const LV2_Feature*> all;
};

LV2UI_Handle instantiate(const LV2UI_Descriptor*, const char* plugin, const char* bundle,
                         LV2UI_Write_Function write, LV2UI_Controller controller, LV2UI_Widget* widget,
                         const LV2_Feature* const* hostFeatures) {
    LV2UI_Handle handle = nullptr;
    catchAll([&] {
        const JuceFeatures offered(hostFeatures);
        const LV2_Feature* const* features = offered.all.data();
        auto ui = std::make_unique<ScaledUi>();
        ui->scale = ui->desktop.scale();
        const auto scale = static_cast<float>(ui->scale);
        std::vector<LV2_Options_Option> options;
        const auto* map = static_cast<const LV2_URID_Map*>(dataOf(features, LV2_URID__map));
        if (map != nullptr && ui->scale > 1)
            options = withScale(
                static_cast<const LV2_Options_Option*>(dataOf(features, LV2_OPTIONS__options)), *map, scale);
        if (options.empty()) {
            handle = juceUi().instantiate(&juceUi(), plugin, bundle, write, controller, widget, features);
            return;
        }
        ui->host = static_cast<const LV2UI_Resize*>(dataOf(features, LV2_UI__resize));
        ui->parent = idOf(dataOf(features, LV2_UI__parent));
        ui->logical = hostIsGtk3();
        const LV2_Feature scaled{LV2_OPTIONS__options, options.data()}, resize{LV2_UI__resize, &ui->ours};
        std::vector<const LV2_Feature*> ours{&scaled};
        if (ui->host != nullptr) ours.push_back(&resize);
        for (; *features != nullptr; ++features)
            if (std::strcmp((*features)->URI, LV2_OPTIONS__options) != 0 &&
                std::strcmp((*features)->URI, LV2_UI__resize) != 0)
                ours.push_back(*features);
        ours.push_back(nullptr);
        handle = juceUi().instantiate(&juceUi(), plugin, bundle, write, controller, widget, ours.data());
        if (handle == nullptr) return;
        ui->window = idOf(*widget);
        ui->shrink();
        scaledUis()[handle] = std::move(ui);
    });
    return handle;
}

void cleanup(LV2UI_Handle handle) {
    juceUi().cleanup(handle);
    scaledUis().erase(handle);
}

int idle(LV2UI_Handle handle) {
    catchAll([&] {
        const auto& all = scaledUis();
        if (const auto found = all.find(handle); found != all.end()) found->second->fill();
    });
    return juceIdle().idle(handle);
}

const void* extensionData(const char* uri) {
    static const LV2UI_Idle_Interface ours{idle};
    return std::strcmp(uri, LV2_UI__idleInterface) == 0 ? &ours : juceUi().extension_data(uri);
}

} // namespace

#undef lv2ui_descriptor
// NOLINTNEXTLINE(readability-identifier-naming): the name that hosts look for
LV2_SYMBOL_EXPORT const LV2UI_Descriptor* lv2ui_descriptor(uint32_t index) {
    if (index != 0) return nullptr;
    static const LV2UI_Descriptor descriptor = [] {
        LV2UI_Descriptor ours = juceUi();
        ours.instantiate = instantiate;
        ours.cleanup = cleanup;
        ours.extension_data = extensionData;
        return ours;
    }();
    return &descriptor;
}
