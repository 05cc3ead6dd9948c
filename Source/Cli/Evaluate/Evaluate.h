// `earshot evaluate [MODEL] --data PATH...`: how well a model's detections agree with labelled recordings.
#pragma once

#include "Cli/Command.h"

namespace earshot::cli {

Command makeEvaluateCommand(CLI::App& program);

} // namespace earshot::cli
