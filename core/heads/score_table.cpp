#include "core/heads/score_table.h"

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/heads/expected_false.h"
#include "core/heads/head_type.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr int kDecimals = 3;               ///< of scores on screen
constexpr std::size_t kSummaryWidth = 100; ///< columns of a terminal

// What columns mean.
constexpr const char* kScoreRange = "0 to 1, of eigenvalues from −1";
constexpr const char* kEvenScore = "The score of a head that attends evenly to all it sees";
constexpr const char* kLowEnd = "Lower end of the 95 % interval over sequences";
constexpr const char* kHighEnd = "Upper end of the 95 % interval over sequences";
constexpr const char* kOnSentences =
    "The score on the bundled sentences, of types that are read there as well";
constexpr const char* kControlScore =
    "The score at the same places of input that lacks what the type looks for";
constexpr const char* kAboveControl =
    "Lower end of the 95 % interval of score less control; a type that has a control counts only "
    "from 0.05 on";
constexpr const char* kPValue =
    "Probability of such a score where the true one is the baseline (one-sided t over sequences)";
constexpr const char* kThreshold = "From this score on the type can count";
constexpr const char* kTypesOfHead = "All types of the head, strongest first";

List labelKeys(const HeadScores& scores, LayerHead head, const Thresholds& thresholds) {
    List keys;
    for (const HeadTypeId id : labels(scores, head, thresholds))
        keys.emplace_back(headType(id).key);
    return keys;
}

Record headRecord(const HeadScores& scores, LayerHead head, const Thresholds& thresholds) {
    Record by_type;
    for (const HeadTypeId id : scores.types) {
        const HeadScore& score = scores.at(id, head);
        by_type.push_back(
            {std::string(headType(id).key), Record{{"above_control", score.above_control},
                                                   {"chance", score.baseline},
                                                   {"control", score.control},
                                                   {"high", score.high},
                                                   {"low", score.low},
                                                   {"on_sentences", score.on_sentences},
                                                   {"p_value", score.p_value},
                                                   {"score", score.score},
                                                   {"variant", score.variant}}});
    }
    return {{"head", head.head},
            {"labels", labelKeys(scores, head, thresholds)},
            {"layer", head.layer},
            {"scores", std::move(by_type)}};
}

std::vector<Column> scoreColumns() {
    return {
        {.key = "layer"},
        {.key = "head"},
        {.key = "detector", .meaning = "The type that is looked for"},
        {.key = "score", .meaning = kScoreRange},
        {.key = "chance", .meaning = kEvenScore},
        {.key = "low", .meaning = kLowEnd},
        {.key = "high", .meaning = kHighEnd},
        {.key = "variant", .meaning = "The second reading, by type"},
        {.key = "on_sentences", .meaning = kOnSentences},
        {.key = "control", .meaning = kControlScore},
        {.key = "above_control", .meaning = kAboveControl},
        {.key = "p_value", .meaning = kPValue},
        {.key = "threshold", .meaning = kThreshold},
        {.key = "labels", .meaning = kTypesOfHead},
        {.key = "input", .meaning = "What the score was measured on"},
        {.key = "bos",
         .meaning = "Whether that input began with BOS; for types of weights, what was folded"}};
}

/// The fields of JSON, which are not a row per head and type.
std::vector<Field> nestedFields(const HeadScores& scores, const Thresholds& thresholds) {
    List heads;
    for (const LayerHead head : scores.heads)
        heads.push_back(headRecord(scores, head, thresholds));
    Record measured;
    Record by_type;
    for (const HeadTypeId id : scores.types) {
        const std::string key(headType(id).key);
        const MeasuredOn& on = scores.measuredOn(id);
        by_type.push_back({key, thresholds.of(id)});
        measured.push_back(
            {key, Record{{"bos", on.bos}, {"input", on.input}, {"sequences", on.sequences}}});
    }
    return {{"expected_false", expectedFalseRecord(expectedFalse(scores, thresholds)), Files::Json},
            {"heads", std::move(heads), Files::Json},
            {"measured_on", std::move(measured), Files::Json},
            {"sink_share", sinkShare(scores), Files::Json},
            {"thresholds", std::move(by_type), Files::Json}};
}

/// The baseline of all heads; "0.019–0.143" where layers with a window see fewer keys than others.
std::string baselineText(const HeadScores& scores, HeadTypeId id) {
    std::vector<double> baselines;
    for (const LayerHead head : scores.heads)
        baselines.push_back(scores.at(id, head).baseline);
    const auto [least, most] = std::ranges::minmax(baselines);
    const std::string from = shownText(least, kDecimals);
    const std::string to = shownText(most, kDecimals);
    return from == to ? from : from + "–" + to;
}

/// A line for each reason with the types that are not measured for it.
std::string unreadText(const HeadScores& scores) {
    std::map<std::string, std::vector<std::string>> types;
    for (const auto& [id, reason] : scores.unread)
        types[reason].emplace_back(headType(id).key);
    std::string text;
    for (const auto& [reason, keys] : types)
        text += "\nnot measured: " + join(keys, " ") + ": " + reason;
    return text;
}

/// The model, and a line for each input with the types that were measured on it.
std::string inputText(const HeadScores& scores, const Thresholds& thresholds,
                      const std::string& model_name) {
    std::string text = model_name;
    const std::vector<MeasuredOn> inputs = scores.inputsOf(scores.types);
    for (const MeasuredOn& each : inputs) {
        text += "\non " + each.input + ", " + each.bos;
        std::vector<std::string> types;
        for (const HeadTypeId id : scores.types)
            if (scores.measuredOn(id) == each)
                types.emplace_back(headType(id).key);
        if (inputs.size() > 1)
            text += ": " + join(types, " ");
    }
    if (scores.has(HeadTypeId::Sink))
        text += "\n" + fixedText(100.0 * sinkShare(scores), 0) +
                " % of the heads put more than 0.3 on the first position (Gu et al. 2024)";
    if (const std::string chance = expectedFalseText(expectedFalse(scores, thresholds));
        !chance.empty())
        text += "\n" + chance;
    if (scores.naming() == Naming::OneText)
        text += "\nno types: one text gives scores alone, since another may say otherwise; give "
                "several";
    return text + unreadText(scores);
}

