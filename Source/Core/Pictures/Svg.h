// Writes one SVG drawing: shapes, text that is cut to the available width, and pixels as an embedded PNG.
// Sizes are in pixels. The same calls give the same bytes. A drawing belongs to one thread at a time; the
// free functions are pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace earshot::pictures {

struct Type {
    double size = 12.0; // pixels, an em
    bool bold = false;
};

// Returns text for XML: markup is escaped. Characters that XML cannot hold and characters that change the
// text's direction become '?'.
std::string escaped(std::string_view text);

// Returns an approximate width in pixels in the font Inter. It only needs to tell which text fits, because an
// SVG may be shown in another font.
double textWidth(std::string_view text, const Type& type);

// Cut the text to fit `width` pixels, with an ellipsis at its end or in its middle (to keep a file's suffix).
std::string cutAtEnd(std::string_view text, const Type& type, double width);
std::string cutInside(std::string_view text, const Type& type, double width);

struct Box {
    double x = 0.0, y = 0.0, width = 0.0, height = 0.0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
};

enum class Align { left, right };

class Svg {
  public:
    Svg(int width, int height, std::uint32_t background);

    // In the functions below `text` and `tip` are plain text in valid UTF-8; colours are 0xrrggbb.
    void describe(std::string_view text); // the drawing's title, for screen readers
    void fill(const Box& box, std::uint32_t colour, double opacity = 1.0);
    // Draws the line inside the box's edge. tip: shown while the pointer is over the box.
    void outline(const Box& box, double corner, double line, std::uint32_t colour, double opacity = 1.0,
                 std::string_view tip = {});
    // y: the baseline. x: the left or right end.
    void text(double x, double y, std::string_view text, const Type& type, std::uint32_t colour,
              Align align = Align::left, std::string_view tip = {});
    // data: as in the attribute `d` of an SVG path.
    void path(std::string_view data, std::uint32_t colour);
    void image(const Box& box, std::string_view png);

    std::string finish();

  private:
    std::string out_;
};

// Formats a value with at most two decimals, as short as possible.
std::string number(double value);

} // namespace earshot::pictures
