// Events as a document for programs (Core/Formats/ResultDocument.h). Main thread.
#pragma once

#include "Cli/ResultWriter.h"
#include "Core/Formats/ResultDocument.h"

namespace earshot::cli {

// A file's events as documents have them.
formats::RecordingEvents recordingEvents(const FileResult& result, const std::vector<std::string>& labels);

class DocumentWriter : public ResultWriter {
  public:
    DocumentWriter(formats::EventFormat format, OutputStream& output, const std::vector<std::string>& labels)
        : document_(formats::makeDocument(format))
        , output_(output)
        , labels_(labels) {}

    void begin() override;
    void write(const FileResult& result) override;
    void end() override;

  private:
    void write(const std::string& text);

    std::unique_ptr<formats::ResultDocument> document_;
    OutputStream& output_;
    const std::vector<std::string>& labels_;
};

} // namespace earshot::cli
