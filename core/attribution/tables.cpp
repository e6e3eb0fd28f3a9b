#include "core/attribution/tables.h"

#include "core/base/text.h"
#include "core/model/prompt.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

bool hasLayer(const LogitPart& part) {
    return part.kind == LogitPartKind::Head || part.kind == LogitPartKind::Biases ||
           part.kind == LogitPartKind::Mlp;
}

/// "head 4.1", "mlp 3", "embedding"
std::string partText(const LogitPart& part) {
    const std::string name(logitPartName(part.kind));
    if (part.kind == LogitPartKind::Head)
        return name + " " + headText(part.of);
    return hasLayer(part) ? name + " " + std::to_string(part.of.layer) : name;
}

/// The position that most of a head's part came from: "2 ·Mary 7.5523".
std::string sourceText(const LogitAttribution& attribution, LayerHead head,
                       const Provenance& provenance) {
    const auto source = [&](std::size_t key) {
        return attribution.sources(head.layer, head.head, key);
    };
    std::size_t largest = 0;
    for (std::size_t key = 1; key < attribution.sources.dim(2); ++key)
        if (std::abs(source(key)) > std::abs(source(largest)))
            largest = key;
    return positionText(provenance.pieces, largest) + " " +
           fixedText(static_cast<double>(source(largest)), 4);
}

TableRow partRow(const LogitAttribution& attribution, const LogitPart& part,
                 const Provenance& provenance) {
    const bool head = part.kind == LogitPartKind::Head;
    Value sources;
    if (head) {
        List list;
        for (std::size_t key = 0; key < attribution.sources.dim(2); ++key)
            list.emplace_back(attribution.sources(part.of.layer, part.of.head, key));
        sources = std::move(list);
    }
    return {partText(part),
            logitPartName(part.kind),
            hasLayer(part) ? Value(part.of.layer) : Value(),
            head ? Value(part.of.head) : Value(),
            part.value,
            std::move(sources),
            head ? Value(sourceText(attribution, part.of, provenance)) : Value()};
}

std::string percentText(double probability) {
    return fixedText(probability * 100.0, 1) + " %";
}

/// "·Mary 98.5 %", and with a token how that fares: "·Mary 98.5 %, #3 1.2 %".
Value readingText(const LensReading& reading, const Model& model, bool followed) {
    if (reading.top.empty())
        return {};
    const Prediction& best = reading.top.front();
    std::string text = displayOutput(model, best.id) + " " + percentText(best.probability);
    if (followed)
        text += ", #" + std::to_string(reading.rank) + " " + percentText(reading.probability);
    return text;
}

TableRow lensRow(const LensReading& reading, const Model& model, bool followed) {
    List ids;
    List probabilities;
    List top;
    for (const Prediction& prediction : reading.top) {
        ids.emplace_back(prediction.id);
        probabilities.emplace_back(prediction.probability);
        top.push_back(Record{{"id", prediction.id},
                             {"piece", outputPiece(model, prediction.id)},
                             {"probability", prediction.probability}});
    }
    return {reading.top.empty() ? Value() : Value(outputPiece(model, reading.top.front().id)),
            std::move(ids),
            std::move(probabilities),
            std::move(top),
            followed ? Value(reading.probability) : Value(),
            followed ? Value(reading.rank) : Value(),
            reading.kl,
            reading.entropy,
            readingText(reading, model, followed)};
}

} // namespace

std::string logitText(const Model& model, const LogitQuestion& question,
                      const Provenance& provenance) {
    std::string text = "logit of " + displayOutput(model, question.token);
    if (question.against)
        text += " − " + displayOutput(model, *question.against);
    return text + " at " + positionText(provenance.pieces, question.position);
}

Table attributionTable(const LogitAttribution& attribution, const Model& model,
                       const Provenance& provenance) {
    const LogitQuestion& question = attribution.question;
    Table table;
    table.caption = model.name + ": " + logitText(model, question, provenance) + ": " +
                    fixedText(attribution.logit, 4) + ", the sum of these parts:";
    table.key = "parts";
    table.columns = {{.key = "part text", .title = "part", .files = Files::None},
                     {.key = "part"},
                     {.key = "layer"},
                     {.key = "head"},
                     {.key = "value",
                      .title = "value",
                      .meaning = "Added straight to the logit or the difference of two, with every "
                                 "norm held at its scale in this run"},
                     {.key = "sources",
                      .files = Files::Json,
                      .meaning = "The value of a head, by the position that it came from"},
                     {.key = "from",
                      .title = "most of it from",
                      .files = Files::None,
                      .meaning = "The position from which the largest part of a head's value came, "
                                 "by magnitude, and that part"}};
    for (const LogitPart& part : attribution.parts)
        table.rows.push_back(partRow(attribution, part, provenance));
    table.fields = {{"logit", attribution.logit},
                    {"token", question.token},
                    {"against", question.against},
                    {"position", question.position},
                    {"prompt", provenance.promptId(), Files::Csv}};
    table.provenance = provenance;
    return table;
}

Table lensTable(const LogitLens& lens, const Model& model, const Provenance& provenance) {
    const auto& token = lens.question.token;
    Table table;
    table.caption = model.name + ": the best token of the residual stream after each layer";
    if (token)
        table.caption += ", and rank and probability of " + displayOutput(model, *token);
    table.key = "readings";
    table.columns = {
        {.key = "depth", .meaning = "0: the embedding, l + 1: what layer l leaves"},
        {.key = "position"},
        {.key = "top", .files = Files::Csv, .meaning = "The most probable token"},
        {.key = "top_ids", .files = Files::Csv, .meaning = "The most probable tokens, best first"},
        {.key = "top_probabilities",
         .files = Files::Csv,
         .meaning = "Probabilities of the most probable tokens, best first"},
        {.key = "top",
         .files = Files::Json,
         .meaning = "The most probable tokens with their probabilities, best first"},
        {.key = "probability", .meaning = "Probability of the token asked for"},
        {.key = "rank", .meaning = "Rank of the token asked for; 1: the most probable"},
        {.key = "kl",
         .unit = "nats",
         .meaning = "Σ p ln(p / q), p the model's own prediction, q that at this depth"},
        {.key = "entropy", .unit = "nats", .meaning = "−Σ q ln q, q the prediction at this depth"},
        {.key = "reading",
         .title = "best token",
         .files = Files::None,
         .meaning = "The most probable token with its probability; after #, rank and probability "
                    "of the token asked for"},
        {.key = "token", .title = "position", .files = Files::None},
        {.key = "layer",
         .title = "depth",
         .files = Files::None,
         .meaning = "Whether the stream is read at the embedding or after a layer"}};
    for (std::size_t depth = 0; depth < lens.depths; ++depth)
        for (std::size_t position = 0; position < lens.question.ids.size(); ++position) {
            TableRow row = lensRow(lens.at(depth, position), model, token.has_value());
            row.insert(row.begin(), {depth, position});
            row.emplace_back(positionText(provenance.pieces, position));
            row.emplace_back(depth == 0 ? "embedding" : "layer " + std::to_string(depth - 1));
            table.rows.push_back(std::move(row));
        }
    table.fields = {{"token", token},
                    {"prompt", provenance.promptId(), Files::Csv},
                    {"depths", lens.depths, Files::Json}};
    table.provenance = provenance;
    return table;
}

Table lensGrid(const LogitLens& lens, const Model& model, const Provenance& provenance) {
    constexpr std::array<std::string_view, 1> rows{"token"};
    return pivot(lensTable(lens, model, provenance), rows, "layer", "reading");
}

} // namespace headscope
