// The results of `earshot analyze` on standard output or in one file: a table for people, a document for
// programs. Each recording is written as soon as it is done, so that a waiting reader gets it. Main thread.
#pragma once

#include "Cli/Output/OutputStream.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Formats/EventFormats.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

struct FileResult {
    formats::RecordingEvents recording; // its file as the command line names it
    detection::EventList found;
    std::optional<detection::NearestSound> nearest; // the nearest miss
};

class ResultWriter {
  public:
    virtual ~ResultWriter() = default;

    // Writes the header, once, before the first file.
    virtual void begin() {}
    virtual void write(const FileResult& result) = 0;
    // Completes the document after the last file.
    virtual void end() {}
};

// format: null for a table. explain: the table lists near misses too, with their reasons. `labels` and
// `output` must outlive the writer.
std::unique_ptr<ResultWriter> makeResultWriter(const formats::EventFormat* format, bool explain,
                                               OutputStream& output, const std::vector<std::string>& labels);

} // namespace earshot::cli
