// The documents of the formats' table (EventFormats.h), and what each holds. Fields.h and Core/Base/Csv.h
// make text safe that would break a document. `map` is for midi alone.
#pragma once

#include "Core/Formats/EventFormats.h"

namespace earshot::formats {

// A document of a header and, for each recording, the lines that `lines` returns.
std::unique_ptr<ResultDocument> lineDocument(std::string_view header,
                                             std::string (*lines)(const RecordingEvents& recording));

// For programs that read tables and objects. Bytes that are not UTF-8 become U+FFFD: names that differ in
// such bytes alone look the same.
//   csv    RFC 4180: file, onset_s, offset_s, label, class_index, peak, mean, confidence (empty where
//          thresholds decided); text that a spreadsheet would run begins with an apostrophe
//   json   an array of objects with the same names
//   jsonl  the same objects, one on each line (https://jsonlines.org)
std::unique_ptr<ResultDocument> csvDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> jsonDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> jsonLinesDocument(const MidiMap& map);

// For programs that annotate and evaluate recordings. Their text is one line each (oneLine()), in raven and
// dcase without double quotes, which become single ones: readers of such tables would join rows over them. In
// kaleidoscope, text that a spreadsheet would run begins with an apostrophe; the others keep it, as their
// readers compare names. What begins before 0 begins at 0, but for Audacity.
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
std::unique_ptr<ResultDocument> audacityDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> ravenDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> dcaseDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> kaleidoscopeDocument(const MidiMap& map);

// For programs that edit and play sound: an event is a mark on their time line, of at least a millisecond and
// from 0 on. Their text is one line each; in reaper and audition, whose files spreadsheets open too, text
// that one would run begins with an apostrophe. One recording to a document.
//   reaper    REAPER's Region/Marker Manager: a region R1, R2... for each event, minutes:seconds
//   audition  Adobe Audition's Markers panel: tab-separated, decimal minutes:seconds
//   webvtt    captions, https://www.w3.org/TR/webvtt1: numbered cues by onset
//   midi      a Standard MIDI File (format 0), https://midi.org/standard-midi-files-specification. A text
//             event names each sound at its onset. Events of one note that overlap are one note, as loud as
//             the loudest; each lasts at least a tick (1 ms).
std::unique_ptr<ResultDocument> reaperDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> auditionDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> webvttDocument(const MidiMap& map);
std::unique_ptr<ResultDocument> midiDocument(const MidiMap& map);

} // namespace earshot::formats
