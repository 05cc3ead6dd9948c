// Tables of labels as people and programs store them, read as one kind of row. Pure functions: any thread.
//
//   Earshot     CSV, JSON and JSON Lines of `earshot analyze`, and the columns of DataSet.h
//   Raven       selection tables: Begin Path or Begin File with File Offset (s), one row for each selection,
//               whatever views it is shown in (https://www.ravensoundsoftware.com)
//   Audacity    label tracks: onset, offset, label; lines that begin with a backslash have the frequencies
//               (https://manual.audacityteam.org/man/importing_and_exporting_labels.html)
//   DCASE       filename, onset, offset, event_label (or event_labels, "a,b", without times), with or without
//   a
//               line that names the columns; DESED's and sed_eval's (https://dcase.community)
//   Kaleidoscope  INDIR, FOLDER, IN FILE, OFFSET, DURATION and MANUAL ID, else AUTO ID or TOP1MATCH
//   others      tables whose columns have the names that columnsOf() knows: BirdNET, OpenSoundscape,
//   crowsetta
//
// Fields are separated by commas, semicolons or tabs (Base/Csv.h); times are parseSeconds()'s.
#pragma once

#include "Core/Training/Data/DataSet.h"
#include "Core/Training/Data/LabelColumns.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::training {

struct LabelRow {
    int line = 0;              // from 1 on; of JSON, the object's number
    std::string file;          // as the table names it, with '/'; empty: it names none
    bool mayHaveMoved = false; // its folders are those of another program or machine
    std::vector<std::string> labels;
    std::optional<TimeSpan> span;
    // How sure a program was of the sound, where the table says it: Earshot's "peak", and "confidence", which
    // others write too; of Kaleidoscope, 1 - TOP1DIST.
    std::optional<double> peak, confidence;
    std::string split, group, kind, licence, author, source;
};

struct LabelTable {
    std::vector<LabelRow> rows;
    bool namesFiles = true;        // false: all rows are of the recording that has the table's name
    bool timed = false;            // it has columns of times
    bool counterExamples = false;  // it has a column "not", as collections have
    const char* unit = "line";     // what LabelRow::line counts
    std::vector<Problem> problems; // of rows that are not in `rows`, and notes
};

// file: the table's, for messages and kinds of table. labelColumn: the column of the labels; empty: the first
// that is known and has any. Throws earshot::Error, naming the file, for what is no such table, and for a
// quotation mark that is never closed.
LabelTable parseLabelTable(std::string_view text, const std::filesystem::path& file,
                           std::string_view labelColumn);

} // namespace earshot::training
