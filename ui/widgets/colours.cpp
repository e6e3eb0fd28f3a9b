#include "ui/widgets/colours.h"

#include "core/base/colour_map.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope::ui {

namespace {

/// (L1 + 0.05) / (L2 + 0.05), the lighter one above.
double contrast(const QColor& a, const QColor& b) {
    const double one = luminance(a.rgb()) + 0.05;
    const double other = luminance(b.rgb()) + 0.05;
    return std::max(one, other) / std::min(one, other);
}

constexpr int kLineHues = 7; ///< all but the grey one
constexpr double kLineContrast = 3.0;
constexpr double kHueStep = 0.05;
constexpr double kPaler = 0.45;
constexpr double kDarker = 0.4;

} // namespace

QColor typeColour(int index) {
    // Okabe & Ito without black, which would vanish on dark windows; grey closes the round.
    static constexpr std::array<QRgb, 8> kColours{0xff0072b2, 0xffe69f00, 0xff009e73, 0xffd55e00,
                                                  0xffcc79a7, 0xff56b4e9, 0xfff0e442, 0xff999999};
    const int count = static_cast<int>(kColours.size());
    const QColor colour = QColor::fromRgb(kColours[static_cast<std::size_t>(index % count)]);
    switch (index / count % 4) {
    case 0:
        return colour;
    case 1:
        return blend(colour, QColor(Qt::white), kPaler);
    case 2:
        return blend(colour, QColor(Qt::black), kDarker);
    default:
        return blend(colour, QColor(Qt::gray), kDarker);
    }
}

QColor standingOut(QColor colour, QColor background) {
    const QColor away = readableOn(background);
    QColor found = colour;
    for (double part = 0.0; contrast(found, background) < kLineContrast && part < 1.0;
         part += kHueStep)
        found = blend(colour, away, part);
    return found;
}

QColor lineColour(int index, QColor background) {
    return standingOut(typeColour(index % kLineHues), background);
}

QColor headColour(int index, QColor background) {
    using Colours = std::array<QRgb, kHeadColours>;
    // Okabe & Ito (2008), moved apart and to a contrast of 3 on white and on a dark window.
    static constexpr Colours kOnLight{0xff02619e, 0xffa13400, 0xff139f6a,
                                      0xffa99212, 0xffcd77a7, 0xff1a1a1a};
    static constexpr Colours kOnDark{0xff59bef5, 0xffd55e00, 0xff049463,
                                     0xffefe23e, 0xffcc79a7, 0xfff6fafa};
    const bool is_light = readableOn(background) == QColor(Qt::black);
    return QColor::fromRgb(
        (is_light ? kOnLight : kOnDark)[static_cast<std::size_t>(index % kHeadColours)]);
}

QColor changeColour(bool worse) {
    return worse ? QColor(0xd55e00) : QColor(0x0072b2);
}

QColor blend(QColor from, QColor to, double fraction) {
    const auto t = static_cast<float>(std::clamp(fraction, 0.0, 1.0));
    const auto mix = [t](float a, float b) { return a + t * (b - a); };
    return QColor::fromRgbF(mix(from.redF(), to.redF()), mix(from.greenF(), to.greenF()),
                            mix(from.blueF(), to.blueF()));
}

QColor readableOn(QColor background) {
    return isLight(background.rgb()) ? QColor(Qt::black) : QColor(Qt::white);
}

ColourMap divergingOn(const QColor& background) {
    return background.lightnessF() < 0.5f ? ColourMap::DivergingDark : ColourMap::Diverging;
}

QList<ColourMap> sequentialColourMaps() {
    return {ColourMap::Viridis, ColourMap::Cividis, ColourMap::Greys};
}

QString colourMapName(ColourMap map) {
    switch (map) {
    case ColourMap::Viridis:
        return QCoreApplication::translate("ColourMap", "Viridis");
    case ColourMap::Cividis:
        return QCoreApplication::translate("ColourMap", "Cividis");
    case ColourMap::Greys:
        return QCoreApplication::translate("ColourMap", "Greys");
    case ColourMap::Diverging:
    case ColourMap::DivergingDark:
        return QCoreApplication::translate("ColourMap", "Red and blue");
    }
    return {};
}

QColor colourAt(ColourMap map, double fraction) {
    if (std::isnan(fraction))
        return QColor(128, 128, 128);
    return QColor::fromRgb(rgbAt(map, fraction));
}

HeatmapTheme HeatmapTheme::fromPalette(const QPalette& palette) {
    const QColor base = palette.color(QPalette::Base);
    const QColor text = palette.color(QPalette::Text);
    return {base,
            blend(base, text, 0.07),
            text,
            blend(base, text, 0.65),
            blend(base, text, 0.3),
            blend(base, text, 0.4),
            palette.color(QPalette::Highlight),
            palette.color(QPalette::HighlightedText)};
}

HeatmapTheme HeatmapTheme::forPaper() {
    return {Qt::white,
            QColor(240, 240, 240),
            Qt::black,
            QColor(80, 80, 80),
            QColor(120, 120, 120),
            QColor(150, 150, 150),
            Qt::black,
            Qt::white};
}

} // namespace headscope::ui
