#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/export/formats/html.h"
#include "core/export/formats/png.h"
#include "core/export/pattern_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace headscope {

namespace {

// Pixels, as the window's figure has them.
constexpr double kMostWidth = 720.0;
constexpr double kMostHeight = 640.0;
constexpr double kEdge = 8.0;
constexpr double kGap = 5.0;
constexpr double kLargestCell = 72.0;
constexpr double kTitleSize = 14.0; ///< of the font
constexpr double kLabelSize = 12.0;
constexpr double kNoteSize = 11.0;
constexpr double kLine = 15.0; ///< height of a label
constexpr double kTitleLine = 17.0;
constexpr double kBold = 1.1; ///< by which bold letters are wider
constexpr double kNoteLine = 14.0;
constexpr double kAdvance = 0.62;         ///< of a letter, in sizes of its font
constexpr std::size_t kLongestLabel = 14; ///< letters
constexpr double kScaleGap = 14.0;
constexpr double kScaleBar = 14.0;
constexpr double kScaleWidth = 70.0; ///< with its numbers and name
constexpr double kBars = 26.0;       ///< a margin for bars where columns are narrow
constexpr double kRoomyColumn = 14.0;
constexpr double kLinesFrom = 9.0; ///< pixels of a cell
constexpr double kNumbersFrom = 32.0;
constexpr double kSeenFrom = 0.005; ///< what rounds to 0.00 is written pale
constexpr std::size_t kMostRectangles = std::size_t{64} * 64;
constexpr std::size_t kMostTitles = std::size_t{40} * 40; ///< cells that say what they are

constexpr const char* kText = "#000000";
constexpr const char* kFaint = "#505050";
constexpr const char* kFrame = "#787878";
constexpr const char* kBar = "#969696";
constexpr const char* kMasked = "#f0f0f0";

std::string px(double value) {
    return numberText(std::round(value * 100.0) / 100.0);
}

std::string hexOf(Rgb colour) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "#";
    for (int shift = 20; shift >= 0; shift -= 4)
        text += kDigits[colour >> shift & 0xfU];
    return text;
}

struct Box {
    double x = 0.0;
    double y = 0.0;
    double width = 0.0;
    double height = 0.0;
};

/// `inside` goes between the tags.
std::string rectangle(const Box& box, std::string_view fill, std::string_view inside = {}) {
    std::string tag = "<rect x=\"" + px(box.x) + "\" y=\"" + px(box.y) + "\" width=\"" +
                      px(box.width) + "\" height=\"" + px(box.height) + "\" fill=\"" +
                      std::string(fill) + "\"";
    return inside.empty() ? tag + "/>" : tag + ">" + std::string(inside) + "</rect>";
}

struct TextLook {
    double size = kLabelSize;
    const char* colour = kText;
    const char* anchor = "start"; ///< start, middle or end
    bool is_bold = false;
    bool is_upright = false; ///< reads from below to above
};

/// `x`, `y`: of the middle of its height.
std::string textAt(double x, double y, std::string_view text, const TextLook& look) {
    std::string tag = "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" font-size=\"" + px(look.size) +
                      "\" fill=\"" + look.colour + "\" text-anchor=\"" + look.anchor +
                      "\" dominant-baseline=\"central\"";
    if (look.is_bold)
        tag += " font-weight=\"bold\"";
    if (look.is_upright)
        tag += " transform=\"rotate(-90 " + px(x) + " " + px(y) + ")\"";
    return tag + ">" + htmlText(text) + "</text>";
}

double widthOf(std::string_view text, double size) {
    double letters = 0.0;
    for (std::size_t at = 0; at < text.size();) {
        const DecodedCharacter next = decodeCharacter(text.substr(at));
        // From U+1100 on most scripts are as wide as they are high.
        letters += next.code_point.value_or(0) >= 0x1100 && next.code_point < 0xFFFD ? 1.6 : 1.0;
        at += next.bytes;
    }
    return letters * kAdvance * size;
}

std::string shortened(const std::string& label) {
    if (characterCount(label) <= kLongestLabel)
        return label;
    return std::string(firstCharacters(label, kLongestLabel - 1)) + "…";
}

/// Three digits are enough for a cell: "0.62"
std::string cellText(double value) {
    return fixedText(value, 2);
}

std::vector<std::string> wrapped(const std::string& text, double width, double size) {
    std::vector<std::string> lines{""};
    for (const std::string& word : split(text, ' ')) {
        const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
        if (widthOf(longer, size) > width && !lines.back().empty())
            lines.push_back(word);
        else
            lines.back() = longer;
    }
    return lines;
}

class FigureWriter {
public:
    explicit FigureWriter(const PatternFigure& figure)
        : figure_(figure), positions_(figure.labels.size()), rows_(figure.cells.dim(0)),
          columns_(figure.cells.dim(1)) {
        for (const std::string& label : figure.labels)
            labels_.push_back(shortened(label));
        layOut();
    }

