// Events as a document for programs (Core/Formats/ResultDocument.h). Main thread.
#pragma once

#include "Cli/Output/ResultWriter.h"
#include "Core/Formats/ResultDocument.h"

#include <memory>
#include <string>

namespace earshot::cli {

class DocumentWriter : public ResultWriter {
  public:
    DocumentWriter(formats::EventFormat format, OutputStream& output)
        : document_(formats::makeDocument(format))
        , output_(output) {}

    void begin() override { write(document_->begin()); }
    void write(const FileResult& result) override { write(document_->add(result.recording)); }
    void end() override { write(document_->end()); }

  private:
    void write(const std::string& text);

    std::unique_ptr<formats::ResultDocument> document_;
    OutputStream& output_;
};

} // namespace earshot::cli
