#include "core/export/pattern_figure.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/io/atomic_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kMostCells = 512; ///< on a side; longer prompts are pooled
constexpr std::size_t kBlockRows = 64;
constexpr std::size_t kShownPrompt = 60; ///< characters of the note
constexpr float kNotShown = std::numeric_limits<float>::quiet_NaN();

std::string between() {
    return " · ";
}

/// [query], 0 where the mask hides it.
std::vector<float> firstColumn(const Run& run, LayerHead head) {
    const std::size_t n = run.positions();
    const Tensor column = run.pooledPattern(head, {0, n}, {0, 1}, n, 1);
    std::vector<float> values(column.values().begin(), column.values().end());
    std::ranges::replace_if(
        values, [](float value) { return std::isnan(value); }, 0.0f);
    return values;
}

/// Scales a row, from which the first key was taken, so that it sums to 1 again.
void rescale(std::span<float> row) {
    double left = 0.0;
    for (const float value : row)
        left += std::isnan(value) ? 0.0 : static_cast<double>(value);
    if (left > 0.0)
        for (float& value : row)
            value = static_cast<float>(static_cast<double>(value) / left);
}

/// Without the first key, the largest of each part, [part of queries, part of keys].
Tensor pooledWithoutFirst(const Run& run, LayerHead head, bool rescaled) {
    const std::size_t n = run.positions();
    const std::size_t parts = std::min(n, kMostCells);
    const auto part_of = [&](std::size_t position) { return ((position + 1) * parts - 1) / n; };
    Tensor pooled({parts, parts}, kNotShown);
    for (std::size_t begin = 0; begin < n; begin += kBlockRows) {
        const std::size_t end = std::min(begin + kBlockRows, n);
        Tensor rows = run.pooledPattern(head, {begin, end}, {0, n}, end - begin, n);
        for (std::size_t row = begin; row < end; ++row) {
            const std::span<float> values{rows.matrix().row(row - begin), n};
            values[0] = kNotShown;
            if (rescaled)
                rescale(values);
            for (std::size_t key = 0; key < n; ++key) {
                float& cell = pooled(part_of(row), part_of(key));
                if (std::isnan(cell) || values[key] > cell)
                    cell = values[key];
            }
        }
    }
    return pooled;
}

std::string excerpt(const Prompt& prompt) {
    std::string text = promptText(prompt);
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    const std::string_view kept = firstCharacters(text, kShownPrompt);
    return kept.size() < text.size() ? std::string(kept) + " …" : text;
}

std::string noteOf(const Run& run, const Prompt& prompt, const HeadMask& mask) {
    std::string note = run.model->name + between() + "“" + excerpt(prompt) + "”" + between() +
                       (prompt.has_bos ? "with BOS" : "without BOS");
    if (!mask.empty())
        note += between() + "ablated: " + mask.text();
    return note;
}

std::string percentText(double share) {
    const double percent = 100.0 * share;
    return fixedText(percent, percent < 10.0 ? 1 : 0) + " %";
}

std::vector<std::string> labelsOf(const Prompt& prompt) {
    std::vector<std::string> labels;
    for (const std::string& piece : prompt.pieces)
        labels.push_back(displayPiece(piece));
    return labels;
}

void leaveFirstKeyOut(PatternFigure& figure, const Prompt& prompt, double share, bool rescaled) {
    figure.column_axis = "key, without ‹" + displayPiece(prompt.pieces.front()) + "› (" +
                         percentText(share) + " of the attention)";
    figure.note += between() + "first key hidden";
    if (rescaled)
        figure.note += between() + "rows divided by what is left of them";
    figure.note += between() + "grey bars: what the first key gets";
    if (figure.colours.scale == ValueScale::SquareRoot)
        figure.note += between() + "colours by the square root";
    if (figure.colours.scale == ValueScale::Logarithmic)
        figure.note += between() + "colours logarithmic";
}

} // namespace

Result<PatternFigure> patternFigure(const Run& run, const Prompt& prompt, const HeadMask& mask,
                                    LayerHead head, const PatternLook& look) {
    if (auto checked = checkHead(head, run.model->spec); !checked)
        return checked.error();
    PatternFigure figure;
    figure.labels = labelsOf(prompt);
    figure.title = "L" + std::to_string(head.layer) + " H" + std::to_string(head.head);
    if (mask.isAblated(head))
        figure.title +=
            between() + "ablated (" + std::string(ablationKindName(mask.heads().at(head))) + ")";
    if (!look.types.empty())
        figure.title += between() + look.types;
    figure.note = noteOf(run, prompt, mask);
    std::vector<float> sink = run.sinkWeights(head);
    const std::string sink_share = sink.empty() ? "" : percentText(shareOfSink(sink));
    if (!sink.empty())
        figure.note += between() + "learned sink takes " + sink_share + " of the attention";
    std::vector<float> first = firstColumn(run, head);
    const double share = shareOfFirstKey(first);
    const bool is_hidden = hidesFirstKey(look.first_key, share);
    figure.colours = {look.colours, 0.0, 1.0,
                      look.scale.value_or(fittingScale(is_hidden, look.rescale_rows, share))};
    if (!is_hidden) {
        figure.cells = run.pooledPattern(head, {0, run.positions()}, {0, run.positions()},
                                         kMostCells, kMostCells);
        if (!sink.empty()) {
            figure.bars = std::move(sink);
            figure.bars_beside = true;
            figure.column_axis = "key, beside a learned sink (" + sink_share + " of the attention)";
            figure.note += between() + "grey bars: what the learned sink takes";
        }
        return figure;
    }
    figure.cells = pooledWithoutFirst(run, head, look.rescale_rows);
    figure.bars = std::move(first);
    leaveFirstKeyOut(figure, prompt, share, look.rescale_rows);
    return figure;
}

Result<void> writeFigure(const std::filesystem::path& path, const PatternFigure& figure) {
    if (path.extension() != ".svg")
        return Error{ErrorCode::InvalidArgument,
                     "The figure is written as .svg, and " + path.string() +
                         " has another ending; choose a name that ends in .svg."};
    return writeFileAtomically(path, figureSvg(figure));
}

} // namespace headscope
