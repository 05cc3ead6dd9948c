// Makes the documents of the formats' table (EventFormats.h) and defines their contents. Fields.h and
// Core/Base/Csv.h replace text that would break a document. Only midi uses `map`. Any thread; one thread at a
// time uses a document.
#pragma once

#include "Core/Formats/EventFormats.h"

namespace earshot::formats {

// Makes a document of a header and the result of `lines` for each recording.
std::unique_ptr<ResultDocument> lineDocument(std::string_view header,
                                             std::string (*lines)(const RecordingEvents& recording));

// Formats for programs that read tables and objects. Bytes that are not UTF-8 become U+FFFD, so names that
// differ only in such bytes look the same.
//   csv    RFC 4180: file, onset_s, offset_s, label, class_index, peak, mean, confidence (empty if
//          thresholds decided), channel (from 1; empty for the mix), onset_time (ISO 8601, empty if the
//          recording's start is not known); text that a spreadsheet would run begins with an apostrophe
//   json   an array of objects with the same names
//   jsonl  the same objects, one on each line (https://jsonlines.org)
std::unique_ptr<ResultDocument> csvDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> jsonDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> jsonLinesDocument(const MidiMap& map);

// Formats for programs that annotate and evaluate recordings. Each text becomes one line (oneLine()). In
// raven and dcase, double quotes become single ones, because readers of such tables would join rows over
// them. In kaleidoscope, text that a spreadsheet would run begins with an apostrophe; the others keep it,
// because their readers compare names. Onsets before 0 become 0, except in audacity. audacity and dcase have
// no column for channels: the label names one that was chosen.
//   audacity      Audacity's label track: onset, offset, label, tab-separated, seconds
//   raven         Raven Pro's selection table, tab-separated. Begin Time and End Time count from the start of
//                 the sequence of recordings that Raven opens as one sound, File Offset from the start of the
//                 recording. Channel 1 also stands for the recording's mix. Begin Path is absolute where it
//                 is known. Begin Date (2026/10/25) and Begin Clock Time are the event's, and empty if the
//                 recording's start is not known.
//   dcase         the table that DCASE's task 4 and sed_eval read: filename, onset, offset, event_label,
//                 tab-separated, seconds
//   kaleidoscope  columns of Kaleidoscope Pro's cluster.csv, which its viewer opens: the recording's path
//                 (INDIR/FOLDER/IN FILE; INDIR is absolute and the same for all recordings of a run, where
//                 it is known), seconds, the event's DATE, TIME and HOUR (empty if the recording's start is
//                 not known), the class (TOP1MATCH) and the sound's distance from it (TOP1DIST: 1 - peak);
//                 MANUAL ID is empty for users to fill in. CHANNEL counts from 0, which also stands for the
//                 mix.
std::unique_ptr<ResultDocument> audacityDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> ravenDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> dcaseDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> kaleidoscopeDocument(const MidiMap& map);

// Formats for programs that edit and play sound: an event is a mark on their time line, from 0 on and at
// least a millisecond long. Each text becomes one line. Spreadsheets also open files of reaper and audition,
// so text that a spreadsheet would run begins with an apostrophe there. Each document holds one recording.
//   reaper    REAPER's Region/Marker Manager: a region R1, R2... for each event, minutes:seconds
//   audition  Adobe Audition's Markers panel: tab-separated, decimal minutes:seconds
//   webvtt    captions, https://www.w3.org/TR/webvtt1: numbered cues by onset
//   midi      a Standard MIDI File (format 0), https://midi.org/standard-midi-files-specification. A text
//             event names each sound at its onset. Overlapping events of the same note become one note with
//             the highest velocity; each note lasts at least a tick (1 ms).
std::unique_ptr<ResultDocument> reaperDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> auditionDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> webvttDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> midiDocument(const MidiMap& map);

} // namespace earshot::formats