    std::string operator()() {
        const double height =
            map_.y + map_.height + kLine + kNoteLine * static_cast<double>(note_.size()) + kEdge;
        svg_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + px(width_) + "\" height=\"" +
               px(height) + "\" viewBox=\"0 0 " + px(width_) + " " + px(height) +
               "\" role=\"img\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<title>" +
               htmlText(figure_.title) + "</title>\n<desc>" + htmlText(figure_.note) + "</desc>\n";
        add(rectangle({0, 0, width_, height}, "#ffffff"));
        addTexts();
        addLabels();
        add(rectangle(map_, kMasked));
        if (rows_ * columns_ <= kMostRectangles)
            addCells();
        else
            addImage();
        addBars();
        add("<path fill=\"none\" stroke=\"" + std::string(kFrame) + "\" d=\"" + outline(map_) +
            "\"/>");
        addScale();
        return svg_ + "</svg>\n";
    }

private:
    void layOut() {
        double label = 0.0;
        for (const std::string& each : labels_)
            label = std::max(label, widthOf(each, kLabelSize));
        const auto n = static_cast<double>(std::max<std::size_t>(positions_, 1));
        const double left = kEdge + kLine + kGap + label + kGap;
        const double right = kScaleGap + kScaleWidth + kEdge;
        const double room = kMostWidth - 2.0 * kEdge;
        title_ = wrapped(figure_.title, room / kBold, kTitleSize);
        const double title =
            kEdge + kTitleLine * static_cast<double>(title_.size()) + kGap + kLine + kGap;
        side_ = std::min(
            {(kMostWidth - left - right) / n, (kMostHeight - title - label) / n, kLargestCell});
        is_upright_ = label + 2.0 * kGap > side_;
        const double top = title + (is_upright_ ? label : kLine) + kGap;
        const bool in_margin =
            !figure_.bars.empty() && (figure_.bars_beside || side_ < kRoomyColumn);
        map_ = {left + (in_margin ? kBars : 0.0), top, side_ * n, side_ * n};
        bars_ = in_margin ? Box{map_.x - kBars, map_.y, kBars - 2.0, side_}
                          : Box{map_.x, map_.y, side_, side_};
        width_ = map_.x + map_.width + right;
        for (const std::string& line : title_)
            width_ = std::max(width_, 2.0 * kEdge + widthOf(line, kTitleSize) * kBold);
        width_ = std::min(width_, kMostWidth);
        note_ = wrapped(figure_.note, width_ - 2.0 * kEdge, kNoteSize);
        row_name_ = map_.x - (in_margin ? kBars : 0.0) - left + kEdge + kLine / 2.0;
    }

    void add(const std::string& element) { svg_ += element + "\n"; }

    static std::string outline(const Box& box) {
        return "M" + px(box.x) + " " + px(box.y) + "h" + px(box.width) + "v" + px(box.height) +
               "h" + px(-box.width) + "z";
    }

    void addTexts() {
        const double middle = map_.x + map_.width / 2.0;
        double title_y = kEdge + kLine / 2.0;
        for (const std::string& line : title_) {
            add(textAt(width_ / 2.0, title_y, line, {kTitleSize, kText, "middle", true}));
            title_y += kTitleLine;
        }
        add(textAt(middle, title_y - kTitleLine / 2.0 + kLine / 2.0 + kGap, figure_.column_axis,
                   {kLabelSize, kFaint, "middle"}));
        add(textAt(row_name_, map_.y + map_.height / 2.0, figure_.row_axis,
                   {kLabelSize, kFaint, "middle", false, true}));
        double y = map_.y + map_.height + kLine + kNoteLine / 2.0;
        for (const std::string& line : note_) {
            add(textAt(kEdge, y, line, {kNoteSize, kFaint}));
            y += kNoteLine;
        }
    }

