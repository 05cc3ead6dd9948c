#include "Core/Pictures/Png.h"

#include "Core/Base/Error.h"

#include <png.h>

namespace earshot::pictures {

namespace {

std::string write(png_image& image, const void* pixels, const void* palette) {
    std::string file(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
    png_alloc_size_t bytes = file.size();
    const bool written = png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels, 0, palette) != 0;
    const std::string why = image.message;
    png_image_free(&image);
    if (!written) throw Error("a picture cannot be compressed as PNG: " + why);
    file.resize(bytes);
    return file;
}

png_image describe(int width, int height, png_uint_32 format) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = format;
    return image;
}

} // namespace

std::string encodePng(const Raster& raster, const ColourRamp& ramp) {
    static_assert(sizeof(ColourRamp) == 3 * 256);
    png_image image = describe(raster.width, raster.height, PNG_FORMAT_RGB_COLORMAP);
    image.colormap_entries = static_cast<png_uint_32>(ramp.size());
    return write(image, raster.levels.data(), ramp.data());
}

std::string encodePng(const ColourImage& colours) {
    static_assert(sizeof(Rgb) == 3);
    png_image image = describe(colours.width, colours.height, PNG_FORMAT_RGB);
    return write(image, colours.pixels.data(), nullptr);
}

std::string pngLibrary() { return std::string("libpng ") + png_get_libpng_ver(nullptr); }

} // namespace earshot::pictures
