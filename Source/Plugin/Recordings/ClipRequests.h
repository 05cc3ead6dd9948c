// What the engine's cutter needs of the views' requests. Any thread.
#pragma once

#include "Core/Batch/Cutting.h"
#include "Ui/Control/ClipControl.h"

#include <filesystem>
#include <vector>

namespace earshot::plugin {

std::filesystem::path pathOf(const juce::File& file);
batch::CutSettings settingsFor(const ui::ClipRequest& request);
// Numbered by onset, as those of a table are.
std::vector<batch::CutEvent> eventsOf(const ui::ClipRequest& request);

} // namespace earshot::plugin
