// Events as CSV (RFC 4180 quoting): a header line once, then one line per event. Main thread.
#pragma once

#include "Cli/ResultWriter.h"

namespace earshot::cli {

class CsvWriter : public ResultWriter {
  public:
    CsvWriter(OutputStream& output, const std::vector<std::string>& labels)
        : output_(output)
        , labels_(labels) {}

    void begin() override;
    void write(const FileResult& result) override;

  private:
    OutputStream& output_;
    const std::vector<std::string>& labels_;
};

} // namespace earshot::cli
