#include "core/interventions/example_rows.h"

#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace headscope {

Result<std::optional<NextTokenEffect>>
nextTokenEffect(const std::shared_ptr<const Model>& model, const InputSequence& sequence,
                std::size_t query, LayerHead head, AblationKind kind, const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    HeadMask mask;
    mask.set(head, kind);
    if (const auto possible = checkWithoutStandIns(mask); !possible)
        return possible.error();
    if (!spec.predictsNextToken() || query + 1 >= sequence.ids.size())
        return std::optional<NextTokenEffect>();
    const TokenId next = sequence.ids[query + 1];
    NextTokenEffect effect;
    const auto reading = [&](double& loss) {
        RunItem item;
        item.ids = sequence.ids;
        item.read_logits = [&loss, next](std::size_t, std::span<const float> row) {
            loss = tokenLoss(row, next);
        };
        return item;
    };
    std::array<RunItem, 2> items{reading(effect.loss), reading(effect.ablated)};
    addAblation(items[1].hooks, mask, spec);
    Request request;
    request.logits = false;
    request.logit_positions = {query};
    request.keep_attention = false;
    if (const auto runs = runBatch(model, items, request, stop); !runs)
        return runs.error();
    return std::optional(effect);
}

namespace {

using Effects = std::vector<std::optional<NextTokenEffect>>;

Result<Effects> effectsOf(const std::shared_ptr<const Model>& model,
                          std::span<const InputSequence> sequences, const ExampleRows& rows,
                          AblationKind kind, const std::stop_token& stop) {
    Effects effects;
    for (const HeadExample& example : rows.list.examples) {
        const auto effect = nextTokenEffect(model, sequences[example.sequence], example.row.query,
                                            rows.head, kind, stop);
        if (!effect)
            return effect.error();
        effects.push_back(*effect);
    }
    return effects;
}

std::vector<LayerHead> allHeads(const CorpusScan& scan) {
    std::vector<LayerHead> all;
    for (const LayerHead head : scan.heads())
        all.push_back(head);
    return all;
}

} // namespace

Result<void> checkNextTokenEffect(const Model& model) {
    if (model.spec.predictsNextToken())
        return {};
    return Error{ErrorCode::Unsupported,
                 model.name + " predicts no next token that a head could have an effect on; ask "
                              "for examples without effect."};
}

Result<std::vector<ExampleRows>>
exampleRows(const std::shared_ptr<const Model>& model, std::span<const InputSequence> sequences,
            const CorpusScan& scan, std::span<const LayerHead> heads,
            const ExampleQuestion& question, std::optional<AblationKind> effect,
            const Progress& progress, const std::stop_token& stop) {
    if (heads.empty())
        return exampleRows(model, sequences, scan, allHeads(scan), question, effect, progress,
                           stop);
    if (effect)
        if (auto possible = checkNextTokenEffect(*model); !possible)
            return possible.error();
    std::vector<ExampleRows> all;
    for (const LayerHead head : heads) {
        report(progress, static_cast<double>(all.size()) / static_cast<double>(heads.size()),
               "examples of head " + headText(head));
        ExampleRows& rows = all.emplace_back(
            ExampleRows{head, exampleList(*model, sequences, scan[head], question)});
        if (!effect)
            continue;
        auto effects = effectsOf(model, sequences, rows, *effect, stop);
        if (!effects)
            return effects.error();
        rows.effects = *std::move(effects);
    }
    return all;
}

