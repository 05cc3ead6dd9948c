// The state of an instance that a project stores, as JSON. The reader is tolerant: it ignores unknown
// members, uses defaults for missing or invalid ones, and reads the known members of a newer version. It
// refuses a text that is no state at all. Pure functions: any thread.
#pragma once

#include "Plugin/Model/ModelChoice.h"
#include "Plugin/Model/WordList.h"
#include "Ui/Control/OutputControl.h"
#include "Ui/ViewState.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace earshot::plugin {

struct PluginState {
    // Of JSON. If the vectors of words would make it longer, they are left out, and the words embedded again.
    // If what was taught to the model still does, it is left out, and the model is found by its file alone.
    static constexpr std::size_t maxBytes = 1 << 20;

    std::map<std::string, float> parameters; // by identifier, in the parameter's own unit
    ModelChoice model;
    WordsState words;
    ui::ViewSettings view; // includes the thresholds of single classes
    ui::OutputSettings outputs;
    bool monitorsInput = false; // only the desktop app uses it

    bool operator==(const PluginState&) const = default;
};

std::string toJson(const PluginState& state);
// Returns null if the text is not a state of Earshot, or too long.
std::optional<PluginState> stateFromJson(std::string_view json);
// Two apps stored what was changed in each since `before`: returns `theirs` with what `mine` changed. Members
// of objects count one by one, but the model and the words as a whole. Returns `mine` if the others are no
// states.
std::string mergedState(const std::string& before, const std::string& mine, const std::string& theirs);

} // namespace earshot::plugin
