#include "core/export/graphml.h"

#include "core/export/formats/html.h"
#include "core/io/atomic_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

namespace {

bool isNothing(const Value& value) {
    if (const auto* number = std::get_if<double>(&value.held))
        return !std::isfinite(*number);
    if (const auto* number = std::get_if<float>(&value.held))
        return !std::isfinite(*number);
    return std::holds_alternative<std::monostate>(value.held);
}

/// In the words of GraphML.
std::string_view typeName(const Value& value) {
    if (std::holds_alternative<std::int64_t>(value.held))
        return "long";
    if (std::holds_alternative<bool>(value.held))
        return "boolean";
    const bool is_real =
        std::holds_alternative<double>(value.held) || std::holds_alternative<float>(value.held);
    return is_real ? "double" : "string";
}

/// Declares the values of nodes, edges or the graph; `records` are those of all of them.
std::string keys(std::string_view of, char id, std::span<const Record> records) {
    std::string text;
    const std::size_t count = records.empty() ? 0 : records.front().size();
    for (std::size_t i = 0; i < count; ++i) {
        const auto known = std::ranges::find_if_not(
            records, [i](const Record& record) { return isNothing(record[i].value); });
        const Value none = "";
        text += "  <key id=\"" + std::string(1, id) + std::to_string(i) + "\" for=\"" +
                std::string(of) + "\" attr.name=\"" + htmlText(records.front()[i].name) +
                "\" attr.type=\"" +
                std::string(typeName(known == records.end() ? none : (*known)[i].value)) + "\"/>\n";
    }
    return text;
}

/// Numbers and truths as XML Schema has them.
std::string dataText(const Value& value) {
    if (const auto* truth = std::get_if<bool>(&value.held))
        return *truth ? "true" : "false";
    return htmlText(plainText(value));
}

std::string data(char id, const Record& values, std::string_view indent) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!isNothing(values[i].value))
            text += std::string(indent) + "<data key=\"" + std::string(1, id) + std::to_string(i) +
                    "\">" + dataText(values[i].value) + "</data>\n";
    return text;
}

Record recordOfGraph(const Graph& graph) {
    Record record;
    for (const Field& field : graph.fields)
        record.push_back({field.key, field.value});
    const Provenance& provenance = graph.provenance;
    record.push_back({"model", provenance.model_name});
    record.push_back({"model_sha256", provenance.model_sha256});
    record.push_back({"prompt", provenance.prompt_text});
    record.push_back({"ablation", provenance.ablation});
    record.push_back({"app_version", provenance.app_version});
    return record;
}

} // namespace

std::string graphMl(const Graph& graph) {
    std::vector<Record> edges;
    std::ranges::transform(graph.edges, std::back_inserter(edges), &Graph::Edge::values);
    const Record whole = recordOfGraph(graph);
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
    text +=
        keys("graph", 'g', {&whole, 1}) + keys("node", 'v', graph.nodes) + keys("edge", 'e', edges);
    text += "  <graph edgedefault=\"directed\">\n" + data('g', whole, "    ");
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        text += "    <node id=\"n" + std::to_string(i) + "\">\n" +
                data('v', graph.nodes[i], "      ") + "    </node>\n";
    for (const Graph::Edge& edge : graph.edges)
        text += "    <edge source=\"n" + std::to_string(edge.from) + "\" target=\"n" +
                std::to_string(edge.to) + "\">\n" + data('e', edge.values, "      ") +
                "    </edge>\n";
    return text + "  </graph>\n</graphml>\n";
}

Result<void> writeGraphMl(const std::filesystem::path& path, const Graph& graph) {
    return writeFileAtomically(path, graphMl(graph));
}

} // namespace headscope
