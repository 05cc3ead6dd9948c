// The models that a host can choose by name: Vamp has no parameters that are text, so each is a "program".
// Any thread.
#pragma once

#include "earshot.h"

#include <memory>
#include <string>
#include <vector>

namespace earshot::vamp {

using Model = std::shared_ptr<const earshot_model>;

// "default", which is EARSHOT_MODEL's file or else Earshot's own, and the model files of one folder, by name:
// that of the environment's EARSHOT_MODELS, else ~/.local/share/earshot/Models. At most 200 of them.
std::vector<std::string> modelNames();

// Instances that use a model at the same time share it. Null if it cannot be opened, and standard error says
// why.
Model sharedModel(const std::string& name);

} // namespace earshot::vamp
