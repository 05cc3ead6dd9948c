// What a project keeps of an instance, as JSON. Read tolerantly: what is unknown is ignored, what is missing
// or makes no sense has its default, a newer version is read as far as it is understood. What is no state at
// all is refused whole. Pure functions: any thread.
#pragma once

#include "Plugin/ModelChoice.h"
#include "Ui/Controller.h"
#include "Ui/ViewState.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace earshot::plugin {

struct PluginState {
    static constexpr std::size_t mostBytes = 1 << 20; // of JSON

    std::map<std::string, float> parameters; // by identifier, in the parameter's own unit
    ModelChoice model;
    ui::ViewSettings view; // with the thresholds of single classes
    ui::OutputSettings outputs;
    bool monitorsInput = false; // the desktop app

    bool operator==(const PluginState&) const = default;
};

std::string toJson(const PluginState& state);
// Nothing when it is not a state of Earshot's: no JSON, or too long.
std::optional<PluginState> stateFromJson(std::string_view json);

} // namespace earshot::plugin
