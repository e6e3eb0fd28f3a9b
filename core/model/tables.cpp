#include "core/model/tables.h"

#include "core/base/text.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr std::string_view kBlock = "blocks.";

/// 3 of "blocks.3.attn.W_Q"
std::optional<std::string> layerNumberOf(const std::string& role) {
    if (!role.starts_with(kBlock))
        return std::nullopt;
    return role.substr(kBlock.size(), role.find('.', kBlock.size()) - kBlock.size());
}

/// With the layer's number as "*" wherever it is a part of the name: "h.3.attn" and "h_._3/attn".
std::string withoutLayer(std::string name, const std::string& layer) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    for (std::size_t at = name.find(layer); at != std::string::npos;
         at = name.find(layer, at + 1)) {
        const std::size_t end = at + layer.size();
        const bool whole =
            (at == 0 || !is_digit(name[at - 1])) && (end == name.size() || !is_digit(name[end]));
        if (whole)
            return name.replace(at, layer.size(), "*");
    }
    return name;
}

/// Role, tensor, shape, type and transform.
using TensorTexts = std::array<std::string, 5>;

TensorTexts textsOf(const LoadReport::Used& used) {
    TensorTexts texts{used.role, used.tensor, shapeText(used.shape), used.type, used.transform};
    if (const auto layer = layerNumberOf(used.role)) {
        texts[0] = withoutLayer(texts[0], *layer);
        texts[1] = withoutLayer(texts[1], *layer);
    }
    return texts;
}

} // namespace

Table promptTable(const Prompt& prompt, const Provenance& provenance) {
    Table table;
    table.caption = counted(prompt.ids.size(), "token") + ". " + prompt.bos_reason;
    table.key = "tokens";
    table.columns = {
        {.key = "position", .title = "position"},
        {.key = "id", .title = "id"},
        {.key = "piece"},
        {.key = "piece text", .title = "token", .files = Files::None},
        {.key = "begin", .files = Files::Csv, .meaning = "First code point of the text"},
        {.key = "end", .files = Files::Csv, .meaning = "Code point after the last one of the text"},
        {.key = "offsets",
         .files = Files::Json,
         .meaning = "First code point of the text, and the one after its last"}};
    if (!prompt.segments.empty())
        table.columns.push_back({.key = "segment",
                                 .title = "segment",
                                 .meaning = "0, or 1 in the second of two texts"});
    for (std::size_t i = 0; i < prompt.ids.size(); ++i) {
        const auto [begin, end] = prompt.offsets[i];
        TableRow& row = table.rows.emplace_back(TableRow{i, prompt.ids[i], prompt.pieces[i],
                                                         displayPiece(prompt.pieces[i]), begin, end,
                                                         List{begin, end}});
        if (!prompt.segments.empty())
            row.emplace_back(prompt.segments[i]);
    }
    table.fields = {{"has_bos", prompt.has_bos},
                    {"bos_reason", prompt.bos_reason},
                    {"prompt", provenance.promptId(), Files::Csv}};
    table.provenance = provenance;
    return table;
}

Table matrixTable(const ModelCard& card) {
    Table table;
    table.columns = {
        {.key = "matrix", .title = "matrix", .meaning = "* is the number of a layer or expert"},
        {.key = "shape", .title = "shape"},
        {.key = "parameters",
         .title = "parameters",
         .meaning = "How many numbers one such matrix has"},
        {.key = "count",
         .title = "count",
         .meaning = "How many such matrices there are, in all layers and experts"}};
    for (const ModelCard::Matrix& matrix : card.matrices)
        table.rows.push_back(
            {matrix.name, shapeText(matrix.shape), matrix.parameters, matrix.count});
    return table;
}

Table usedTensorTable(const LoadReport& report) {
    std::map<TensorTexts, std::size_t> count;
    std::vector<TensorTexts> kinds;
    for (const LoadReport::Used& used : report.used) {
        TensorTexts texts = textsOf(used);
        if (++count[texts] == 1)
            kinds.push_back(std::move(texts));
    }
    Table table;
    table.caption = counted(report.used.size(), "tensor") + " used" +
                    (report.ignored.empty() ? ", none ignored:" : ":");
    table.columns = {
        {.key = "role", .title = "role", .meaning = "What it is read as; * is the layer's number"},
        {.key = "tensor",
         .title = "tensor",
         .meaning = "Name in the file; * is the layer's number"},
        {.key = "shape", .title = "shape", .meaning = "In the file"},
        {.key = "type", .title = "type", .meaning = "In the file"},
        {.key = "transform", .title = "read", .meaning = "How it was read"},
        {.key = "count", .title = "count", .meaning = "Such tensors, in all layers"}};
    for (const TensorTexts& texts : kinds) {
        TableRow& row = table.rows.emplace_back(texts.begin(), texts.end());
        row.emplace_back(count.at(texts));
    }
    return table;
}

Table ignoredTensorTable(const LoadReport& report) {
    Table table;
    table.caption = counted(report.ignored.size(), "tensor") + " ignored:";
    table.columns = {{.key = "tensor", .title = "tensor"}, {.key = "reason", .title = "reason"}};
    for (const LoadReport::Ignored& ignored : report.ignored)
        table.rows.push_back({ignored.tensor, ignored.reason});
    return table;
}

Table missingTensorTable(const LoadReport& report) {
    Table table;
    table.caption = counted(report.missing.size(), "tensor") + " missing:";
    table.columns = {{.key = "tensor", .title = "tensor"},
                     {.key = "expected", .title = "expected by the config"}};
    for (const LoadReport::Missing& missing : report.missing)
        table.rows.push_back({missing.tensor, missing.expected});
    return table;
}

} // namespace headscope
