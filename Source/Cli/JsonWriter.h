// Events as one JSON document: an array with an object per event. Main thread.
#pragma once

#include "Cli/ResultWriter.h"

namespace earshot::cli {

class JsonWriter : public ResultWriter {
  public:
    JsonWriter(OutputStream& output, const std::vector<std::string>& labels)
        : output_(output)
        , labels_(labels) {}

    void begin() override;
    void write(const FileResult& result) override;
    void end() override;

  private:
    OutputStream& output_;
    const std::vector<std::string>& labels_;
    bool empty_ = true; // no event yet
};

} // namespace earshot::cli
