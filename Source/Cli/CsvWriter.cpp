#include "Cli/CsvWriter.h"

namespace earshot::cli {

void CsvWriter::begin() {
    output_.write(formats::csvHeader());
    output_.flush();
}

void CsvWriter::write(const FileResult& result) {
    for (const detection::Event& event : result.found.events)
        output_.write(formats::csvLine(timedEvent(result, event, labels_)));
    output_.flush();
}

} // namespace earshot::cli
