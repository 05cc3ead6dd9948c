#include "Cli/ResultWriter.h"

#include "Cli/DocumentWriter.h"
#include "Cli/TableWriter.h"

namespace earshot::cli {

std::unique_ptr<ResultWriter> makeResultWriter(const WriterOptions& options, OutputStream& output,
                                               const std::vector<std::string>& labels) {
    if (options.format) return std::make_unique<DocumentWriter>(*options.format, output);
    return std::make_unique<TableWriter>(output, labels, options.explain);
}

} // namespace earshot::cli
