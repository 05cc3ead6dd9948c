// A restricted reader of Python pickles (protocols 2 to 5), for the description inside a PyTorch checkpoint.
// It executes nothing: it refuses names outside a fixed list (PickleGlobals.h) and turns calls of listed
// names into plain values. Input, stack and store are bounded, because a pickle may come from anyone. Pure
// function: any thread. Reference: Lib/pickletools.py of CPython.
#pragma once

#include "Core/Model/Reading/PickleValues.h"

#include <string>
#include <vector>

namespace earshot::model::pickle {

inline constexpr std::size_t maxPickleBytes = 64u << 20; // bytes; published checkpoints take less than 1 MiB

// Throws earshot::Error, beginning with `file`, if the pickle is damaged, is too large, or names code that is
// not on the list.
Document parse(std::vector<char> bytes, const std::string& file);

} // namespace earshot::model::pickle
