#include "core/export/report.h"

#include "core/export/formats/html.h"

#include <algorithm>
#include <string_view>

namespace headscope {

namespace {

std::string paragraphs(const std::vector<std::string>& sentences) {
    std::string html;
    for (const std::string& sentence : sentences)
        html += htmlElement("p", sentence);
    return html;
}

std::string missing(const Error& error) {
    return htmlElement("p", error.message, " class=\"missing\"");
}

std::string tableOr(const Result<Table>& table) {
    return table ? htmlTable(*table) : missing(table.error());
}

std::string factsHtml(const std::vector<ReportFact>& facts, std::string_view caption) {
    std::string html = "<table class=\"facts\">\n" + htmlElement("caption", caption) + "<tbody>\n";
    for (const ReportFact& fact : facts)
        html += "<tr>\n" + htmlElement("th", fact.name, " scope=\"row\"") +
                htmlElement("td", fact.value) + "</tr>\n";
    return html + "</tbody>\n</table>\n";
}

std::string tokensHtml(const std::vector<ReportToken>& tokens) {
    std::string html = "<ol class=\"tokens\" aria-label=\"Tokens\">\n";
    for (std::size_t position = 0; position < tokens.size(); ++position) {
        const ReportToken& token = tokens[position];
        html += token.is_special ? "<li class=\"special\">" : "<li>";
        html += "<small>" + std::to_string(position) + "</small> <bdi>" + htmlText(token.text) +
                "</bdi></li>\n";
    }
    html += "</ol>\n";
    if (std::ranges::any_of(tokens, &ReportToken::is_special))
        html += htmlElement(
            "p", "A dashed frame marks special tokens, such as BOS. Numbers are positions.",
            " class=\"quiet\"");
    return html;
}

std::string promptHtml(const ReportPrompt& prompt) {
    std::string html = htmlElement("blockquote", prompt.text, " dir=\"auto\"") +
                       tokensHtml(prompt.tokens) + htmlElement("p", prompt.bos) +
                       paragraphs(prompt.outcome) + tableOr(prompt.predictions);
    if (!prompt.ablation.empty())
        html += htmlElement("h3", "Ablated heads") + paragraphs(prompt.ablation);
    return html;
}

/// Without what comes before the picture itself.
std::string figureHtml(const ReportFigure& figure) {
    constexpr std::string_view tag = "<svg";
    const std::size_t begin = figure.svg.find(tag);
    const std::string picture =
        begin == std::string::npos ? "" : figure.svg.substr(begin + tag.size());
    return "<figure>\n<svg role=\"img\" aria-label=\"" + htmlText(figure.alternative) + "\"" +
           picture + "\n" + htmlElement("figcaption", figure.caption) + "</figure>\n";
}

std::string headHtml(const ReportHead& head) {
    return tableOr(head.types) +
           (head.figure ? figureHtml(*head.figure) : missing(head.figure.error())) +
           paragraphs(head.readings);
}

std::string labelHtml(const ReportType& type, std::string_view text) {
    return "<span class=\"label\" style=\"background:" + htmlText(type.colour) +
           ";color:" + htmlText(type.text_colour) + "\">" + htmlText(text) + "</span>";
}

std::string cellHtml(const ReportCell& cell, const std::vector<ReportType>& types) {
    if (cell.is_removed)
        return "<td class=\"gap\"></td>\n";
    std::string html = cell.is_selected ? "<td class=\"selected\">" : "<td>";
    for (const ReportCell::Label& label : cell.labels) {
        const ReportType& type = types[label.type];
        html += labelHtml(type, std::string(1, type.letter) + " " + label.score);
    }
    return html + (cell.is_ablated ? "<span class=\"off\">ablated</span></td>\n" : "</td>\n");
}

std::string gridTable(const ReportGrid& grid) {
    constexpr std::size_t kMany = 12; // heads that fit on the width of a page
    std::size_t n_heads = 0;
    for (const auto& layer : grid.layers)
        n_heads = std::max(n_heads, layer.size());
    std::string html =
        n_heads > kMany ? "<div class=\"grid wide many\">" : "<div class=\"grid wide\">";
    html += "<table>\n" + htmlElement("caption", "Types and their scores by layer and head") +
            "<thead><tr><td></td>\n";
    for (std::size_t head = 0; head < n_heads; ++head)
        html += htmlElement("th", "H" + std::to_string(head), " scope=\"col\"");
    html += "</tr></thead>\n<tbody>\n";
    for (std::size_t layer = 0; layer < grid.layers.size(); ++layer) {
        html += "<tr>\n" + htmlElement("th", "L" + std::to_string(layer), " scope=\"row\"");
        for (const ReportCell& cell : grid.layers[layer])
            html += cellHtml(cell, grid.types);
        html += "</tr>\n";
    }
    return html + "</tbody>\n</table></div>\n";
}

std::string legendHtml(const std::vector<ReportType>& types) {
    std::string html = "<ul class=\"legend\" aria-label=\"Types of heads\">\n";
    for (const ReportType& type : types)
        html +=
            "<li>" + labelHtml(type, std::string(1, type.letter)) + htmlText(type.name) + "</li>\n";
    return html + "</ul>\n";
}

std::string gridHtml(const ReportGrid& grid) {
    if (grid.labels.rows.empty())
        return paragraphs(grid.notes) + htmlElement("p", "No head has a type.");
    return gridTable(grid) +
           htmlElement("p", "A thick frame marks the selected head.", " class=\"quiet\"") +
           legendHtml(grid.types) + paragraphs(grid.notes) + htmlTable(grid.labels);
}

std::string sourceHtml(const ReportSource& source) {
    std::string html =
        htmlElement("p", "Headscope comes with headscope-cli, which gives the same numbers. Run "
                         "these lines in the folder of the model whose SHA-256 stands above.");
    for (const ReportCommand& command : source.commands)
        html += htmlElement("p", command.purpose) + htmlElement("pre", command.line);
    html += source.thresholds.empty()
                ? htmlElement("p", "All thresholds of types are the default.")
                : factsHtml(source.thresholds, "Thresholds that are not the default");
    if (!source.notes.empty())
        html += htmlElement("h3", "How the weights were read") + paragraphs(source.notes);
    return html;
}

std::string section(std::string_view heading, const std::string& content) {
    return "<section>\n" + htmlElement("h2", heading) + content + "</section>\n";
}

template <class Part>
std::string partHtml(const Result<Part>& part, std::string (*html)(const Part&)) {
    return part ? html(*part) : missing(part.error());
}

/// What a browser is told before it reads on; were a text not escaped, it still ran no script.
std::string headerHtml(const std::string& title) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
           "style-src 'unsafe-inline'; img-src data:\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
           htmlElement("title", title) + "<style>" + std::string(reportStyle()) +
           "</style>\n</head>\n";
}

} // namespace

std::string reportHtml(const Report& report) {
    return headerHtml(report.model_name + " – attention heads") + "<body>\n<main>\n" +
           htmlElement("h1", report.model_name) + factsHtml(report.facts, "The model") +
           section("Prompt", partHtml(report.prompt, promptHtml)) +
           section(report.head ? "Head " + report.head->name : "Selected head",
                   partHtml(report.head, headHtml)) +
           section("All heads", partHtml(report.grid, gridHtml)) +
           section("How to get these numbers again", sourceHtml(report.source)) +
           "</main>\n</body>\n</html>\n";
}

} // namespace headscope
