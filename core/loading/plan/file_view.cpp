#include "core/loading/plan/file_view.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

/// Lines 0, 1, … of a role, `stride` apart in the file.
std::vector<FileView::Line> evenLines(std::size_t count, std::size_t stride,
                                      std::size_t first = 0) {
    std::vector<FileView::Line> lines(count);
    for (std::size_t i = 0; i < count; ++i)
        lines[i] = {i, first + i * stride};
    return lines;
}

/// Lines of heads that follow one another in the file, each of `size` elements; those of one head
/// are `stride` apart.
std::vector<FileView::Line> headLines(std::size_t count, std::size_t d_head, std::size_t size,
                                      std::size_t stride) {
    std::vector<FileView::Line> lines(count);
    for (std::size_t i = 0; i < count; ++i)
        lines[i] = {i, i / d_head * size + i % d_head * stride};
    return lines;
}

/// Each head's matrix by itself: its columns are the role's columns, of W_O its rows are the role's
/// rows. A vector is as it would be without the axis of heads.
FileView perHeadView(const RoleInfo& role, bool transposed, const ModelSpec& spec) {
    const std::size_t rows = dimSize(role.rows, spec);
    const std::size_t cols = dimSize(role.cols, spec);
    const std::size_t d_head = headWidth(role, spec);
    if (role.isVector())
        return {evenLines(1, cols), evenLines(cols, 1)};
    const std::size_t size = d_head * (role.rows == Dim::Z ? cols : rows);
    if (role.rows == Dim::Z)
        return {headLines(rows, d_head, size, transposed ? 1 : cols),
                evenLines(cols, transposed ? d_head : 1)};
    return {evenLines(rows, transposed ? 1 : d_head),
            headLines(cols, d_head, size, transposed ? rows : 1)};
}

/// Matrices [2·cols, rows] or [cols, rows] of all experts one after another, each transposed; the
/// role's columns are `first` and those after it in each matrix. In memory their rows follow one
/// another, too.
FileView expertsView(std::size_t n_experts, std::size_t rows, std::size_t cols,
                     std::size_t file_rows, std::size_t first) {
    FileView view{{}, evenLines(cols, rows, first * rows)};
    view.rows.reserve(n_experts * rows);
    for (std::size_t expert = 0; expert < n_experts; ++expert)
        for (std::size_t row = 0; row < rows; ++row)
            view.rows.push_back({view.rows.size(), expert * file_rows * rows + row});
    return view;
}

/// Matrices [rows, parts·cols] of all experts one after another, or vectors, which are one row
/// each; the role's columns are `first` and every `stride`-th after it.
FileView columnsView(std::size_t n_experts, std::size_t rows, std::size_t cols, std::size_t parts,
                     std::size_t stride, std::size_t first) {
    return {evenLines(n_experts * rows, parts * cols), evenLines(cols, stride, first)};
}

/// In the file the queries of a KV head come first, then its key and its value; in W_QKV all
/// queries, then all keys, then all values. One file row holds `stride` elements.
std::vector<FileView::Line> groupedQkvColumns(const ModelSpec& spec, std::size_t stride) {
    std::vector<FileView::Line> lines;
    lines.reserve(spec.qkvWidth());
    const std::size_t queries = spec.headsPerGroup();
    const auto addHead = [&](std::size_t group, std::size_t place_in_group) {
        const std::size_t file_head = group * (queries + 2) + place_in_group;
        for (std::size_t d = 0; d < spec.d_head; ++d)
            lines.push_back({lines.size(), (file_head * spec.d_head + d) * stride});
    };
    for (std::size_t head = 0; head < spec.n_heads; ++head)
        addHead(head / queries, head % queries);
    for (const std::size_t key_or_value : {queries, queries + 1})
        for (std::size_t group = 0; group < spec.n_kv_heads; ++group)
            addHead(group, key_or_value);
    return lines;
}

/// In the file the columns are in quarters of all heads: the queries of one, its values, its keys.
/// One file row holds `stride` elements.
std::vector<FileView::Line> quarteredQvkColumns(const ModelSpec& spec, std::size_t stride) {
    constexpr std::array<std::size_t, 3> kPlaceInQuarter{0, 2, 1}; // of queries, keys, values
    std::vector<FileView::Line> lines;
    lines.reserve(spec.qkvWidth());
    const std::size_t quarter = spec.queryWidth() / 4;
    for (const std::size_t place : kPlaceInQuarter)
        for (std::size_t i = 0; i < spec.queryWidth(); ++i) {
            const std::size_t row = (i / quarter * 3 + place) * quarter + i % quarter;
            lines.push_back({lines.size(), row * stride});
        }
    return lines;
}

/// Lines of heads in each of whose blocks of `block` lines in the file they begin with `first`;
/// `stride` elements apart. `turned` of the lines of a head stand last in its block, else none do.
std::vector<FileView::Line> blockLines(std::size_t count, std::size_t width, std::size_t block,
                                       std::size_t first, std::size_t stride,
                                       std::size_t turned = 0) {
    std::vector<FileView::Line> lines(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t in_head = (i % width + width - turned) % width;
        lines[i] = {i, (i / width * block + first + in_head) * stride};
    }
    return lines;
}

