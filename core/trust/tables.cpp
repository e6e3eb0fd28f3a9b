#include "core/trust/tables.h"

#include "core/base/text.h"
#include "core/heads/expected_false.h"
#include "core/heads/head_type.h"
#include "core/interventions/effect_verdict.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

std::size_t labelsOf(const ModelTrust& trust, TrustWord word) {
    return static_cast<std::size_t>(std::ranges::count(trust.labels, word, &LabelTrust::word));
}

std::vector<Column> columns() {
    std::vector<Column> columns{
        {.key = "head", .title = "head"},
        {.key = "type", .title = "type"},
        {.key = "word", .title = "word", .meaning = "What the grades together say"}};
    for (const TrustPart part : trustParts())
        columns.push_back({.key = std::string(trustPartName(part)),
                           .title = std::string(trustPartName(part)),
                           .meaning = std::string(trustPartMeaning(part))});
    for (Column column : std::initializer_list<Column>{
             {.key = "score", .title = "score"},
             {.key = "threshold",
             .title = "threshold",
             .meaning = "From this score on the type can count"},
             {.key = "control",
             .title = "control",
             .meaning = "The score on input without what the type looks for"},
             {.key = "above_control",
             .title = "above control",
             .meaning = "Lower end of the 95 % interval of score − control"},
             {.key = "output",
             .title = "output",
             .meaning = "‖z W_O‖ relative to the mean of the layer's heads, at most 1"},
             {.key = "difference",
             .title = "difference",
             .unit = "nats",
             .meaning = "What ablating the head costs"},
             {.key = "low",
             .title = "low",
             .unit = "nats",
             .meaning = "Lower end of its 95 % interval"},
             {.key = "high",
             .title = "high",
             .unit = "nats",
             .meaning = "Upper end of its 95 % interval"},
             {.key = "verdict", .title = "verdict", .meaning = "The verdict on ablating the head"},
             {.key = "beside",
             .title = "beside",
             .unit = "nats",
             .meaning = "What ablating it costs while the other heads with this label are ablated, "
                        "too; of "
                        "heads that cost nothing alone"},
             {.key = "sets_held",
             .title = "sets held",
             .meaning = "On how many sets of other input the label holds"},
             {.key = "sets_read", .title = "sets read", .meaning = "How many sets were read"},
             {.key = "least_score",
             .title = "least score",
             .meaning = "The lowest score on these sets"},
             {.key = "least_set", .title = "least set", .meaning = "The set with the lowest score"},
             {.key = "stable_share",
             .title = "stable share",
             .meaning = "Share of resamples in which the label holds"},
             {.key = "resamples", .title = "resamples"},
             {.key = "evidence", .files = Files::Json},
             {.key = "sets", .files = Files::Json}})
        columns.push_back(std::move(column));
    return columns;
}

Record evidenceOf(const LabelTrust& label) {
    Record evidence;
    for (const TrustPart part : trustParts())
        evidence.push_back({std::string(trustPartName(part)), trustSentence(label, part)});
    return evidence;
}

List setsOf(const LabelTrust& label) {
    List sets;
    for (const SetScore& set : label.sets)
        sets.push_back(Record{{"set", set.set},
                              {"sequences", set.sequences},
                              {"score", set.score},
                              {"low", set.low},
                              {"high", set.high},
                              {"holds", label.holdsOn(set)}});
    return sets;
}

TableRow rowOf(const LabelTrust& label) {
    TableRow row{label.score.head, headType(label.score.type).key, trustWordName(label.word())};
    for (const TrustPart part : trustParts())
        row.emplace_back(gradeName(label.grade(part)));
    const auto& effect = label.effect;
    const SetScore* const least = label.leastSet();
    for (Value value : std::initializer_list<Value>{
             label.score.score, label.threshold, label.score.control, label.score.above_control,
             label.output, effect ? Value(effect->difference) : Value(),
             effect ? Value(effect->interval.low) : Value(),
             effect ? Value(effect->interval.high) : Value(),
             effect ? Value(effectVerdictName(effect->verdict())) : Value(),
             label.beside ? Value(label.beside->difference) : Value(),
             least ? Value(label.setsHeld()) : Value(), least ? Value(label.sets.size()) : Value(),
             least ? Value(least->score) : Value(), least ? Value(least->set) : Value(),
             label.stable_share, label.resamples, evidenceOf(label), setsOf(label)})
        row.push_back(std::move(value));
    return row;
}

