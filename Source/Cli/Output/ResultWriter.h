// Writes the results of `earshot analyze` to standard output or one file: a table for people, or a document
// for programs. Each recording is written as soon as it is done, and can be read at once. Main thread.
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
    std::optional<detection::NearestSound> nearest; // the sound that came nearest to an event
    std::optional<double> level = {}; // of its loudest second, in dB below full scale (RMS); null: not known
};

class ResultWriter {
  public:
    virtual ~ResultWriter() = default;

    // Writes the header; called once, before the first file.
    virtual void begin() {}
    virtual void write(const FileResult& result) = 0;
    // Completes the document; called after the last file.
    virtual void end() {}
};

// Makes a row for each recording: the names and scores of its `count` likeliest sounds. format: one of
// formats::topFormats().
std::unique_ptr<ResultWriter> makeTopWriter(const std::string& format, int count, OutputStream& output);

// Without `format` the writer makes a table. With `explain` the table also lists near misses and why they are
// no events. `labels` and `output` must outlive the writer.
std::unique_ptr<ResultWriter> makeResultWriter(const formats::EventFormat* format, bool explain,
                                               OutputStream& output, const std::vector<std::string>& labels);

} // namespace earshot::cli
