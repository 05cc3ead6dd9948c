// Writes one SVG drawing: shapes, text, and pixels as an embedded PNG. Sizes in pixels. The same calls give
// the same bytes. One thread at a time.
#pragma once

#include "Core/Pictures/SvgText.h"

#include <string>
#include <string_view>

namespace earshot::pictures {

struct Box {
    double x = 0.0, y = 0.0, width = 0.0, height = 0.0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
};

enum class Align { left, right };

class Svg {
  public:
    Svg(int width, int height, std::string_view background);

    // `text` of the following is plain text that is valid UTF-8; colours are CSS's.
    void describe(std::string_view text); // what the whole is, for people who hear it
    void fill(const Box& box, std::string_view colour, double opacity = 1.0);
    // Inside the box's edge. tip: shown while the pointer is on it.
    void outline(const Box& box, double corner, double line, std::string_view colour, double opacity = 1.0,
                 std::string_view tip = {});
    // y: the baseline. x: the left or right end.
    void text(double x, double y, std::string_view text, const Type& type, std::string_view colour,
              Align align = Align::left, std::string_view tip = {});
    // data: a path's, as in SVG's `d`.
    void path(std::string_view data, std::string_view colour);
    void image(const Box& box, std::string_view png);

    std::string finish();

  private:
    std::string out_;
};

// With at most two decimals, as short as it gets.
std::string number(double value);

} // namespace earshot::pictures
