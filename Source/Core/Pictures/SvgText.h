// Text from outside, made fit for an SVG and for the room there is. Pure functions: any thread.
#pragma once

#include <string>
#include <string_view>

namespace earshot::pictures {

struct Type {
    double size = 12.0; // pixels, an em
    bool bold = false;
};

// As XML text: markup is escaped, and what XML cannot hold is '?'.
std::string escaped(std::string_view text);

// Pixels in Inter, near enough to tell what fits; whoever opens an SVG may have another font.
double textWidth(std::string_view text, const Type& type);

// Cut with an ellipsis at its end, or in its middle (so that a file's suffix stays), to fit `width` pixels.
std::string cutAtEnd(std::string_view text, const Type& type, double width);
std::string cutInside(std::string_view text, const Type& type, double width);

} // namespace earshot::pictures
