#include "Core/Base/Error.h"
#include "Core/Pictures/Png.h"

#if EARSHOT_HAS_RSVG
#include <cairo.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#endif

namespace earshot::pictures {

#if EARSHOT_HAS_RSVG

namespace {

template <auto release>
struct Releaser {
    template <typename T>
    void operator()(T* object) const {
        release(object);
    }
};

template <typename T, auto release>
using Owned = std::unique_ptr<T, Releaser<release>>;

void throwAway(GError*& error) {
    const std::string why = error != nullptr ? error->message : "unknown reason";
    g_clear_error(&error);
    throw Error("the picture cannot be drawn as PNG (" + why + "); ask for SVG instead");
}

} // namespace

bool canRender() { return true; }

std::string renderingLibrary() {
    return "librsvg " + std::to_string(rsvg_major_version) + "." + std::to_string(rsvg_minor_version) + "." +
           std::to_string(rsvg_micro_version);
}

ColourImage render(std::string_view svg) {
    GError* error = nullptr;
    const Owned<RsvgHandle, g_object_unref> handle(
        rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
    if (!handle) throwAway(error);
    double width = 0.0, height = 0.0;
    if (rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == FALSE)
        throw Error("the picture cannot be drawn as PNG (it has no size); ask for SVG instead");

    ColourImage image{static_cast<int>(std::lround(width)), static_cast<int>(std::lround(height)), {}};
    const Owned<cairo_surface_t, cairo_surface_destroy> surface(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height));
    const Owned<cairo_t, cairo_destroy> context(cairo_create(surface.get()));
    const RsvgRectangle all{0.0, 0.0, width, height};
    if (rsvg_handle_render_document(handle.get(), context.get(), &all, &error) == FALSE) throwAway(error);
    cairo_surface_flush(surface.get());
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
        throw Error("the picture cannot be drawn as PNG (out of memory); ask for SVG instead");

    image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
    const unsigned char* const data = cairo_image_surface_get_data(surface.get());
    const int stride = cairo_image_surface_get_stride(surface.get());
    auto pixel = image.pixels.begin();
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            std::uint32_t value = 0; // 0x--rrggbb
            std::memcpy(&value, data + static_cast<std::ptrdiff_t>(y) * stride + 4 * x, sizeof value);
            *pixel++ = {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
                        static_cast<std::uint8_t>(value)};
        }
    return image;
}

#else

bool canRender() { return false; }

std::string renderingLibrary() { return {}; }

ColourImage render(std::string_view) {
    throw Error("this Earshot was built without librsvg and cannot draw PNG pictures; ask for SVG instead");
}

#endif

} // namespace earshot::pictures
