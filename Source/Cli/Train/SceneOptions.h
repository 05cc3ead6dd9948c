// How dense and how loud mixed scenes are, for `earshot train` and `earshot evaluate --scenes`. Filled by the
// command line.
#pragma once

#include "Core/Training/Scenes/SceneSettings.h"

#include <string>

namespace CLI {
class App;
}

namespace earshot::cli {

struct SceneOptions {
    int maxEvents = 4;         // in 10 s
    double lowestSnr = -3.0;   // dB
    double levelSpread = 12.0; // dB

    void applyTo(training::SceneSettings& settings) const;
};

// Declares them on the subcommand; `options` must outlive the parsing.
void declareSceneOptions(CLI::App& command, SceneOptions& options, const std::string& group);

} // namespace earshot::cli
