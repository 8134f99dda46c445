#include "record/canvas.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <new>
#include <numbers>
#include <utility>

#include "lipkin/error.hpp"

namespace lipkin {
namespace {

constexpr double kPdfPointsPerPixel = 0.75;  // CSS: 96 px = 72 pt = 1 in
constexpr const char* kFontFamily = "DejaVu Sans";

// No exception may pass through cairo.
cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned length) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t* create_surface(PageFormat format, int width, int height, std::string& bytes) {
  switch (format) {
    case PageFormat::kSvg: {
      cairo_surface_t* surface = cairo_svg_surface_create_for_stream(append_bytes, &bytes, width, height);
      cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
      return surface;
    }
    case PageFormat::kPdf:
      return cairo_pdf_surface_create_for_stream(append_bytes, &bytes, width * kPdfPointsPerPixel,
                                                 height * kPdfPointsPerPixel);
    case PageFormat::kPng:
      break;
  }
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_INVALID_STRING) throw InvalidArgument("a name or title of the plot is not UTF-8 text");
  if (status != CAIRO_STATUS_SUCCESS) throw Error(fmt::format("drawing failed: {}", cairo_status_to_string(status)));
}

}  // namespace

struct Canvas::Impl {
  struct SurfaceDeleter {
    void operator()(cairo_surface_t* drawn_on) const { cairo_surface_destroy(drawn_on); }
  };
  struct ContextDeleter {
    void operator()(cairo_t* drawn_with) const { cairo_destroy(drawn_with); }
  };

  std::string bytes;
  std::unique_ptr<cairo_surface_t, SurfaceDeleter> surface;
  std::unique_ptr<cairo_t, ContextDeleter> context;
  PageFormat format;

  Impl(PageFormat page_format, int width, int height)
      : surface(create_surface(page_format, width, height, bytes)),
        context(cairo_create(surface.get())),
        format(page_format) {
    check(cairo_status(context.get()));
  }

  cairo_t* cairo() const { return context.get(); }

  void use(const Color& color) const { cairo_set_source_rgb(cairo(), color.red, color.green, color.blue); }

  void use(const Pen& pen) const {
    use(pen.color);
    cairo_set_line_width(cairo(), pen.width);
    cairo_set_dash(cairo(), pen.dashes.data(), static_cast<int>(pen.dashes.size()), 0);
  }

  void use(const Font& font) const {
    const auto weight = font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL;
    cairo_select_font_face(cairo(), kFontFamily, CAIRO_FONT_SLANT_NORMAL, weight);
    cairo_set_font_size(cairo(), font.size);
  }

  // Vertically, digits count, so that labels with and without descenders stand on one line.
  void show_text(const std::string& text, const Font& font, Anchor anchor) const {
    use(font);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo(), text.c_str(), &extents);
    cairo_text_extents_t digit;
    cairo_text_extents(cairo(), "0", &digit);
    cairo_rel_move_to(cairo(), -anchor.horizontal * extents.x_advance, anchor.vertical * digit.height);
    cairo_show_text(cairo(), text.c_str());
  }
};

Canvas::Canvas(PageFormat format, int width_px, int height_px, double scale)
    : impl_(std::make_unique<Impl>(format, width_px, height_px)) {
  const double unit = format == PageFormat::kPdf ? scale * kPdfPointsPerPixel : scale;
  cairo_scale(impl_->cairo(), unit, unit);
  cairo_set_line_join(impl_->cairo(), CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(impl_->cairo(), CAIRO_LINE_CAP_BUTT);
  // Unhinted text has the same width at every size and in every format.
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(impl_->cairo(), options);
  cairo_font_options_destroy(options);
}
Canvas::~Canvas() = default;
Canvas::Canvas(Canvas&&) noexcept = default;
Canvas& Canvas::operator=(Canvas&&) noexcept = default;

void Canvas::fill(Color color) {
  impl_->use(color);
  cairo_paint(impl_->cairo());
}

void Canvas::line(double x0, double y0, double x1, double y1, const Pen& pen) {
  impl_->use(pen);
  cairo_move_to(impl_->cairo(), x0, y0);
  cairo_line_to(impl_->cairo(), x1, y1);
  cairo_stroke(impl_->cairo());
}

void Canvas::polyline(const std::vector<PlotPoint>& points, const Pen& pen, const PageBox& clip) {
  cairo_t* const cairo = impl_->cairo();
  cairo_save(cairo);
  cairo_rectangle(cairo, clip.left, clip.top, clip.width(), clip.height());
  cairo_clip(cairo);
  impl_->use(pen);
  cairo_set_line_cap(cairo, pen.dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  bool pen_is_down = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PlotPoint& point = points[i];
    const bool drawable = !std::isnan(point.y);
    const bool lone = drawable && !pen_is_down && (i + 1 == points.size() || std::isnan(points[i + 1].y));
    if (drawable && !pen_is_down) cairo_move_to(cairo, point.x, point.y);
    if (drawable && (pen_is_down || lone)) cairo_line_to(cairo, point.x, point.y);
    pen_is_down = drawable;
  }
  cairo_stroke(cairo);
  cairo_restore(cairo);
}

void Canvas::text(double x, double y, const std::string& text, const Font& font, Color color, Anchor anchor) {
  impl_->use(color);
  cairo_move_to(impl_->cairo(), x, y);
  impl_->show_text(text, font, anchor);
}

void Canvas::text_upwards(double x, double y, const std::string& text, const Font& font, Color color) {
  cairo_t* const cairo = impl_->cairo();
  cairo_save(cairo);
  impl_->use(color);
  cairo_translate(cairo, x, y);
  cairo_rotate(cairo, -std::numbers::pi / 2);
  cairo_move_to(cairo, 0, 0);
  impl_->show_text(text, font, {0.5, 0.5});
  cairo_restore(cairo);
}

double Canvas::text_width(const std::string& text, const Font& font) const {
  impl_->use(font);
  cairo_text_extents_t extents;
  cairo_text_extents(impl_->cairo(), text.c_str(), &extents);
  return extents.x_advance;
}

std::string Canvas::finish() {
  check(cairo_status(impl_->cairo()));
  if (impl_->format == PageFormat::kPng) {
    check(cairo_surface_write_to_png_stream(impl_->surface.get(), append_bytes, &impl_->bytes));
  }
  impl_->context.reset();
  cairo_surface_finish(impl_->surface.get());
  check(cairo_surface_status(impl_->surface.get()));
  return std::move(impl_->bytes);
}

}  // namespace lipkin
