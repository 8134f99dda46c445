// Colours and sizes of a plot.
#pragma once

#include <array>
#include <vector>

#include "record/canvas.hpp"

namespace lipkin {

struct PlotTheme {
  Color background, text, faint_text, axis, grid, zero_line;
  std::array<Color, 8> lines;
};

// Line colours are Okabe and Ito's, which readers with any colour vision tell apart ("Color Universal Design", 2008);
// in the order of their contrast to the background.
inline PlotTheme light_theme() {
  return {color_of(0xffffff),
          color_of(0x1c2126),
          color_of(0x5b636b),
          color_of(0x4a5157),
          color_of(0xe3e6e8),
          color_of(0xb9bfc4),
          {color_of(0x0072b2), color_of(0xd55e00), color_of(0x009e73), color_of(0xcc79a7), color_of(0x000000),
           color_of(0x56b4e9), color_of(0xe69f00), color_of(0xf0e442)}};
}

inline PlotTheme dark_theme() {
  return {color_of(0x15191d),
          color_of(0xe8ebed),
          color_of(0xa3abb2),
          color_of(0x8b949b),
          color_of(0x2b3137),
          color_of(0x515a62),
          {color_of(0x56b4e9), color_of(0xe69f00), color_of(0x009e73), color_of(0xf0e442), color_of(0xcc79a7),
           color_of(0xd55e00), color_of(0xffffff), color_of(0x0072b2)}};
}

// The pen of the n-th line of a panel: eight colours solid, then the same dashed, then dotted.
inline Pen line_pen(const PlotTheme& theme, std::size_t n) {
  static const std::array<std::vector<double>, 3> kDashes = {{{}, {6, 3}, {1.5, 2}}};
  return {theme.lines[n % theme.lines.size()], 1.5, kDashes[n / theme.lines.size() % kDashes.size()]};
}

inline constexpr Font kTitleFont{15, true};
inline constexpr Font kLabelFont{12, false};
inline constexpr Font kTickFont{11, false};

}  // namespace lipkin
