#include "Cli/ResultWriter.h"

#include "Cli/CsvWriter.h"
#include "Cli/JsonWriter.h"
#include "Cli/TableWriter.h"

namespace earshot::cli {

formats::TimedEvent timedEvent(const FileResult& result, const detection::Event& event,
                               const std::vector<std::string>& labels) {
    return {.file = result.name,
            .onset = event.onset,
            .offset = event.offset,
            .label = labels[static_cast<std::size_t>(event.classIndex)],
            .classIndex = event.classIndex,
            .peak = event.peak,
            .mean = event.mean};
}

std::unique_ptr<ResultWriter> makeResultWriter(const WriterOptions& options, OutputStream& output,
                                               const std::vector<std::string>& labels) {
    switch (options.format) {
    case ResultFormat::csv:
        return std::make_unique<CsvWriter>(output, labels);
    case ResultFormat::json:
        return std::make_unique<JsonWriter>(output, labels);
    case ResultFormat::table:
        break;
    }
    return std::make_unique<TableWriter>(output, labels, options.explain);
}

} // namespace earshot::cli