namespace {

constexpr std::size_t kContextBefore = 10; ///< tokens on screen
constexpr std::size_t kContextBehind = 2;
constexpr int kWeightDecimals = 3;

Value keysValue(const HeadExample& example) {
    List keys;
    for (const StrongestRow::Key& key : example.row.keys)
        if (key.weight > 0.0f)
            keys.push_back(Record{
                {"key", key.key}, {"token", example.pieces[key.key]}, {"weight", key.weight}});
    return keys;
}

std::vector<Column> columnsOf(bool has_effects) {
    std::vector<Column> columns{
        {"head", "Head"},
        {"interval", "Decile", Files::Both, 0, "", "10: the strongest tenth of the sequences"},
        {"weight", "Weight", Files::Both, kWeightDecimals, "",
         "The largest weight off the first position and the diagonal"},
        {"query", ""},
        {"query_token", "From"},
        {"key", ""},
        {"key_token", "To"},
        {"context", "Text", Files::None},
        {"keys", "", Files::Json, kWeightDecimals, "", "The largest weights of the row"},
        {"sequence", "", Files::Both, 0, "", "Its number, from 0"},
        {"text", "", Files::Both, 0, "", "Of the whole sequence"}};
    if (has_effects)
        columns.insert(columns.end(),
                       {{"next_token", "Next", Files::Both, 0, "", "The token after the query"},
                        {"loss", "", Files::Both, kWeightDecimals, "nats", "Of the next token"},
                        {"loss_ablated", "", Files::Both, kWeightDecimals, "nats",
                         "Of the next token when this head alone is ablated"},
                        {"change", "Change", Files::Both, kWeightDecimals, "nats",
                         "Of the next token's loss when this head alone is ablated"}});
    return columns;
}

TableRow rowOf(LayerHead head, const HeadExample& example) {
    const StrongestRow& row = example.row;
    const auto key = chosenKey(row);
    return {head,
            example.interval,
            row.weight,
            key ? Value(row.query) : Value(),
            key ? Value(displayPiece(example.pieces[row.query])) : Value(),
            key ? Value(key->key) : Value(),
            key ? Value(displayPiece(example.pieces[key->key])) : Value(),
            exampleContext(example, kContextBefore, kContextBehind),
            keysValue(example),
            example.sequence,
            example.text};
}

void addEffect(TableRow& row, const HeadExample& example,
               const std::optional<NextTokenEffect>& effect) {
    if (!effect)
        return row.resize(row.size() + 4);
    row.insert(row.end(), {displayPiece(example.pieces[example.row.query + 1]), effect->loss,
                           effect->ablated, effect->change()});
}

Record headRecord(const ExampleRows& rows) {
    const AttentionMeans& means = rows.list.means;
    return {{"head", rows.head},
            {"histogram", listOf(rows.list.histogram)},
            {"means", Record{{"distance", means.distance},
                             {"distance_variance", means.distance_variance},
                             {"entropy", means.entropy},
                             {"previous", means.previous},
                             {"self", means.self}}}};
}

} // namespace

std::string exampleContext(const HeadExample& example, std::size_t before, std::size_t behind) {
    const std::size_t query = example.row.query;
    const std::size_t begin = query - std::min(before, query);
    const std::size_t end = std::min(query + behind + 1, example.pieces.size());
    std::string text = begin > 0 ? "…" : "";
    for (std::size_t i = begin; i < end; ++i)
        text += replaceAll(example.pieces[i], "\n", "⏎");
    return text + (end < example.pieces.size() ? "…" : "");
}

Table exampleTable(const std::vector<ExampleRows>& heads, const std::string& input,
                   const Provenance& provenance) {
    const bool has_effects =
        std::ranges::any_of(heads, [](const ExampleRows& rows) { return !rows.effects.empty(); });
    Table table;
    table.caption = provenance.model_name + ": where heads look most strongly, on " + input;
    table.key = "examples";
    table.columns = columnsOf(has_effects);
    List records;
    for (const ExampleRows& rows : heads) {
        records.emplace_back(headRecord(rows));
        for (std::size_t i = 0; i < rows.list.examples.size(); ++i) {
            TableRow row = rowOf(rows.head, rows.list.examples[i]);
            if (has_effects)
                addEffect(row, rows.list.examples[i],
                          i < rows.effects.size() ? rows.effects[i] : std::nullopt);
            table.rows.push_back(std::move(row));
        }
    }
    table.fields = {{"input", input}, {"heads", std::move(records), Files::Json}};
    table.provenance = provenance;
    return table;
}

} // namespace headscope
