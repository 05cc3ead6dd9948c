// The documents of `earshot analyze` and `earshot events`: a table for people, or a format for programs.
// Main thread.
#pragma once

#include "Cli/Output/OutputStream.h"
#include "Core/Formats/EventFormats.h"

#include <memory>

namespace earshot::cli {

// Without `format` it is a table: a heading for each recording, then the times, the sound, and the confidence
// or peak of each event. With `explain` it also lists near misses and why they are no events.
std::unique_ptr<formats::ResultDocument> makeDocument(const formats::EventFormat* format, bool explain,
                                                      const OutputStream& output);

} // namespace earshot::cli
