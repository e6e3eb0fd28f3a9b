#include "core/base/json.h"
#include "core/base/separated.h"
#include "core/base/text.h"
#include "core/interventions/prompt_set.h"
#include "core/io/sealed_json.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr std::array<std::string_view, 2> kPromptNames{"prompt", "text"};
constexpr std::string_view kPairName = "text_pair";

/// One text, or two that are a prompt together.
struct Texts {
    std::string first;
    std::optional<std::string> second = {};
};

/// What a line of JSON holds as its prompt.
Result<Texts> textsOfJson(const Result<JsonDocument>& document) {
    if (!document)
        return Error{ErrorCode::Malformed, "The line " + document.error().message + "."};
    const JsonValue pair = document->root().member(kPairName);
    if (!pair.isNull() && pair.text() == nullptr)
        return Error{ErrorCode::Malformed, "\"" + std::string(kPairName) + "\" is no text."};
    for (const std::string_view key : kPromptNames)
        if (const std::string* text = document->root().member(key).text())
            return Texts{*text, pair.text() ? std::optional(*pair.text()) : std::nullopt};
    return Error{ErrorCode::Malformed,
                 "The line is JSON without a text under \"prompt\" or \"text\"."};
}

Result<Prompt> promptOfTexts(const Model& model, const Texts& texts, BosMode bos) {
    if (!texts.second)
        return promptFromInput(model, texts.first, bos);
    const auto both = pairText(model, texts.first, *texts.second);
    return both ? promptFromText(model, *both, bos) : both.error();
}

Result<Prompt> promptOfJson(const Model& model, const Result<JsonDocument>& document, BosMode bos) {
    const auto texts = textsOfJson(document);
    return texts ? promptOfTexts(model, *texts, bos) : texts.error();
}

bool isBlank(std::string_view line) {
    return line.find_first_not_of(" \t") == std::string_view::npos;
}

bool isJson(std::string_view line, const Model& model) {
    return line.starts_with('{') && model.tokenizer;
}

void add(Result<Prompt> prompt, std::size_t line, PromptSet& set) {
    if (prompt)
        set.prompts.push_back(*std::move(prompt));
    else
        set.left_out.push_back({line, prompt.error().message});
}

void addLines(const Model& model, std::string_view text, BosMode bos, PromptSet& set) {
    const std::vector<std::string> whole_lines = split(text, '\n');
    std::vector<std::string_view> lines;
    std::vector<std::string_view> json; // of one question
    for (std::string_view line : whole_lines) {
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        lines.push_back(line);
        if (isJson(line, model))
            json.push_back(line);
    }
    const auto documents = readForeignJsons(json);
    auto document = documents.begin();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (isJson(lines[i], model))
            add(promptOfJson(model, *document++, bos), i + 1, set);
        else if (!isBlank(lines[i]))
            add(promptFromInput(model, lines[i], bos), i + 1, set);
    }
}

std::optional<std::size_t> columnOf(const SeparatedRow& header, std::string_view name) {
    const auto found = std::ranges::find(header.cells, name);
    return found == header.cells.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - header.cells.begin()));
}

/// The second text of a row. An empty cell means none: a table may hold pairs beside single texts.
std::optional<std::string> secondTextOf(const SeparatedRow& row, std::optional<std::size_t> pair) {
    return pair && !row.cells[*pair].empty() ? std::optional(row.cells[*pair]) : std::nullopt;
}

/// The rows of a table whose first row names its columns.
Result<void> addRows(const Model& model, const std::vector<SeparatedRow>& rows, BosMode bos,
                     PromptSet& set) {
    std::optional<std::size_t> column;
    for (const std::string_view name : kPromptNames)
        if (!column && !rows.empty())
            column = columnOf(rows.front(), name);
    if (!column)
        return Error{
            ErrorCode::InvalidArgument,
            set.name + " has no column named prompt or text" +
                (rows.empty() ? "" : "; its first row is " + join(rows.front().cells, ", ")) +
                ". Name the column that holds the prompts in the first row."};
    const auto pair = columnOf(rows.front(), kPairName);
    for (const SeparatedRow& row : std::span(rows).subspan(1)) {
        if (row.cells.size() != rows.front().cells.size())
            set.left_out.push_back(
                {row.line, "The row has " + counted(row.cells.size(), "cell") + ", but there are " +
                               counted(rows.front().cells.size(), "column") + "."});
        else if (!isBlank(row.cells[*column]))
            add(promptOfTexts(model, {row.cells[*column], secondTextOf(row, pair)}, bos), row.line,
                set);
    }
    return {};
}

/// What separates the cells of a table, by the end of the name of its file.
std::optional<char> separatorOf(std::string name) {
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.ends_with(".csv"))
        return ',';
    return name.ends_with(".tsv") ? std::optional('\t') : std::nullopt;
}

Result<void> addTable(const Model& model, std::string_view text, char separator, BosMode bos,
                      PromptSet& set) {
    const auto rows = readSeparated(text, separator);
    if (!rows)
        return Error{rows.error().code,
                     set.name + " cannot be read: " + rows.error().message + "."};
    return addRows(model, *rows, bos, set);
}

} // namespace

Result<PromptSet> readPromptSet(const Model& model, std::string_view text, const std::string& name,
                                BosMode bos) {
    PromptSet set;
    set.name = name;
    if (const auto separator = separatorOf(name)) {
        if (auto added = addTable(model, text, *separator, bos, set); !added)
            return added.error();
    } else {
        addLines(model, text, bos, set);
    }
    if (set.prompts.empty())
        return Error{ErrorCode::InvalidArgument,
                     name + " holds no prompt" +
                         (set.left_out.empty() ? std::string(": write one per line.")
                                               : " that this model can run; line " +
                                                     std::to_string(set.left_out.front().line) +
                                                     ": " + set.left_out.front().reason)};
    return set;
}

} // namespace headscope
