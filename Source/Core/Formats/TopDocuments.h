// Documents that say what is in each recording: a row or an object a recording, with the names and scores of
// its likeliest sounds (RecordingEvents::top). They join recordings. Any thread; one thread at a time uses a
// document.
//   table  for people: "dawn.wav  Bird 0.92, Rain 0.31"
//   csv    file, label_1, score_1, label_2, score_2 ...; RFC 4180, empty where a recording has fewer sounds
//   json   an array of objects {"file", "top": [{"label", "class_index", "score"}]}
//   jsonl  the same objects, one on each line
#pragma once

#include "Core/Formats/EventFormats.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::formats {

// "table", "csv", "json", "jsonl"
std::vector<std::string> topFormats();
// count: of sounds, 1 to maxTopSounds. Returns null if no such document has that name.
std::unique_ptr<ResultDocument> makeTopDocument(std::string_view format, int count);

// "3 0.91 Dog": the likeliest sounds of a recording with their class indexes and scores, one a line, as
// journals keep them.
std::string topText(const std::vector<SoundScore>& top);
// The text may be a stranger's: lines that make no sense are left out.
std::vector<SoundScore> parseTopText(std::string_view text);

} // namespace earshot::formats
