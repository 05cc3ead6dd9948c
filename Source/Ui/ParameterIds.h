// The parameters' identifiers. Hosts store them, so none is ever changed or used again for another parameter.
#pragma once

namespace earshot::ui::parameter {

inline constexpr const char* sensitivity = "sensitivity"; // -6 to 6 logits, default 0
inline constexpr const char* release = "release";         // 0 to 1 of the threshold, default 0.50
inline constexpr const char* minDuration = "minDuration"; // 0 to 10 s, default 0
inline constexpr const char* mergeGap = "mergeGap";       // 0 to 10 s, default 0
inline constexpr const char* mode = "mode";               // choice: Auto, Crop, Repeat
inline constexpr const char* midiOut = "midiOut";         // bool, default off
inline constexpr const char* hold = "hold";               // 0 to 10 s, default 1.5
inline constexpr const char* bypass = "bypass";           // bool
// choice: Auto, 0.08, 0.16 ... 10.24 s, default Auto
inline constexpr const char* hopSeconds = "hopSeconds";
// choice: Off, 0.24, 0.4, 0.56, 0.96, 1.6, 2.24, 2.88 s, default Off
inline constexpr const char* medianSeconds = "medianSeconds";
inline constexpr const char* channel = "channel"; // choice: Mix, 1 to 16, Each; default Mix

// Of older versions. Values that hosts automate or restore go to the sensitivity.
inline constexpr const char* threshold = "threshold"; // 0 to 1, default 0.40
// In columns of 0.32 s. Values that hosts automate or restore go to those in seconds.
inline constexpr const char* median = "median"; // choice: 1, 3, 5, 7, 9 columns, default 1
inline constexpr const char* hop = "hop";       // choice: 1, 2, 4, 8, 16, 32 columns, default 1

} // namespace earshot::ui::parameter
