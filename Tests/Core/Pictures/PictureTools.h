// Reads pictures back: whether an SVG is well-formed XML, and the pixels of PNGs in it.
#pragma once

#include "Core/Pictures/Png.h"

#include <string>
#include <string_view>
#include <vector>

namespace earshot::test {

// Returns the first violation of XML (tags that do not match, unquoted attributes, bare markup, illegal
// characters); empty if there is none.
std::string xmlFault(std::string_view xml);

// The embedded PNG files, in order.
std::vector<std::string> embeddedPngs(std::string_view svg);

// Throws std::runtime_error if it is no PNG.
pictures::ColourImage decodePng(const std::string& file);

} // namespace earshot::test
