// Writes one SVG drawing: shapes, text made fit for the room there is, and pixels as an embedded PNG. Sizes
// in pixels. The same calls give the same bytes. A drawing belongs to one thread at a time; functions are
// pure.
#pragma once

#include <cstdint>
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

struct Box {
    double x = 0.0, y = 0.0, width = 0.0, height = 0.0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
};

enum class Align { left, right };

class Svg {
  public:
    Svg(int width, int height, std::uint32_t background);

    // `text` of the following is plain text that is valid UTF-8; colours are 0xrrggbb.
    void describe(std::string_view text); // what the whole is, for people who hear it
    void fill(const Box& box, std::uint32_t colour, double opacity = 1.0);
    // Inside the box's edge. tip: shown while the pointer is on it.
    void outline(const Box& box, double corner, double line, std::uint32_t colour, double opacity = 1.0,
                 std::string_view tip = {});
    // y: the baseline. x: the left or right end.
    void text(double x, double y, std::string_view text, const Type& type, std::uint32_t colour,
              Align align = Align::left, std::string_view tip = {});
    // data: a path's, as in SVG's `d`.
    void path(std::string_view data, std::uint32_t colour);
    void image(const Box& box, std::string_view png);

    std::string finish();

  private:
    std::string out_;
};

// With at most two decimals, as short as it gets.
std::string number(double value);

} // namespace earshot::pictures
