#include "Cli/Output/ResultWriter.h"

#include "Cli/Output/DocumentWriter.h"
#include "Cli/Output/TableWriter.h"

namespace earshot::cli {

std::unique_ptr<ResultWriter> makeResultWriter(const WriterOptions& options, OutputStream& output,
                                               const std::vector<std::string>& labels) {
    if (options.format) return std::make_unique<DocumentWriter>(*options.format, output);
    return std::make_unique<TableWriter>(output, labels, options.explain);
}

} // namespace earshot::cli
