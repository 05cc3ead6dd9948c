#include "Cli/ResultWriter.h"

#include "Cli/DocumentWriter.h"
#include "Cli/TableWriter.h"

namespace earshot::cli {

std::unique_ptr<ResultWriter> makeResultWriter(const WriterOptions& options, OutputStream& output,
                                               const std::vector<std::string>& labels) {
    switch (options.format) {
    case ResultFormat::csv:
        return std::make_unique<DocumentWriter>(formats::EventFormat::csv, output, labels);
    case ResultFormat::json:
        return std::make_unique<DocumentWriter>(formats::EventFormat::json, output, labels);
    case ResultFormat::table:
        break;
    }
    return std::make_unique<TableWriter>(output, labels, options.explain);
}

} // namespace earshot::cli
