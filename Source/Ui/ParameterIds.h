// The parameters' identifiers. Hosts store them, so none is ever changed or used again for another parameter.
#pragma once

namespace earshot::ui::parameter {

inline constexpr const char* threshold = "threshold";     // 0 to 1, default 0.40
inline constexpr const char* release = "release";         // 0 to 1 of the threshold, default 0.50
inline constexpr const char* minDuration = "minDuration"; // 0 to 10 s, default 0
inline constexpr const char* mergeGap = "mergeGap";       // 0 to 10 s, default 0
inline constexpr const char* median = "median";           // choice: 1, 3, 5, 7, 9 columns, default 1
inline constexpr const char* mode = "mode";               // choice: Auto, Crop, Repeat
inline constexpr const char* hop = "hop";                 // choice: 1, 2, 4, 8, 16, 32 columns, default 1
inline constexpr const char* midiOut = "midiOut";         // bool, default off
inline constexpr const char* hold = "hold";               // 0 to 10 s, default 1.5
inline constexpr const char* bypass = "bypass";           // bool

} // namespace earshot::ui::parameter
