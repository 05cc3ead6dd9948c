// Which events and near misses a lane has. Pure functions over the view model. Message thread.
#pragma once

#include "Ui/HistoryViewModel.h"

#include <optional>

namespace earshot::ui {

// The event or near miss of a class at a time in seconds.
std::optional<detection::Event> spanAt(const HistoryViewModel& viewModel, int classIndex, double seconds);
// The first event or near miss of a class that begins after a time, or the last that begins before it.
std::optional<detection::Event> nextSpan(const HistoryViewModel& viewModel, int classIndex, double seconds,
                                         bool after);

} // namespace earshot::ui
