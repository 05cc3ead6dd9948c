// Events for people: a heading per file, then when, how long, what, and how sure. Main thread.
#pragma once

#include "Cli/Output/ResultWriter.h"

namespace earshot::cli {

class TableWriter : public ResultWriter {
  public:
    // `explain`: also lists the near misses, each with its reason.
    TableWriter(OutputStream& output, const std::vector<std::string>& labels, bool explain);

    void write(const FileResult& result) override;

  private:
    const std::string& label(const detection::Event& event) const;
    std::string styled(const char* style, const std::string& text) const;
    std::string heading(const FileResult& result) const;
    std::string eventLines(const FileResult& result) const;
    std::string nearMissLines(const FileResult& result) const;
    std::string nothingHeard(const FileResult& result) const;

    OutputStream& output_;
    const std::vector<std::string>& labels_;
    bool explain_;
    bool colour_;
    bool first_ = true; // no file written yet
};

} // namespace earshot::cli
