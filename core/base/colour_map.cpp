#include "core/base/colour_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace headscope {

namespace {

using ColourTable = std::array<Rgb, 256>;

constexpr Rgb kOpaque = 0xff000000U;

constexpr int channelOf(Rgb colour, int shift) {
    return static_cast<int>(colour >> shift & 0xffU);
}

constexpr Rgb opaque(int red, int green, int blue) {
    return kOpaque | static_cast<Rgb>(red) << 16 | static_cast<Rgb>(green) << 8 |
           static_cast<Rgb>(blue);
}

// matplotlib's 256 listed colours, rrggbb each (CC0, Smith, van der Walt, Firing 2015; Nuñez,
// Anderton, Renslow 2018).
constexpr char kViridis[] =
    "44015444025645045745055946075a46085c460a5d460b5e470d60470e61471063471164471365481467481668"
    "48176948186a481a6c481b6d481c6e481d6f481f70482071482173482374482475482576482677482878482979"
    "472a7a472c7a472d7b472e7c472f7d46307e46327e46337f463480453581453781453882443983443a83443b84"
    "433d84433e85423f854240864241864142874144874045884046883f47883f48893e49893e4a893e4c8a3d4d8a"
    "3d4e8a3c4f8a3c508b3b518b3b528b3a538b3a548c39558c39568c38588c38598c375a8c375b8d365c8d365d8d"
    "355e8d355f8d34608d34618d33628d33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f6c8e"
    "2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e2c728e2c738e2b748e2b758e2a768e2a778e2a788e29798e297a8e"
    "297b8e287c8e287d8e277e8e277f8e27808e26818e26828e26828e25838e25848e25858e24868e24878e23888e"
    "23898e238a8d228b8d228c8d228d8d218e8d218f8d21908d21918c20928c20928c20938c1f948c1f958b1f968b"
    "1f978b1f988b1f998a1f9a8a1e9b8a1e9c891e9d891f9e891f9f881fa0881fa1881fa1871fa28720a38620a486"
    "21a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad8128ae8029af7f2ab07f2cb17e2db27d"
    "2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc743fbc7340bd7242be7144bf70"
    "46c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc8635ec96260ca6063cb5f"
    "65cb5e67cc5c69cd5b6ccd5a6ece5870cf5773d05675d05477d1537ad1517cd2507fd34e81d34d84d44b86d549"
    "89d5488bd6468ed64590d74393d74195d84098d83e9bd93c9dd93ba0da39a2da37a5db36a8db34aadc32addc30"
    "b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5e021c8e020cae11fcde11dd0e11cd2e21bd5e21a"
    "d8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4e61ef6e620f8e621fbe723"
    "fde725";

constexpr char kCividis[] =
    "00224e00234f00245100255300255400265600275800285900285b00295d002a5f002a61002b62002c64002c66"
    "002d68002e6a002e6c002f6d00306f0030700031700031710132710533710833700c34700f3570123570143670"
    "16377018376f1a386f1c396f1e3a6f203a6f213b6e233c6e243c6e263d6e273e6e293f6e2a3f6d2b406d2d416d"
    "2e416d2f426d31436d32436d33446d34456c35456c36466c38476c39486c3a486c3b496c3c4a6c3d4a6c3e4b6c"
    "3f4c6c404c6c414d6c424e6c434e6c444f6c45506c46516c47516c48526c49536c4a536c4b546c4c556c4d556c"
    "4e566c4f576c50576c51586d52596d535a6d545a6d555b6d555c6d565c6d575d6d585e6d595e6e5a5f6e5b606e"
    "5c616e5d616e5e626e5e636f5f636f60646f61656f62656f636670646770656870656870666970676a71686a71"
    "696b716a6c716b6d726c6d726c6e726d6f726e6f736f7073707173717274727274727374737475747475757575"
    "7676767777767777777878777979777a7a787b7a787c7b787d7c787e7c787e7d787f7e78807f78817f78828079"
    "8381798482798582798683798784788885788985788a86788b87788c88788d88788e89788f8a78908b78918b78"
    "928c78928d78938e78948e77958f779690779791779892779992779a93769b94769c95769d95769e96769f9775"
    "a09875a19975a29975a39a74a49b74a59c74a69c74a79d73a89e73a99f73aaa073aba072aca172ada272aea371"
    "afa471b0a571b1a570b3a670b4a76fb5a86fb6a96fb7a96eb8aa6eb9ab6dbaac6dbbad6dbcae6cbdae6cbeaf6b"
    "bfb06bc0b16ac1b26ac2b369c3b369c4b468c5b568c6b667c7b767c8b866c9b965cbb965ccba64cdbb63cebc63"
    "cfbd62d0be62d1bf61d2c060d3c05fd4c15fd5c25ed6c35dd7c45cd9c55cdac65bdbc75adcc859ddc858dec958"
    "dfca57e0cb56e1cc55e2cd54e4ce53e5cf52e6d051e7d150e8d24fe9d34eead34cebd44bedd54aeed649efd748"
    "f0d846f1d945f2da44f3db42f5dc41f6dd3ff7de3ef8df3cf9e03afbe138fce236fde334fee434fee535fee636"
    "fee838";

ColourTable tableFromHex(const char* hex) {
    ColourTable table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const char digits[7] = {hex[6 * i],
                                hex[6 * i + 1],
                                hex[6 * i + 2],
                                hex[6 * i + 3],
                                hex[6 * i + 4],
                                hex[6 * i + 5],
                                '\0'};
        table[i] = kOpaque | static_cast<Rgb>(std::strtoul(digits, nullptr, 16));
    }
    return table;
}

