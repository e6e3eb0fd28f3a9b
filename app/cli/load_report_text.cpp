#include "app/cli/load_report_text.h"

#include "app/cli/text_table.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <map>
#include <optional>

namespace headscope::cli {

namespace {

constexpr std::string_view kBlock = "blocks.";

/// 3 of "blocks.3.attn.W_Q"
std::optional<std::string> layerOf(const std::string& role) {
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

Row lineOf(const LoadReport::Used& used) {
    Row line{used.role, used.tensor, shapeText(used.shape), used.type, used.transform};
    if (const auto layer = layerOf(used.role)) {
        line[0] = withoutLayer(line[0], *layer);
        line[1] = withoutLayer(line[1], *layer);
    }
    return line;
}

void printUsed(std::ostream& out, const std::vector<LoadReport::Used>& used) {
    std::map<Row, std::size_t> count;
    std::vector<Row> lines;
    for (const LoadReport::Used& tensor : used) {
        Row line = lineOf(tensor);
        if (++count[line] == 1)
            lines.push_back(std::move(line));
    }
    std::vector<Row> rows{{"role", "tensor", "shape", "type", "read", "count"}};
    for (const Row& line : lines) {
        rows.push_back(line);
        rows.back().push_back(std::to_string(count.at(line)));
    }
    printRows(out, rows);
}

} // namespace

void printLoadReport(std::ostream& out, const LoadReport& report) {
    printUsed(out, report.used);
    out << '\n' << report.used.size() << " tensors used";
    out << (report.ignored.empty() ? ", none ignored\n" : "; ignored:\n");
    std::vector<Row> ignored;
    for (const LoadReport::Ignored& tensor : report.ignored)
        ignored.push_back({tensor.tensor, tensor.reason});
    printRows(out, ignored, 2);
    if (!report.unused_config_keys.empty())
        out << "config keys without effect: "
            << escapeControls(join(report.unused_config_keys, ", ")) << '\n';
    for (const std::string& note : report.notes)
        out << "note: " << escapeControls(note) << '\n';
}

} // namespace headscope::cli
