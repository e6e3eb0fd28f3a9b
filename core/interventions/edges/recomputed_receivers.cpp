#include "core/engine/backward.h"
#include "core/interventions/edges/edge_runs.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// The receivers that read at one hook point, and the hook point of what they make of it.
struct ReceiversAt {
    EdgeInput input;
    HookPoint reads;
    HookPoint makes;
};

/// Runs one batch through a layer for each of its hook points. In each run all heads that read
/// there read what one writer adds; only one head does if the heads change each other.
class RecomputedReceivers {
public:
    RecomputedReceivers(std::shared_ptr<const Model> model, const EdgeRuns& runs,
                        const Gradients& gradients, EdgeResult& result, const Progress& progress,
                        std::stop_token stop)
        : model_(std::move(model)), runs_(runs), gradients_(gradients), result_(result),
          progress_(progress), stop_(std::move(stop)) {}

    Result<void> scoreLayer(std::size_t layer) {
        using enum HookKind;
        for (const ReceiversAt& at : {ReceiversAt{EdgeInput::Q, {QInput, layer}, {Z, layer}},
                                      ReceiversAt{EdgeInput::K, {KInput, layer}, {Z, layer}},
                                      ReceiversAt{EdgeInput::V, {VInput, layer}, {Z, layer}},
                                      ReceiversAt{EdgeInput::Mlp, {MlpIn, layer}, {MlpOut, layer}}})
            if (auto scored = score(at); !scored)
                return scored;
        return {};
    }

private:
    Result<void> score(const ReceiversAt& at) {
        std::vector<std::size_t> columns; // of the receivers, in the order of their places
        for (std::size_t r = 0; r < result_.receivers.size(); ++r)
            if (result_.receivers[r].input == at.input &&
                result_.receivers[r].layer == at.reads.layer)
                columns.push_back(r);
        if (columns.empty())
            return {};
        const std::size_t layer = at.reads.layer;
        const std::size_t writers = result_.receivers[columns.front()].writers;
        const std::vector<std::vector<std::size_t>> changed = changedTogether(at.input, columns);
        std::vector<RunItem> items;
        items.reserve(changed.size() * writers);
        for (const std::vector<std::size_t>& together : changed)
            for (std::size_t writer = 0; writer < writers; ++writer)
                items.push_back(changedRun(at, writer, together));
        Request request;
        request.logits = false;
        request.keep_attention = false;
        request.first_layer = layer;
        request.layers = layer + 1;
        const auto done = runInBatches(
            model_, items, request, [&](std::size_t count) { reportFinished(count); }, stop_);
        if (!done)
            return done.error();
        return {};
    }

    /// `at` and `together` must outlive it.
    RunItem changedRun(const ReceiversAt& at, std::size_t writer,
                       const std::vector<std::size_t>& together) {
        const std::size_t layer = at.reads.layer;
        // Where all heads were removed there is no z.
        const bool keeps_z = at.input == EdgeInput::Mlp && model_->spec.headsIn(layer) > 0;
        RunItem item = keeps_z ? runs_.clean.fromZ(layer) : runs_.clean.from(layer);
        item.hooks.edit(at.reads, runs_.added(writer), onlyHead(at.input, together));
        item.hooks.observe(at.makes, [this, &at, &together, writer](HookPoint point,
                                                                    const TensorView& made) {
            for (std::size_t place = 0; place < placesOf(made); ++place) {
                const std::size_t column =
                    together.size() == 1 ? together.front() : together[columnOf(at, place)];
                result_.scores(writer, column) += static_cast<float>(changeOf(point, made, place));
            }
        });
        return item;
    }

    /// A norm over all queries, or over all keys, lets what one of them reads change the others.
    bool sharesNorm(EdgeInput input) const {
        return model_->spec.qk_norm == QkNorm::AllHeads &&
               (input == EdgeInput::Q || input == EdgeInput::K);
    }

