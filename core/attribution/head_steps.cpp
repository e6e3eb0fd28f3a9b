#include "core/attribution/head_steps.h"

#include "core/base/text.h"
#include "core/engine/attention.h"
#include "core/engine/block_plan.h"
#include "core/model/head_columns.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kWrittenTokens = 6; ///< up and down

/// Where hooks see what queries, keys and values are made of.
HookPoint readPoint(const ModelSpec& spec, std::size_t layer) {
    const BlockPlan plan = blockPlan(spec, layer);
    const BlockStep* const norm = plan.norm(Branch::Attention, BlockValue::Input);
    return norm ? HookPoint{norm->hooks.back(), layer} : residualAt(spec, layer);
}

/// One row [width] of a value [position, …], or a part of it.
std::vector<double> rowOf(const Tensor& x, std::size_t position, std::size_t first = 0,
                          std::size_t count = std::dynamic_extent) {
    const std::size_t width = x.size() / x.dim(0);
    const auto row = x.values().subspan(position * width, width).subspan(first, count);
    return {row.begin(), row.end()};
}

/// What W_Q is multiplied by. Shortformer adds the positions after the norm.
std::vector<double> readBy(const StreamRun& run, const StepsQuestion& question) {
    const ModelSpec& spec = run.spec();
    std::vector<double> read = rowOf(run.at(readPoint(spec, question.head.layer)), question.query);
    if (spec.positions == PositionKind::Shortformer)
        std::ranges::transform(read, rowOf(run.at({HookKind::PosEmbed, 0}), question.query),
                               read.begin(), std::plus());
    return read;
}

/// The rows [d_head_v, d_model] of W_O that read this head.
WeightMatrix outputRows(const Model& model, LayerHead head) {
    const std::size_t width = model.spec.valueDim();
    const WeightTensor& W_O = model.weights.layers[head.layer].attn.W_O;
    return W_O.matrix().rowRange(model.spec.headPlace(head) * width, width);
}

/// Fills in what becomes of each score on the way to a weight.
void takeSoftmax(HeadSteps& steps) {
    const double temperature = steps.question.temperature;
    steps.largest = std::ranges::max_element(steps.keys, {}, &KeySteps::score)->score;
    if (steps.sink) {
        steps.largest = std::max(steps.largest, *steps.sink);
        steps.sink_exponential = std::exp((*steps.sink - steps.largest) / temperature);
    }
    steps.sum = steps.sink_exponential;
    for (KeySteps& key : steps.keys) {
        key.exponential = std::exp((key.score - steps.largest) / temperature);
        steps.sum += key.exponential;
    }
    for (KeySteps& key : steps.keys)
        key.weight = key.exponential / steps.sum;
}

void takeScores(const StreamRun& run, HeadSteps& steps) {
    const ScoreRow row(run, steps.question.head, steps.question.query);
    const ScoreRule rule = scoreRule(run.model(), steps.question.head);
    steps.scale = row.scale();
    steps.softcap = static_cast<double>(rule.softcap);
    steps.has_distance = !rule.distance.isNone();
    if (run.spec().learned_sinks)
        steps.sink = row.sink();
    const QueryDimensions& dimensions = steps.dimensions;
    for (std::size_t i = 0; i < dimensions.positions.size(); ++i) {
        const std::size_t key = dimensions.positions.begin + i;
        double product = 0.0;
        for (std::size_t d = 0; d < dimensions.query.size(); ++d)
            product += dimensions.query[d] * dimensions.keys(i, d);
        steps.keys.push_back({.product = product,
                              .scaled = row.product(key),
                              .capped = row.capped(key),
                              .score = row.score(key)});
    }
    takeSoftmax(steps);
}

void takeValues(const StreamRun& run, HeadSteps& steps) {
    const ModelSpec& spec = run.spec();
    const LayerHead head = steps.question.head;
    const PositionRange keys = steps.dimensions.positions;
    const std::size_t width = spec.valueDim();
    const Tensor& values = run.at({HookKind::V, head.layer});
    steps.values = DoubleMatrix(keys.size(), width);
    steps.z.assign(width, 0.0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto value = rowOf(values, keys.begin + i, spec.kvPlace(head) * width, width);
        std::ranges::copy(value, steps.values.row(i));
        for (std::size_t d = 0; d < width; ++d)
            steps.z[d] += steps.keys[i].weight * value[d];
    }
}

/// Each head has the row of the run; with another temperature this one has what it would be.
void takeOutput(const StreamRun& run, HeadSteps& steps) {
    const ModelSpec& spec = run.spec();
    const auto [head, query, temperature] = steps.question;
    const std::size_t width = spec.valueDim();
    const std::size_t count = spec.headsIn(head.layer);
    const std::size_t place = spec.headPlace(head);
    steps.all_z = DoubleMatrix(count, width);
    steps.all_z.values = rowOf(run.at({HookKind::Z, head.layer}), query);
    for (std::size_t i = 0; i < count; ++i)
        steps.heads.push_back(spec.headAt(head.layer, i).head);
    steps.is_ablated = run.question().ablated.isAblated(head);
    if (steps.isWhatIf() && !steps.is_ablated)
        std::ranges::copy(steps.z, steps.all_z.row(place));
    DoubleMatrix z(1, width);
    std::ranges::copy_n(steps.all_z.row(place), static_cast<std::ptrdiff_t>(width), z.row(0));
    steps.head_output = product(z, DoubleMatrix(outputRows(run.model(), head))).values;
    steps.group = spec.groupOf(head);
}

