// The attention windows for which V2's biases were trained. They show in no shape, but in the largest value
// of each stage's relative_coords_table, where a file has them. One thread at a time for each checkpoint.
#pragma once

#include "Core/Model/Reading/ConfigReader.h"

#include <string>
#include <vector>

namespace earshot::model {

// Their sides by stage; empty if a stage's table is missing. Throws earshot::Error for a table of another
// shape, or with the distances of no attention window.
std::vector<int> readPretrainedSides(Checkpoint& checkpoint, const std::string& prefix, int stages);

// Completes a config of V2 blocks with them where they are not its own windows. Throws as above, for tables
// of another attention window, and if the config states other sides.
void completePretrainedSides(Checkpoint& checkpoint, CheckpointLayout& layout);

} // namespace earshot::model
