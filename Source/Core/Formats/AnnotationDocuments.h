// Documents for programs that annotate and evaluate recordings. Their text is one line each (oneLine() in
// Fields.h), in raven and dcase without double quotes, which become single ones: readers of such tables would
// join rows over them. In kaleidoscope, text that a spreadsheet would run begins with an apostrophe
// (Core/Base/Csv.h); the others keep it, as their readers compare names. What begins before 0 begins at 0,
// but for Audacity. One thread at a time for each document.
//   audacity      Audacity's label track: onset, offset, label, tab-separated, seconds
//   raven         Raven Pro's selection table, tab-separated. Begin Time and End Time run along the sequence
//                 of recordings that Raven opens as one sound, File Offset along the recording itself. Events
//                 are of the recording's mix: channel 1 stands for it.
//   dcase         what DCASE's task 4 and sed_eval read: filename, onset, offset, event_label, tab-separated,
//                 seconds
//   kaleidoscope  columns of Kaleidoscope Pro's cluster.csv, which its viewer opens: where the recording lies
//                 (INDIR/FOLDER/IN FILE), seconds, the class (TOP1MATCH) and how far from it the sound is
//                 (TOP1DIST: 1 - peak); MANUAL ID is empty, for people to fill in. CHANNEL 0 stands for the
//                 mix.
#pragma once

#include "Core/Formats/ResultDocument.h"

namespace earshot::formats {

std::unique_ptr<ResultDocument> audacityDocument();
std::unique_ptr<ResultDocument> ravenDocument();
std::unique_ptr<ResultDocument> dcaseDocument();
std::unique_ptr<ResultDocument> kaleidoscopeDocument();

} // namespace earshot::formats