    /// The receivers of one run: all of them, each of which changes other heads, or one.
    std::vector<std::vector<std::size_t>>
    changedTogether(EdgeInput input, const std::vector<std::size_t>& columns) const {
        if (!sharesNorm(input))
            return {columns};
        std::vector<std::vector<std::size_t>> each;
        each.reserve(columns.size());
        for (const std::size_t column : columns)
            each.push_back({column});
        return each;
    }

    HookSet::Head onlyHead(EdgeInput input, const std::vector<std::size_t>& together) const {
        return sharesNorm(input) ? HookSet::Head(result_.receivers[together.front()].place)
                                 : std::nullopt;
    }

    static std::size_t placesOf(const TensorView& made) {
        return made.rank() == 3 ? made.shape[1] : 1;
    }

    /// Which of the receivers the head at a place reads its keys or values from, or its query.
    std::size_t columnOf(const ReceiversAt& at, std::size_t place) const {
        if (at.input != EdgeInput::K && at.input != EdgeInput::V)
            return place;
        return model_->spec.kvPlace(model_->spec.headAt(at.reads.layer, place));
    }

    /// Σ over positions of (made − what the clean run made) · ∂metric/∂it, of one head.
    double changeOf(HookPoint point, const TensorView& made, std::size_t place) const {
        const auto before = runs_.clean.at(point);
        const MatrixView now = nodeRows(made, place);
        const MatrixView clean = nodeRows(before->view(), place);
        const MatrixView slope = nodeRows(gradients_.hooks.at(point).view(), place);
        double sum = 0.0;
        for (std::size_t position = 0; position < now.rows; ++position)
            for (std::size_t c = 0; c < now.cols; ++c)
                sum += (static_cast<double>(now(position, c)) -
                        static_cast<double>(clean(position, c))) *
                       static_cast<double>(slope(position, c));
        return sum;
    }

    void reportFinished(std::size_t count) {
        finished_ += count;
        report(progress_, static_cast<double>(finished_) / static_cast<double>(total()),
               std::to_string(finished_) + " of " + std::to_string(total()) + " changed layers");
    }

    /// Runs through one layer, of all layers.
    std::size_t total() const {
        std::size_t runs = 0;
        for (const EdgeReceiver& receiver : result_.receivers)
            if (receiver.input != EdgeInput::Logits &&
                (receiver.place == 0 || sharesNorm(receiver.input)))
                runs += receiver.writers;
        return runs;
    }

    std::shared_ptr<const Model> model_;
    const EdgeRuns& runs_;
    const Gradients& gradients_;
    EdgeResult& result_;
    const Progress& progress_;
    std::stop_token stop_;
    std::size_t finished_ = 0;
};

} // namespace

Result<void> recomputeReceivers(const std::shared_ptr<const Model>& model, const EdgeRuns& runs,
                                const PromptMetric& metric, EdgeResult& result,
                                const Progress& progress, std::stop_token stop) {
    BackwardRequest request;
    for (const HookPoint point : hookPoints(model->spec))
        if (point.kind == HookKind::Z || point.kind == HookKind::MlpOut)
            request.hooks.emplace_back(point);
    const auto gradients = runBackward(
        model, result.question.clean, [&](const Tensor& logits) { return metric.gradient(logits); },
        request, stop);
    if (!gradients)
        return gradients.error();
    RecomputedReceivers receivers(model, runs, *gradients, result, progress, stop);
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
        if (auto scored = receivers.scoreLayer(layer); !scored)
            return scored;
    const std::size_t logits = result.receivers.size() - 1;
    std::vector<Edge> edges(result.receivers[logits].writers);
    for (std::size_t writer = 0; writer < edges.size(); ++writer)
        edges[writer] = {writer, logits};
    const auto changes = measureEdges(model, result, runs, edges, metric, {}, std::move(stop));
    if (!changes)
        return changes.error();
    for (std::size_t writer = 0; writer < edges.size(); ++writer)
        result.scores(writer, logits) = static_cast<float>((*changes)[writer]);
    return {};
}

} // namespace headscope
