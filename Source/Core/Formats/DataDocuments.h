// Documents for programs that read tables and objects. One thread at a time for each document.
//   csv    RFC 4180: file, onset_s, offset_s, label, class_index, peak, mean; text keeps its bytes
//   json   an array of objects with the same names
//   jsonl  the same objects, one on each line (https://jsonlines.org)
// In JSON, bytes that are not UTF-8 become U+FFFD.
#pragma once

#include "Core/Formats/ResultDocument.h"

namespace earshot::formats {

std::unique_ptr<ResultDocument> csvDocument();
std::unique_ptr<ResultDocument> jsonDocument();
std::unique_ptr<ResultDocument> jsonLinesDocument();

} // namespace earshot::formats
