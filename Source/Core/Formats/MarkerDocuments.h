// Documents for programs that edit and play sound: an event is a mark on their time line, of at least a
// millisecond and from 0 on. Their text is one line each (oneLine() in Fields.h); in reaper and audition,
// whose files spreadsheets open too, text that one would run begins with an apostrophe (Core/Base/Csv.h). One
// recording to a document. One thread at a time for each document.
//   reaper    REAPER's Region/Marker Manager: a region R1, R2... for each event, minutes:seconds
//   audition  Adobe Audition's Markers panel: tab-separated, decimal minutes:seconds
//   webvtt    captions, https://www.w3.org/TR/webvtt1: numbered cues by onset
//   midi      MidiFile.h
#pragma once

#include "Core/Formats/ResultDocument.h"

namespace earshot::formats {

std::unique_ptr<ResultDocument> reaperDocument();
std::unique_ptr<ResultDocument> auditionDocument();
std::unique_ptr<ResultDocument> webvttDocument();
std::unique_ptr<ResultDocument> midiDocument(const MidiMap& map);

} // namespace earshot::formats
