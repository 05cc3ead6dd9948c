// Decides which clips train and which validate, so that no group (a recording, a session) is in both splits.
// A network recognises a room or a microphone long before it recognises a dog. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/DataSet.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::training {

struct SplitChoice {
    double validShare = 0.2;
    std::uint64_t seed = 1;
};

// decided[i]: the data names clip i's split. That holds unless its group is named in both splits; then the
// group goes to train and is listed. Other clips follow their group. Groups without a named split are drawn
// for valid until each class (and the sounds of no class) has about validShare of its clips there. The same
// clips and seed give the same splits.
void assignSplits(std::vector<Clip>& clips, const std::vector<bool>& decided, int labels,
                  const SplitChoice& choice, std::vector<Problem>& problems);

} // namespace earshot::training