/// With a line end in place of the space at which a line would become longer than `width`
/// characters; what goes on is indented by two spaces. Longer words stay whole.
std::string wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    for (const std::string& line : split(text, '\n')) {
        std::string current;
        for (const std::string& word : split(line, ' ')) {
            const bool is_first = current.empty();
            if (!is_first && characterCount(current) + 1 + characterCount(word) > width) {
                lines.push_back(std::move(current));
                current = "  " + word;
            } else {
                current += (is_first ? "" : " ") + word;
            }
        }
        lines.push_back(std::move(current));
    }
    return join(lines, "\n");
}

/// Measured on one sequence it has no interval.
TableRow labelRow(const HeadScores& scores, const HeadScore& score, const Thresholds& thresholds) {
    const bool has_interval = scores.measuredOn(score.type).sequences > 1;
    return {score.head,
            scoreName(score),
            score.score,
            has_interval ? Value(score.low) : Value(),
            has_interval ? Value(score.high) : Value(),
            score.baseline,
            score.control,
            thresholds.of(score.type),
            score.on_sentences};
}

TableRow gridRow(const HeadScores& scores, LayerHead head, const Thresholds& thresholds) {
    TableRow row{head, labelKeys(scores, head, thresholds)};
    for (const HeadTypeId id : scores.types) {
        row.emplace_back(scores.at(id, head).score);
        if (headType(id).also_on_sentences)
            row.emplace_back(scores.at(id, head).on_sentences);
    }
    return row;
}

} // namespace

Table scoreTable(const HeadScores& scores, const Thresholds& thresholds,
                 const Provenance& provenance) {
    Table table;
    table.columns = scoreColumns();
    for (const HeadScore& score : scores.scores) {
        const MeasuredOn& on = scores.measuredOn(score.type);
        table.rows.push_back({score.head.layer, score.head.head, headType(score.type).key,
                              score.score, score.baseline, score.low, score.high, score.variant,
                              score.on_sentences, score.control, score.above_control, score.p_value,
                              thresholds.of(score.type), labelKeys(scores, score.head, thresholds),
                              on.input, on.bos});
    }
    table.fields = nestedFields(scores, thresholds);
    table.provenance = provenance;
    return table;
}

Table scoreGrid(const HeadScores& scores, const Thresholds& thresholds,
                const Provenance& provenance) {
    Table grid;
    grid.provenance = provenance;
    grid.caption = inputText(scores, thresholds, provenance.model_name);
    grid.columns = {{.key = "head", .title = "head"},
                    {.key = "types", .title = "types", .meaning = kTypesOfHead}};
    TableRow baselines{Value(), "baseline"};
    TableRow limits{Value(), "threshold"};
    for (const HeadTypeId id : scores.types) {
        const std::string key(headType(id).key);
        grid.columns.push_back({.key = key,
                                .title = key,
                                .decimals = kDecimals,
                                .meaning = std::string(headType(id).formula)});
        baselines.emplace_back(baselineText(scores, id));
        limits.emplace_back(thresholds.of(id));
        if (!headType(id).also_on_sentences)
            continue;
        grid.columns.push_back({.key = key + " on text",
                                .title = "on text",
                                .decimals = kDecimals,
                                .meaning = "The same score on the bundled sentences"});
        baselines.emplace_back();
        limits.emplace_back();
    }
    grid.rows = {std::move(baselines), std::move(limits)};
    for (const LayerHead head : scores.heads)
        grid.rows.push_back(gridRow(scores, head, thresholds));
    return grid;
}

Table scoreSummary(const HeadScores& scores, const Thresholds& thresholds,
                   const Provenance& provenance) {
    Table summary = labelTable(scores, thresholds, {});
    summary.provenance = provenance;
    summary.caption = wrapped(inputText(scores, thresholds, provenance.model_name), kSummaryWidth);
    for (const LayerHead head : scores.heads) {
        const auto types = labels(scores, head, thresholds);
        if (types.empty())
            summary.rows.push_back({head, "none", {}, {}, {}, {}, {}, {}, {}});
        for (const HeadTypeId id : types)
            summary.rows.push_back(labelRow(scores, scores.at(id, head), thresholds));
    }
    return summary;
}

Table labelTable(const HeadScores& scores, const Thresholds& thresholds,
                 std::span<const LayerHead> heads) {
    Table table;
    const auto column = [](const char* key, const char* title, const char* meaning) {
        return Column{.key = key, .title = title, .decimals = kDecimals, .meaning = meaning};
    };
    table.columns = {{.key = "head", .title = "head"},
                     {.key = "type", .title = "type"},
                     column("score", "score", kScoreRange),
                     column("low", "95 % from", kLowEnd),
                     column("high", "to", kHighEnd),
                     column("baseline", "baseline", kEvenScore),
                     column("control", "control", kControlScore),
                     column("threshold", "threshold", kThreshold),
                     column("on_sentences", "on sentences", kOnSentences)};
    for (const LayerHead head : heads)
        for (const HeadTypeId id : labels(scores, head, thresholds))
            table.rows.push_back(labelRow(scores, scores.at(id, head), thresholds));
    return table;
}

} // namespace headscope
