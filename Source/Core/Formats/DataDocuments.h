// Documents for programs that read tables and objects. One thread at a time for each document.
//   csv    RFC 4180: file, onset_s, offset_s, label, class_index, peak, mean, confidence (empty where
//   thresholds
//          decided); text that a spreadsheet would run begins with an apostrophe (Core/Base/Csv.h)
//   json   an array of objects with the same names
//   jsonl  the same objects, one on each line (https://jsonlines.org)
// Bytes that are not UTF-8 become U+FFFD: names that differ in such bytes alone look the same.
#pragma once

#include "Core/Formats/ResultDocument.h"

namespace earshot::formats {

std::unique_ptr<ResultDocument> csvDocument();
std::unique_ptr<ResultDocument> jsonDocument();
std::unique_ptr<ResultDocument> jsonLinesDocument();

} // namespace earshot::formats
