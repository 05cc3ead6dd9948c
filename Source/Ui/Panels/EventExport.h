// The listed events as documents for other programs, with the times that the user sees. The first two
// functions are pure; writing is for the message thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Formats/EventFormats.h"
#include "Core/Streaming/TimeMap.h"

#include <juce_core/juce_core.h>

#include <span>
#include <string>
#include <vector>

namespace earshot::ui {

// An event keeps its length even where the host's time line jumps within it.
std::vector<formats::TimedEvent> timedEvents(std::span<const detection::Event> events,
                                             const detection::Labels& labels,
                                             const streaming::TimeMap& times);

// The events as a table with tabs, for a spreadsheet: the recording, the date and time if they are known,
// onset, offset and length in seconds, sound, and confidence, or peak where thresholds decided.
std::string tabTable(const formats::RecordingEvents& recording);

// "field recording events.csv"; "Earshot events.mid" when no recording is open.
juce::String exportName(const juce::File& recording, const formats::EventFormat& format);

// Writes the whole file or nothing: after a failure, an older file is as it was. Returns a text for the user,
// or an empty one on success.
juce::String writeDocument(const juce::File& file, const std::string& document);

// A new folder for files to drag out, which only the user may read; one that does not exist if it could not
// be made. Any thread.
juce::File newDragFolder();
// Writes a file to drag out, into a folder that only the user may read. Files older than a day are removed
// from it. The file's name becomes the name of a DAW's track. Returns a file that does not exist if it could
// not be written.
juce::File writeForDragging(const juce::String& name, const std::string& document);

} // namespace earshot::ui