std::optional<HeadWrites> writesOf(const StreamRun& run, const StepsQuestion& question) {
    const auto writing = HeadWriting::of(run, {question.head});
    return writing ? std::optional(writing->strongest(0, question.query, kWrittenTokens))
                   : std::nullopt;
}

Result<void> checkTemperature(double temperature) {
    if (temperature > 0.0 && std::isfinite(temperature))
        return {};
    return Error{ErrorCode::InvalidArgument, "A temperature is above 0, not " +
                                                 numberText(temperature) +
                                                 "; 1 is the network's own."};
}

} // namespace

Result<StepsRun> StepsRun::read(const std::shared_ptr<const Model>& model, StreamQuestion question,
                                std::size_t layer, std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    if (layer >= spec.n_layers)
        return Error{ErrorCode::InvalidArgument, "There is no layer " + std::to_string(layer) +
                                                     "; the network has layers 0 to " +
                                                     std::to_string(spec.n_layers - 1) + "."};
    for (const HookPoint point : {HookPoint{HookKind::ResidPre, layer}, readPoint(spec, layer),
                                  HookPoint{HookKind::AttnOut, layer}})
        question.also.push_back(point);
    auto run = StreamRun::read(model, question, std::move(stop));
    if (!run)
        return run.error();
    return StepsRun(*std::move(run), layer);
}

Result<HeadSteps> StepsRun::steps(const StepsQuestion& question) const {
    if (auto checked = checkTemperature(question.temperature); !checked)
        return checked.error();
    auto dimensions = queryDimensions(stream_, question.head, question.query);
    if (!dimensions)
        return dimensions.error();
    if (question.head.layer != layer_)
        return Error{ErrorCode::InvalidArgument, "Head " + headText(question.head) +
                                                     " is not in layer " + std::to_string(layer_) +
                                                     ", whose values were kept."};
    HeadSteps steps{.question = question, .dimensions = *std::move(dimensions)};
    steps.stream = rowOf(stream_.at({HookKind::ResidPre, layer_}), question.query);
    steps.read = readBy(stream_, question);
    if (const auto& latent = stream_.spec().latent; latent && latent->d_queries != 0)
        steps.latent_scale = stream_.scale({HookKind::QLatentScale, layer_}, question.query);
    steps.has_norm = stream_.spec().normsAttentionInput(layer_);
    takeScores(stream_, steps);
    takeValues(stream_, steps);
    takeOutput(stream_, steps);
    if (steps.isWhatIf())
        return steps;
    steps.layer_output = rowOf(stream_.at({HookKind::AttnOut, layer_}), question.query);
    steps.writes = writesOf(stream_, question);
    return steps;
}

namespace {

WrittenProduct written(std::span<const double> row, std::span<const double> column, double bias) {
    WrittenProduct product{.bias = bias, .value = bias};
    product.terms.reserve(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        product.terms.push_back({i, row[i], column[i]});
        product.value += product.terms.back().term();
    }
    std::ranges::stable_sort(product.terms, std::ranges::greater(),
                             [](const ProductTerm& term) { return std::fabs(term.term()); });
    return product;
}

std::vector<double> columnOf(const WeightMatrix& W, std::size_t column) {
    std::vector<double> values(W.rows);
    for (std::size_t row = 0; row < W.rows; ++row)
        values[row] = static_cast<double>(W(row, column));
    return values;
}

} // namespace

WrittenProduct writtenQuery(const Model& model, const HeadSteps& steps, std::size_t index) {
    const LayerHead head = steps.question.head;
    const auto [W, b] =
        queryColumn(model.spec, model.weights, head.layer, model.spec.headPlace(head), index);
    std::vector<double> column(W.dim(0));
    for (std::size_t row = 0; row < column.size(); ++row)
        column[row] = static_cast<double>(W(row, 0u)) / steps.latent_scale;
    const double bias = b.empty() ? 0.0 : static_cast<double>(b(0u)) / steps.latent_scale;
    return written(steps.read, column, bias);
}

WrittenProduct writtenOutput(const Model& model, const HeadSteps& steps, std::size_t index) {
    const LayerHead head = steps.question.head;
    const std::size_t width = model.spec.valueDim();
    const std::size_t first = model.spec.headPlace(head) * width;
    return written(std::span(steps.all_z.values).subspan(first, width),
                   columnOf(outputRows(model, head), index), 0.0);
}

} // namespace headscope
