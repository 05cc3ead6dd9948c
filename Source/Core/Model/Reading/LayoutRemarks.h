// What a checkpoint's network lacks and can do without, and what is done about it; and how it is quantised.
// For users. Pure functions: any thread.
#pragma once

#include <string>
#include <vector>

namespace earshot::model {

class Checkpoint;
struct CheckpointLayout;

// Layers that the architecture may lack, buffers of the published files that are computed instead (not of
// files that state earshot.config, which have none), and tensors in int8 with scales.
std::vector<std::string> remarksOn(const Checkpoint& checkpoint, const CheckpointLayout& layout);

} // namespace earshot::model
