// The results of `earshot analyze` for people (table) and for programs (CSV, JSON). Each file is written, and
// can be read by whoever waits for it, as soon as it is done. Main thread.
#pragma once

#include "Cli/OutputStream.h"
#include "Core/Detection/Events.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::cli {

enum class ResultFormat { table, csv, json };

// What came nearest to being heard where nothing was.
struct NearestSound {
    int classIndex = 0;
    float peak = 0.0f;      // probability
    double time = 0.0;      // seconds
    float threshold = 0.0f; // that it would have had to reach
};

struct FileResult {
    std::string name; // as given on the command line
    double seconds = 0.0;
    int sampleRate = 0; // Hz
    int channels = 0;
    bool complete = true; // false: damaged, or stopped by the user
    detection::EventList found;
    std::optional<NearestSound> nearest; // set when there are no events
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

struct WriterOptions {
    ResultFormat format = ResultFormat::table;
    bool explain = false; // near misses too; table only
};

// `labels` and `output` must outlive the writer.
std::unique_ptr<ResultWriter> makeResultWriter(const WriterOptions& options, OutputStream& output,
                                               const std::vector<std::string>& labels);

} // namespace earshot::cli
