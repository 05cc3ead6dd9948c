#include "Cli/Output/DocumentWriter.h"

namespace earshot::cli {

// What is done can be read at once.
void DocumentWriter::write(const std::string& text) {
    output_.write(text);
    output_.flush();
}

} // namespace earshot::cli
