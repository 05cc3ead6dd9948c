// An SVG drawing as pixels. Any thread. The only user of librsvg and cairo is Rendering.cpp; where they are
// not installed, Earshot is built without.
#pragma once

#include "Core/Pictures/Png.h"

#include <string_view>

namespace earshot::pictures {

bool canRender();

// At the size that the drawing states. Throws earshot::Error when this build cannot.
ColourImage render(std::string_view svg);

} // namespace earshot::pictures
