#include "core/export/formats/png.h"

#include <zlib.h>

#include <array>
#include <cstdint>

namespace headscope {

namespace {

void appendBigEndian(std::string& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(number >> shift & 0xffU);
}

void appendChunk(std::string& png, const std::string& type, const std::string& data) {
    appendBigEndian(png, static_cast<std::uint32_t>(data.size()));
    const std::string body = type + data;
    png += body;
    appendBigEndian(png,
                    static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                     static_cast<uInt>(body.size()))));
}

/// Deflated rows of RGBA, each after the number of its filter (0: none).
std::string compressed(std::span<const Rgb> pixels, std::size_t width) {
    std::string raw;
    raw.reserve(pixels.size() * 4 + pixels.size() / width);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        if (i % width == 0)
            raw += '\0';
        for (const int shift : {16, 8, 0, 24})
            raw += static_cast<char>(pixels[i] >> shift & 0xffU);
    }
    uLongf size = compressBound(static_cast<uLong>(raw.size()));
    std::string data(size, '\0');
    compress2(reinterpret_cast<Bytef*>(data.data()), &size,
              reinterpret_cast<const Bytef*>(raw.data()), static_cast<uLong>(raw.size()),
              Z_BEST_COMPRESSION);
    data.resize(size);
    return data;
}

} // namespace

std::string pngOf(std::span<const Rgb> pixels, std::size_t width, std::size_t height) {
    std::string header;
    appendBigEndian(header, static_cast<std::uint32_t>(width));
    appendBigEndian(header, static_cast<std::uint32_t>(height));
    // 8 bits of each channel, RGBA, and the only ways there are to compress, filter and interlace
    header += {8, 6, 0, 0, 0};
    std::string png = "\x89PNG\r\n\x1a\n";
    appendChunk(png, "IHDR", header);
    appendChunk(png, "IDAT", compressed(pixels, width));
    appendChunk(png, "IEND", "");
    return png;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view part = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= part.size() ? kDigits[bits >> (18 - 6 * i) & 63U] : '=';
    }
    return text;
}

} // namespace headscope
