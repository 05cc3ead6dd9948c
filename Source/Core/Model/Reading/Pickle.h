// A restricted reader of Python pickles (protocols 2 to 5), for the description inside a PyTorch checkpoint.
// It executes nothing: names outside a fixed list are refused (PickleGlobals.h), calls of the listed ones
// become plain values. One pickle may come from anyone: input, stack and store are bounded.
// Pure function: any thread. Reference: Lib/pickletools.py of CPython.
#pragma once

#include "Core/Model/Reading/PickleValues.h"

#include <string>
#include <vector>

namespace earshot::model::pickle {

inline constexpr std::size_t largestPickle = 64u << 20; // bytes; published checkpoints take less than 1 MiB

// `file` opens the messages. Throws earshot::Error when the pickle is damaged, too large, or names code that
// is not on the list.
Document parse(std::vector<char> bytes, const std::string& file);

} // namespace earshot::model::pickle