/// What a part measured, as short as it can be said; empty: nothing.
std::string figureOf(const LabelTrust& label, TrustPart part) {
    const auto shown = [](double value) {
        const std::string text = fixedText(value, 2);
        return std::isnan(value) ? std::string() : " " + (text == "-0.00" ? "0.00" : text);
    };
    if (label.grade(part) == Grade::Untested)
        return "";
    switch (part) {
    case TrustPart::Pattern:
        return shown(label.score.score);
    case TrustPart::Specific:
        return shown(label.score.above_control);
    case TrustPart::Writes:
        return shown(label.output);
    case TrustPart::Needed:
        if (label.beside && label.beside->counts())
            return shown(label.beside->difference);
        return label.effect ? shown(label.effect->difference) : "";
    case TrustPart::Transfers:
        return label.leastSet()
                   ? " " + std::to_string(label.setsHeld()) + "/" +
                         std::to_string(label.sets.size()) + shown(label.leastSet()->score)
                   : "";
    case TrustPart::Stable:
        break;
    }
    return std::isnan(label.stable_share) ? ""
                                          : " " + fixedText(100.0 * label.stable_share, 0) + " %";
}

/// "correlate", for which a terminal has room.
std::string_view shortName(TrustWord word) {
    const std::string_view name = trustWordName(word);
    return name.substr(0, name.find(':'));
}

std::string wordCounts(const ModelTrust& trust) {
    std::string text;
    for (const TrustWord word : trustWords())
        if (const std::size_t count = labelsOf(trust, word); count > 0)
            text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
                    std::string(trustWordName(word));
    return text;
}

constexpr std::string_view kFigures =
    "pattern: score; specific: lower end of score − control; writes: of the mean of its layer;\n"
    "needed: nats that ablating it costs, with the heads ablated that make up for it;\n"
    "transfers: sets of other input on which it holds, least score; stable: share of resamples";

std::string captionOf(const ModelTrust& trust, const Provenance& provenance) {
    std::string text = provenance.model_name + ": " + counted(trust.labels.size(), "label");
    if (!trust.labels.empty())
        text += "\n" + wordCounts(trust);
    if (const std::string chance = expectedFalseText(trust.expected_false); !chance.empty())
        text += "\n" + chance;
    for (const std::string& note : trust.notes)
        text += "\n" + note;
    std::string marks;
    for (const Grade grade : grades())
        marks += (marks.empty() ? "" : "  ") + std::string(gradeMark(grade)) + " " +
                 std::string(gradeName(grade));
    return text + "\n" + marks + "\n" + std::string(kFigures);
}

} // namespace

Table trustTable(const ModelTrust& trust, const Provenance& provenance) {
    Table table;
    table.caption = captionOf(trust, provenance);
    table.key = "labels";
    table.columns = columns();
    for (const LabelTrust& label : trust.labels)
        table.rows.push_back(rowOf(label));
    Record words;
    for (const TrustWord word : trustWords())
        words.push_back({std::string(trustWordName(word)), labelsOf(trust, word)});
    table.fields = {{"expected_false", expectedFalseRecord(trust.expected_false), Files::Json},
                    {"notes", listOf(trust.notes), Files::Json},
                    {"words", std::move(words), Files::Json}};
    table.provenance = provenance;
    return table;
}

Table trustSummary(const ModelTrust& trust, const Provenance& provenance) {
    Table table;
    table.caption = captionOf(trust, provenance);
    table.columns = {{.key = "head", .title = "head"},
                     {.key = "type", .title = "type"},
                     {.key = "word", .title = "word"}};
    for (const TrustPart part : trustParts())
        table.columns.push_back({.key = std::string(trustPartName(part)),
                                 .title = std::string(trustPartName(part)),
                                 .meaning = std::string(trustPartMeaning(part))});
    for (const LabelTrust& label : trust.labels) {
        TableRow row{label.score.head, scoreName(label.score), shortName(label.word())};
        for (const TrustPart part : trustParts())
            row.emplace_back(std::string(gradeMark(label.grade(part))) + figureOf(label, part));
        table.rows.push_back(std::move(row));
    }
    table.provenance = provenance;
    return table;
}

} // namespace headscope