ColourTable greysTable() {
    ColourTable table;
    for (int i = 0; i < 256; ++i)
        table[static_cast<std::size_t>(i)] = opaque(255 - i, 255 - i, 255 - i);
    return table;
}

using Stops = std::array<Rgb, 6>; ///< from 0 to the strongest

/// `fraction` 0..1 of the way along equally distant stops.
Rgb colourAlong(const Stops& stops, double fraction) {
    const double position = fraction * 5.0;
    const std::size_t segment = std::min<std::size_t>(static_cast<std::size_t>(position), 4);
    const auto mix = [&, t = position - static_cast<double>(segment)](int shift) {
        const int from = channelOf(stops[segment], shift);
        const int to = channelOf(stops[segment + 1], shift);
        return static_cast<int>(std::lround(from + t * (to - from)));
    };
    return opaque(mix(16), mix(8), mix(0));
}

/// Negative below entry 128 and positive above it, which is where rgbAt() puts 0.5.
ColourTable divergingTable(const Stops& negative, const Stops& positive) {
    ColourTable table;
    for (int i = 0; i < 256; ++i) {
        table[static_cast<std::size_t>(i)] = i <= 128 ? colourAlong(negative, (128 - i) / 128.0)
                                                      : colourAlong(positive, (i - 128) / 127.0);
    }
    return table;
}

// ColorBrewer's RdBu.
constexpr Stops kDarkerBlues{0xffffffff, 0xffd1e5f0, 0xff92c5de,
                             0xff4393c3, 0xff2166ac, 0xff053061};
constexpr Stops kDarkerReds{0xffffffff, 0xfffddbc7, 0xfff4a582, 0xffd6604d, 0xffb2182b, 0xff67001f};
// The same hues, lighter the stronger.
constexpr Stops kLighterBlues{0xff24282e, 0xff1f4466, 0xff2166ac,
                              0xff4393c3, 0xff92c5de, 0xffd1e5f0};
constexpr Stops kLighterReds{0xff24282e, 0xff5e2429, 0xffa3302f,
                             0xffd6604d, 0xfff4a582, 0xfffddbc7};

constexpr double kDecades = 4.0;

/// `share` of the range, 0..1.
double scaled(double share, ValueScale scale) {
    switch (scale) {
    case ValueScale::Linear:
        return share;
    case ValueScale::SquareRoot:
        return std::sqrt(std::max(0.0, share));
    case ValueScale::Logarithmic:
        break;
    }
    return share > 0.0 ? std::max(0.0, 1.0 + std::log10(share) / kDecades) : 0.0;
}

} // namespace

bool isDiverging(ColourMap map) {
    return map == ColourMap::Diverging || map == ColourMap::DivergingDark;
}

const std::array<Rgb, 256>& colourTable(ColourMap map) {
    static const ColourTable viridis = tableFromHex(kViridis);
    static const ColourTable cividis = tableFromHex(kCividis);
    static const ColourTable greys = greysTable();
    static const ColourTable diverging = divergingTable(kDarkerBlues, kDarkerReds);
    static const ColourTable diverging_dark = divergingTable(kLighterBlues, kLighterReds);
    switch (map) {
    case ColourMap::Viridis:
        return viridis;
    case ColourMap::Cividis:
        return cividis;
    case ColourMap::Greys:
        return greys;
    case ColourMap::Diverging:
        return diverging;
    case ColourMap::DivergingDark:
        return diverging_dark;
    }
    return viridis;
}

Rgb rgbAt(ColourMap map, double fraction) {
    const double entry = std::clamp(fraction * 256.0, 0.0, 255.0);
    return colourTable(map)[static_cast<std::size_t>(entry)];
}

double fractionOf(double value, const CellColours& colours) {
    if (!isDiverging(colours.map))
        return scaled((value - colours.low) / (colours.high - colours.low), colours.scale);
    const double middle = (colours.low + colours.high) / 2.0;
    const double half = (colours.high - colours.low) / 2.0;
    const double way = scaled(std::fabs(value - middle) / half, colours.scale) / 2.0;
    return value < middle ? 0.5 - way : 0.5 + way;
}

std::vector<double> scaleMarks(const CellColours& colours) {
    const bool logarithmic = colours.scale == ValueScale::Logarithmic;
    if (isDiverging(colours.map)) {
        const std::vector<double> shares =
            logarithmic ? std::vector{0.01, 0.1, 1.0} : std::vector{0.1, 0.4, 1.0};
        std::vector<double> marks{0.0};
        for (const double share : shares) {
            marks.push_back(share * colours.high);
            marks.insert(marks.begin(), -share * colours.high);
        }
        return marks;
    }
    const std::vector<double> shares = logarithmic ? std::vector{1e-4, 1e-3, 1e-2, 0.1, 1.0}
                                                   : std::vector{0.0, 0.01, 0.05, 0.2, 0.5, 1.0};
    std::vector<double> marks;
    marks.reserve(shares.size());
    for (const double share : shares)
        marks.push_back(colours.low + share * (colours.high - colours.low));
    return marks;
}

double luminance(Rgb colour) {
    const auto linear = [colour](int shift) {
        const double channel = channelOf(colour, shift) / 255.0;
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

bool isLight(Rgb background) {
    // Contrast (L1 + 0.05) / (L2 + 0.05): black wins where it is the larger of the two.
    const double level = luminance(background) + 0.05;
    return level / 0.05 >= 1.05 / level;
}

} // namespace headscope
