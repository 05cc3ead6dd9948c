// `earshot embed --texts`: writes lines of text as vectors of a CLAP model's text half. Main thread.
#pragma once

#include "Cli/Options.h"
#include "Core/Model/Precision/Precision.h"

#include <string>

namespace earshot::cli {

struct TextsToEmbed {
    std::string texts; // file, UTF-8, one text a line
    ModelOptions model;
    std::string output; // NPY, float32 (texts, dimensions)
    bool overwrite = false;
    int threads = 1;
    model::Precision precision = model::Precision::float32;
    bool quiet = false;
};

// Returns the exit code.
int embedTexts(const TextsToEmbed& options);

} // namespace earshot::cli
