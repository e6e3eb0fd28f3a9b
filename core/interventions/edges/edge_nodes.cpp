#include "core/interventions/edges/edge_nodes.h"

#include "core/engine/block_plan.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

namespace {

HookPoint writerPoint(const StreamWriter& writer) {
    if (writer.kind == WriterKind::Head)
        return {HookKind::Z, writer.of.layer};
    return writer.kind == WriterKind::Mlp ? HookPoint{HookKind::MlpOut, writer.of.layer}
                                          : HookPoint{HookKind::ResidPre, 0};
}

/// b − a, both of one shape.
Tensor difference(MatrixView a, MatrixView b) {
    Tensor result({a.rows, a.cols});
    for (std::size_t r = 0; r < a.rows; ++r)
        std::transform(b.row(r), b.row(r) + a.cols, a.row(r), result.matrix().row(r),
                       std::minus<>());
    return result;
}

} // namespace

void findNodes(const ModelSpec& spec, EdgeResult& result) {
    const std::vector<HookPoint> points = hookPoints(spec);
    result.writers.push_back({WriterKind::Embedding});
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        const std::size_t before = result.writers.size();
        for (const auto& [input, kind] :
             {std::pair(EdgeInput::Q, HookKind::QInput), std::pair(EdgeInput::K, HookKind::KInput),
              std::pair(EdgeInput::V, HookKind::VInput)}) {
            const std::vector<std::size_t> heads = headsAt(spec, {kind, layer});
            for (std::size_t place = 0; place < heads.size(); ++place)
                result.receivers.push_back({input, layer, heads[place], place, before});
        }
        for (std::size_t place = 0; place < spec.headsIn(layer); ++place)
            result.writers.push_back({WriterKind::Head, spec.headAt(layer, place)});
        if (std::ranges::find(points, HookPoint{HookKind::MlpIn, layer}) == points.end())
            continue;
        const bool reads_heads =
            std::ranges::find(points, HookPoint{HookKind::ResidMid, layer}) != points.end();
        result.receivers.push_back(
            {EdgeInput::Mlp, layer, 0, 0, reads_heads ? result.writers.size() : before});
        result.writers.push_back({WriterKind::Mlp, {layer, 0}});
    }
    result.receivers.push_back({EdgeInput::Logits, spec.n_layers, 0, 0, result.writers.size()});
}

std::set<HookPoint> writerPoints(const EdgeResult& result) {
    std::set<HookPoint> points;
    for (const StreamWriter& writer : result.writers)
        points.insert(writerPoint(writer));
    return points;
}

HookPoint receiverPoint(const EdgeReceiver& receiver, const ModelSpec& spec) {
    switch (receiver.input) {
    case EdgeInput::Q:
        return {HookKind::QInput, receiver.layer};
    case EdgeInput::K:
        return {HookKind::KInput, receiver.layer};
    case EdgeInput::V:
        return {HookKind::VInput, receiver.layer};
    case EdgeInput::Mlp:
        return {HookKind::MlpIn, receiver.layer};
    case EdgeInput::Logits:
        break;
    }
    return residualAt(spec, spec.n_layers);
}

Tensor emptyDifferences(const EdgeResult& result, const ModelSpec& spec) {
    return Tensor({result.writers.size(), result.question.clean.size() * spec.d_model});
}

void fillDifferences(const Model& model, const EdgeResult& result, HookPoint at,
                     const TensorView& from, const TensorView& to, Tensor& differences) {
    const std::size_t d_model = model.spec.d_model;
    for (std::size_t w = 0; w < result.writers.size(); ++w) {
        const StreamWriter& writer = result.writers[w];
        if (writerPoint(writer) != at)
            continue;
        const std::span<float> row(&differences(w, 0u), differences.dim(1));
        if (writer.kind != WriterKind::Head) {
            std::ranges::copy(difference(nodeRows(from, 0), nodeRows(to, 0)).values(), row.begin());
            continue;
        }
        const std::size_t place = model.spec.headPlace(writer.of);
        const Tensor z = difference(nodeRows(from, place), nodeRows(to, place));
        const MatrixView W_O = model.weights.layers[at.layer].attn.W_O.matrix();
        multiply(z.matrix(), W_O.rowRange(place * z.dim(1), z.dim(1)),
                 {row.data(), z.dim(0), d_model, d_model});
    }
}

} // namespace headscope
