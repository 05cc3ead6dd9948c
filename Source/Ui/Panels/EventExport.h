// The events of the list as documents for other programs, with the times people see. The first three are
// pure; writing is for the message thread.
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

// An event keeps its length even where the host's time line jumped within it.
std::vector<formats::TimedEvent> timedEvents(std::span<const detection::Event> events,
                                             const detection::Labels& labels,
                                             const streaming::TimeMap& times);

// "Time, Sound, Length, Peak" and a line an event, tab-separated, for the clipboard.
std::string clipboardText(std::span<const formats::TimedEvent> events);

// "field recording events.csv", "Earshot events.mid" where there is no recording
juce::String exportName(const juce::File& recording, const formats::EventFormat& format);

// All of it or nothing: a problem leaves an older file as it was. Returns what to tell the user, empty when
// all went well.
juce::String writeDocument(const juce::File& file, const std::string& document);

// A file to drag out, in a folder of its own that only the user may look into; what was left a day ago is
// removed. Its name is what a track will be called. Not existing when it could not be written.
juce::File writeForDragging(const juce::String& name, const std::string& document);

} // namespace earshot::ui