/// One of the two parts of each head's block of keys and values.
FileView keysOrValues(bool values, std::size_t rows, std::size_t cols, const ModelSpec& spec) {
    const std::size_t own = spec.ownKeyDim();
    const std::size_t width = values ? spec.valueDim() : own;
    return {evenLines(rows, 1),
            blockLines(cols, width, own + spec.valueDim(), values ? own : 0, rows)};
}

FileView viewByLayout(const RoleInfo& role, Layout layout, const ModelSpec& spec) {
    const std::size_t rows = dimSize(role.rows, spec);
    const std::size_t cols = dimSize(role.cols, spec);
    switch (layout) {
    case Layout::AsStored:
    case Layout::OneRow:
        break;
    case Layout::Transposed:
        return {evenLines(rows, 1), evenLines(cols, rows)};
    case Layout::PerHead:
    case Layout::PerHeadTransposed:
        return perHeadView(role, layout == Layout::PerHeadTransposed, spec);
    case Layout::OneHead:
        return {evenLines(1, 1), evenLines(spec.d_head, 1)};
    case Layout::GroupedQkv:
        return {evenLines(rows, 1), groupedQkvColumns(spec, rows)};
    case Layout::QuarteredQvk:
        return {evenLines(rows, 1), quarteredQvkColumns(spec, rows)};
    case Layout::FirstHalf:
        return {evenLines(rows, 1), evenLines(cols, rows)};
    case Layout::SecondHalf:
        return {evenLines(rows, 1), evenLines(cols, rows, cols * rows)};
    case Layout::GainMinusOne:
        return {evenLines(rows, cols), evenLines(cols, 1), 1.0f};
    case Layout::ExpertsTransposed:
    case Layout::ExpertsStackedTransposed:
        return expertsView(spec.experts->n_experts, rows, cols, cols, 0);
    case Layout::ExpertsFirstHalf:
        return expertsView(spec.experts->n_experts, rows, cols, 2 * cols, 0);
    case Layout::ExpertsSecondHalf:
        return expertsView(spec.experts->n_experts, rows, cols, 2 * cols, cols);
    case Layout::ExpertsAsStored:
    case Layout::ExpertsStacked:
        return columnsView(spec.experts->n_experts, rows, cols, 1, 1, 0);
    case Layout::ExpertsFirstCols:
        return columnsView(spec.experts->n_experts, rows, cols, 2, 1, 0);
    case Layout::ExpertsSecondCols:
        return columnsView(spec.experts->n_experts, rows, cols, 2, 1, cols);
    case Layout::ExpertsEven:
        return columnsView(spec.experts->n_experts, rows, cols, 2, 2, 0);
    case Layout::ExpertsOdd:
        return columnsView(spec.experts->n_experts, rows, cols, 2, 2, 1);
    case Layout::RotatedLast:
        return {evenLines(rows, 1),
                blockLines(cols, spec.d_head, spec.d_head, 0, rows, spec.latent->d_shared)};
    case Layout::LatentPart:
        return {evenLines(rows, 1), evenLines(cols, rows)};
    case Layout::SharedKeyPart:
        return {evenLines(rows, 1), evenLines(cols, rows, spec.latent->d_kv * rows)};
    case Layout::OwnKeyParts:
    case Layout::ValueParts:
        return keysOrValues(layout == Layout::ValueParts, rows, cols, spec);
    }
    return {evenLines(rows, cols), evenLines(cols, 1)};
}

/// Moves lines that count the heads of the file to where these heads are in the whole network.
void spreadHeads(std::vector<FileView::Line>& lines, const std::vector<std::size_t>& pruned,
                 const ModelSpec& spec) {
    std::vector<std::size_t> kept;
    for (std::size_t head = 0; head < spec.n_heads; ++head)
        if (!std::ranges::binary_search(pruned, head))
            kept.push_back(head);
    const std::size_t width = kept.size() * spec.d_head; // of all queries, or all keys, …
    for (FileView::Line& line : lines) {
        const std::size_t in_width = line.index % width;
        line.index = line.index / width * spec.queryWidth() +
                     kept[in_width / spec.d_head] * spec.d_head + in_width % spec.d_head;
    }
}

bool countsHeads(Dim dim) {
    return dim == Dim::Query || dim == Dim::Key || dim == Dim::Value || dim == Dim::Z ||
           dim == Dim::Qkv || dim == Dim::OwnKey;
}

} // namespace

FileView fileView(const PlannedTensor& planned, const ModelSpec& spec) {
    const RoleInfo& role = roleInfo(planned.role);
    FileView view = viewByLayout(role, planned.layout, specInFile(spec, planned.layer));
    view.factor = static_cast<float>(planned.factor);
    if (!spec.pruned_heads.empty() && countsHeads(role.rows))
        spreadHeads(view.rows, spec.pruned_heads[planned.layer], spec);
    if (!spec.pruned_heads.empty() && countsHeads(role.cols))
        spreadHeads(view.cols, spec.pruned_heads[planned.layer], spec);
    return view;
}

} // namespace headscope
