// What a batch's results depend on, besides its recordings: every setting and the model, as people would name
// them. Results of equal fingerprints may lie in one folder. Plain values: any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace earshot::batch {

// Pairs of name and value, in a fixed order: {"threshold", "0.4"}.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

// "threshold was 0.4 and is 0.5 now, model was ..."; empty for equal ones.
std::string differences(const Fingerprint& before, const Fingerprint& now);

} // namespace earshot::batch
