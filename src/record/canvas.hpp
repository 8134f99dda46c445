// Drawing on a page that becomes an SVG, PNG or PDF file: cairo behind a few strokes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "record/decimation.hpp"

namespace lipkin {

struct Color {
  double red = 0, green = 0, blue = 0;
};

// 0xRRGGBB as in web pages.
constexpr Color color_of(unsigned rgb) {
  return {static_cast<double>(rgb >> 16 & 255u) / 255, static_cast<double>(rgb >> 8 & 255u) / 255,
          static_cast<double>(rgb & 255u) / 255};
}

struct Pen {
  Color color;
  double width = 1;
  std::vector<double> dashes;  // lengths on, off, ...; empty: a solid line
};

struct Font {
  double size = 12;
  bool bold = false;
};

// Which point of a text stands at the given place: 0 left or bottom, 0.5 centre, 1 right or top.
struct Anchor {
  double horizontal = 0;
  double vertical = 0;
};

struct PageBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

enum class PageFormat { kSvg, kPng, kPdf };

// y goes down. Lengths are in layout units; `scale` pixels each.
class Canvas {
 public:
  Canvas(PageFormat format, int width_px, int height_px, double scale);
  ~Canvas();
  Canvas(Canvas&&) noexcept;
  Canvas& operator=(Canvas&&) noexcept;

  void fill(Color color);
  void line(double x0, double y0, double x1, double y1, const Pen& pen);
  // Breaks at points whose y is NaN; a lone point becomes a dot. Nothing is drawn outside `clip`.
  void polyline(const std::vector<PlotPoint>& points, const Pen& pen, const PageBox& clip);
  void text(double x, double y, const std::string& text, const Font& font, Color color, Anchor anchor);
  // Reads upwards; (x, y) is the centre.
  void text_upwards(double x, double y, const std::string& text, const Font& font, Color color);
  double text_width(const std::string& text, const Font& font) const;

  // The bytes of the file; nothing can be drawn afterwards.
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