    void addLabels() {
        const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(kLine / side_)));
        const double x = bars_.x < map_.x ? bars_.x - kGap : map_.x - kGap;
        for (std::size_t i = 0; i < positions_; i += step) {
            const double middle = (static_cast<double>(i) + 0.5) * side_;
            add(textAt(x, map_.y + middle, labels_[i], {kLabelSize, kText, "end"}));
            const TextLook above{kLabelSize, kText, is_upright_ ? "start" : "middle", false,
                                 is_upright_};
            add(textAt(map_.x + middle, map_.y - kGap - (is_upright_ ? 0.0 : kLine / 2.0),
                       labels_[i], above));
        }
    }

    /// "‹·to› 14 → ‹·Mary› 2: 0.862"
    std::string cellTitle(std::size_t row, std::size_t column) const {
        const auto named = [this](std::size_t position) {
            return "‹" + figure_.labels[position] + "› " + std::to_string(position);
        };
        return "<title>" +
               htmlText(named(row) + " → " + named(column) + ": " +
                        fixedText(static_cast<double>(figure_.cells(row, column)), 3)) +
               "</title>";
    }

    Rgb colourOf(std::size_t row, std::size_t column) const {
        return rgbAt(figure_.colours.map,
                     fractionOf(static_cast<double>(figure_.cells(row, column)), figure_.colours));
    }

    void addCells() {
        const double inset = side_ >= kLinesFrom ? 0.5 : 0.0; // what shows between two cells
        for (std::size_t row = 0; row < rows_; ++row)
            for (std::size_t column = 0; column < columns_; ++column) {
                if (std::isnan(figure_.cells(row, column)))
                    continue;
                const Box box{map_.x + static_cast<double>(column) * side_ + inset,
                              map_.y + static_cast<double>(row) * side_ + inset,
                              side_ - 2.0 * inset, side_ - 2.0 * inset};
                const bool has_title = rows_ * columns_ <= kMostTitles;
                add(rectangle(box, hexOf(colourOf(row, column)),
                              has_title ? cellTitle(row, column) : std::string()));
                if (side_ >= kNumbersFrom)
                    addNumber(row, column, box);
            }
    }

    void addNumber(std::size_t row, std::size_t column, const Box& box) {
        const bool is_light = isLight(colourOf(row, column));
        const TextLook look{std::clamp(side_ * 0.3, 10.0, 14.0), is_light ? "#000000" : "#ffffff",
                            "middle"};
        const auto value = static_cast<double>(figure_.cells(row, column));
        // What is pointed at is the cell below.
        add("<g pointer-events=\"none\"" +
            std::string(value < kSeenFrom ? " fill-opacity=\"0.5\">" : ">") +
            textAt(box.x + box.width / 2.0, box.y + box.height / 2.0, cellText(value), look) +
            "</g>");
    }

    void addImage() {
        std::vector<Rgb> pixels;
        pixels.reserve(rows_ * columns_);
        for (std::size_t row = 0; row < rows_; ++row)
            for (std::size_t column = 0; column < columns_; ++column)
                pixels.push_back(std::isnan(figure_.cells(row, column)) ? 0U
                                                                        : colourOf(row, column));
        add("<image x=\"" + px(map_.x) + "\" y=\"" + px(map_.y) + "\" width=\"" + px(map_.width) +
            "\" height=\"" + px(map_.height) +
            "\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
            "href=\"data:image/png;base64," +
            base64(pngOf(pixels, columns_, rows_)) + "\"/>");
    }

    void addBars() {
        for (std::size_t row = 0; row < figure_.bars.size(); ++row) {
            const double inset = side_ >= kLinesFrom ? side_ * 0.25 : 0.0;
            const double share = std::clamp(static_cast<double>(figure_.bars[row]), 0.0, 1.0);
            add(rectangle({bars_.x + 1.0, bars_.y + static_cast<double>(row) * side_ + inset,
                           (bars_.width - 2.0) * share, side_ - 2.0 * inset},
                          kBar));
        }
    }

    void addScale() {
        const Box bar{map_.x + map_.width + kScaleGap, map_.y, kScaleBar, map_.height};
        std::string stops;
        for (int i = 0; i <= 16; ++i)
            stops += "<stop offset=\"" + px(i / 16.0) + "\" stop-color=\"" +
                     hexOf(rgbAt(figure_.colours.map, i / 16.0)) + "\"/>";
        // Its name is of these colours alone: a page may hold several figures.
        const std::string name =
            "headscope-colours-" + std::to_string(static_cast<int>(figure_.colours.map));
        add("<linearGradient id=\"" + name + "\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">" + stops +
            "</linearGradient>");
        add(rectangle(bar, "url(#" + name + ")"));
        add("<path fill=\"none\" stroke=\"" + std::string(kFrame) + "\" d=\"" + outline(bar) +
            "\"/>");
        const bool is_linear = figure_.colours.scale == ValueScale::Linear;
        const std::vector<double> marks =
            is_linear ? std::vector{0.0, 0.2, 0.4, 0.6, 0.8, 1.0} : scaleMarks(figure_.colours);
        const double right = bar.x + bar.width;
        for (const double mark : marks) {
            const double y = bar.y + (1.0 - fractionOf(mark, figure_.colours)) * bar.height;
            add("<path stroke=\"" + std::string(kFrame) + "\" d=\"M" + px(right) + " " + px(y) +
                "h3\"/>");
            add(textAt(right + 6.0, y, numberText(mark), {kNoteSize, kText}));
        }
        add(textAt(right + kScaleWidth - kScaleBar - kLine / 2.0, bar.y + bar.height / 2.0,
                   figure_.value_name, {kLabelSize, kFaint, "middle", false, true}));
    }

    const PatternFigure& figure_;
    std::size_t positions_;
    std::size_t rows_;
    std::size_t columns_;
    std::vector<std::string> labels_;
    std::vector<std::string> title_;
    std::vector<std::string> note_;
    double side_ = 0.0; ///< of the cell of one position
    bool is_upright_ = false;
    double width_ = 0.0;
    double row_name_ = 0.0;
    Box map_;
    Box bars_; ///< of the first row
    std::string svg_;
};

} // namespace

std::string figureSvg(const PatternFigure& figure) {
    return FigureWriter(figure)();
}

} // namespace headscope
