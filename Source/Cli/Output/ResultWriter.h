// The results of `earshot analyze` on standard output or in one file: for people (table) and for programs (a
// document). Each recording is written, and can be read by whoever waits for it, as soon as it is done. Main
// thread.
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
    formats::RecordingEvents recording; // its file as given on the command line
    detection::EventList found;
    std::optional<detection::NearestSound> nearest; // to being heard
};

class ResultWriter {
  public:
    virtual ~ResultWriter() = default;

    // Header, once, before the first file.
    virtual void begin() {}
    virtual void write(const FileResult& result) = 0;
    // After the last file: the document is complete.
    virtual void end() {}
};

// format: null for a table. explain: the table lists the near misses too, each with its reason. `labels` and
// `output` must outlive the writer.
std::unique_ptr<ResultWriter> makeResultWriter(const formats::EventFormat* format, bool explain,
                                               OutputStream& output, const std::vector<std::string>& labels);

} // namespace earshot::cli
