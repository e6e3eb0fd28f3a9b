#include "core/pruning/smaller_model.h"

#include "core/model/weight_role.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope {

namespace {

/// Some columns of x [.., cols]; an empty tensor stays one.
template <class T>
BasicTensor<T> keptColumns(const BasicTensor<T>& x, const std::vector<std::size_t>& columns) {
    if (x.empty())
        return {};
    Shape shape = x.shape();
    shape.back() = columns.size();
    BasicTensor<T> kept = BasicTensor<T>::uninitialised(shape);
    const BasicMatrixView<const T> from = x.matrix();
    for (std::size_t row = 0; row < from.rows; ++row)
        for (std::size_t i = 0; i < columns.size(); ++i)
            kept.data()[row * columns.size() + i] = from(row, columns[i]);
    return kept;
}

template <class T>
BasicTensor<T> rowBlocks(const BasicTensor<T>& x, const std::vector<std::size_t>& blocks,
                         std::size_t width) {
    BasicTensor<T> kept = BasicTensor<T>::uninitialised({blocks.size() * width, x.dim(1)});
    for (std::size_t i = 0; i < blocks.size(); ++i)
        std::copy_n(x.matrix().row(blocks[i] * width), width * x.dim(1),
                    kept.data() + i * width * x.dim(1));
    return kept;
}

/// Where the KV heads that the heads at some places read are among those of their layer.
std::vector<std::size_t> kvPlacesLeft(const ModelSpec& spec, std::size_t layer,
                                      const std::vector<std::size_t>& places) {
    std::vector<std::size_t> kv_places;
    for (const std::size_t place : places)
        if (const std::size_t kv_place = spec.kvPlace(spec.headAt(layer, place));
            kv_places.empty() || kv_places.back() != kv_place)
            kv_places.push_back(kv_place);
    return kv_places;
}

/// The columns of blocks of one width, which are counted from a first column on.
std::vector<std::size_t> blockColumns(std::size_t first, const std::vector<std::size_t>& blocks,
                                      std::size_t width) {
    std::vector<std::size_t> columns;
    columns.reserve(blocks.size() * width);
    for (const std::size_t block : blocks)
        for (std::size_t i = 0; i < width; ++i)
            columns.push_back(first + block * width + i);
    return columns;
}

/// The columns of W_QKV that the heads at some places of a layer read.
std::vector<std::size_t> fusedColumns(const ModelSpec& spec, std::size_t layer,
                                      const std::vector<std::size_t>& places) {
    const auto kv_places = kvPlacesLeft(spec, layer, places);
    std::vector<std::size_t> columns = blockColumns(0, places, spec.d_head);
    std::ranges::copy(blockColumns(spec.queryWidth(layer), kv_places, spec.d_head),
                      std::back_inserter(columns));
    std::ranges::copy(
        blockColumns(spec.queryWidth(layer) + spec.keyWidth(layer), kv_places, spec.valueDim()),
        std::back_inserter(columns));
    return columns;
}

const OutputRepair* repairOf(const Cut& cut, std::size_t layer) {
    const auto found = cut.repairs.find(layer);
    return found == cut.repairs.end() ? nullptr : found->second.get();
}

/// The norm of the queries or keys of heads at some places.
NormWeights keptNorm(const NormWeights& from, const ModelSpec& spec,
                     const std::vector<std::size_t>& places) {
    if (!spec.qk_norm_gains_by_head)
        return from;
    const auto columns = blockColumns(0, places, spec.d_head);
    return {keptColumns(from.weight, columns), keptColumns(from.bias, columns)};
}

/// The latents stay as long as a head is left that is made of them.
LatentWeights cutLatents(const LatentWeights& from, const ModelSpec& spec,
                         const std::vector<std::size_t>& left) {
    if (left.empty())
        return {};
    LatentWeights kept = from;
    const auto keep = [&](WeightTensor LatentWeights::*up, std::size_t width) {
        const auto columns = blockColumns(0, left, width);
        kept.*up = (from.*up).rearranged([&](const auto& W) { return keptColumns(W, columns); });
    };
    keep(&LatentWeights::W_UQ, spec.d_head);
    keep(&LatentWeights::W_UK, spec.ownKeyDim());
    keep(&LatentWeights::W_UV, spec.valueDim());
    return kept;
}

/// Attention of one layer with the heads that a cut leaves.
AttentionWeights cutAttention(const Model& whole, const Cut& cut, std::size_t layer) {
    const ModelSpec& spec = whole.spec;
    const AttentionWeights& from = whole.weights.layers[layer].attn;
    const std::vector<std::size_t> left = placesLeft(spec, cut.removed, layer);
    if (left.size() == spec.headsIn(layer))
        return from;
    const auto columns = fusedColumns(spec, layer, left);
    AttentionWeights kept;
    kept.W_QKV = from.W_QKV.rearranged([&](const auto& W) { return keptColumns(W, columns); });
    kept.b_QKV = keptColumns(from.b_QKV, columns);
    if (spec.latent)
        kept.latent = cutLatents(from.latent, spec, left);
    kept.sinks = keptColumns(from.sinks, left);
    kept.q_norm = keptNorm(from.q_norm, spec, left);
    kept.k_norm = keptNorm(from.k_norm, spec, kvPlacesLeft(spec, layer, left));
    const OutputRepair* const repair = repairOf(cut, layer);
    kept.W_O = repair && !repair->W_O.empty() ? WeightTensor(repair->W_O)
                                              : from.W_O.rearranged([&](const auto& W) {
                                                    return rowBlocks(W, left, spec.valueDim());
                                                });
    kept.b_O = repair && !repair->b_O.empty() ? repair->b_O : from.b_O;
    return kept;
}

void cutSpec(ModelSpec& spec, const ModelSpec& whole, const HeadSet& removed) {
    spec.pruned_heads.clear();
    spec.kept_heads.assign(whole.n_layers, {});
    for (std::size_t layer = 0; layer < whole.n_layers; ++layer)
        for (const std::size_t place : placesLeft(whole, removed, layer))
            spec.kept_heads[layer].push_back(whole.headAt(layer, place).head);
}

/// A family has b_O in all layers or in none.
void fillOutputBiases(Model& model) {
    const auto has = [](const LayerWeights& layer) { return !layer.attn.b_O.empty(); };
    if (std::ranges::none_of(model.weights.layers, has))
        return;
    for (LayerWeights& layer : model.weights.layers)
        if (!has(layer))
            layer.attn.b_O = Tensor({model.spec.d_model});
}

Model withoutWeights(const Model& model) {
    return {model.name, model.path,      model.sha256,    model.description, model.spec,
            {},         model.tokenizer, model.bos_facts, model.report,      {}};
}

std::vector<std::size_t> removedIn(const Cut& cut, std::size_t layer) {
    std::vector<std::size_t> heads;
    for (const LayerHead head : cut.removed)
        if (head.layer == layer)
            heads.push_back(head.head);
    std::ranges::sort(heads);
    return heads;
}

bool sameIn(const Cut& a, const Cut& b, std::size_t layer) {
    return repairOf(a, layer) == repairOf(b, layer) && removedIn(a, layer) == removedIn(b, layer);
}

Result<void> checkCut(const Model& model, const HeadSet& removed) {
    if (const auto& absent = model.spec.absent.attention; !absent.empty())
        return Error{ErrorCode::Unsupported,
                     "The attention of " + layersText(absent) + " is not in the file of " +
                         model.name +
                         ", and in a smaller network it would count as removed; open the whole "
                         "model."};
    for (const LayerHead head : removed)
        if (auto exists = checkHead(head, model.spec); !exists)
            return exists;
    if (!removed.empty() && model.spec.qk_norm == QkNorm::AllHeads)
        return Error{ErrorCode::Unsupported,
                     model.name + " normalises the queries of all heads together, so that heads "
                                  "cannot go without changing those that stay; ablate them."};
    return {};
}

} // namespace

std::vector<std::size_t> placesLeft(const ModelSpec& spec, const HeadSet& removed,
                                    std::size_t layer) {
    std::vector<std::size_t> left;
    for (std::size_t place = 0; place < spec.headsIn(layer); ++place)
        if (std::ranges::find(removed, spec.headAt(layer, place)) == removed.end())
            left.push_back(place);
    return left;
}

Result<std::shared_ptr<const Model>> smallerModel(const Model& model, const Cut& cut) {
    if (auto good = checkCut(model, cut.removed); !good)
        return good.error();
    auto smaller = std::make_shared<Model>(model);
    cutSpec(smaller->spec, model.spec, cut.removed);
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer)
        smaller->weights.layers[layer].attn = cutAttention(model, cut, layer);
    fillOutputBiases(*smaller);
    return std::shared_ptr<const Model>(std::move(smaller));
}

std::shared_ptr<const Model> repairedModel(const Model& model, const Cut& cut) {
    auto repaired = std::make_shared<Model>(model);
    const std::size_t rows = model.spec.valueDim();
    for (const auto& [layer, repair] : cut.repairs) {
        AttentionWeights& attn = repaired->weights.layers[layer].attn;
        if (!repair->b_O.empty())
            attn.b_O = repair->b_O;
        if (repair->W_O.empty())
            continue;
        const auto places = placesLeft(model.spec, cut.removed, layer);
        for (std::size_t i = 0; i < places.size(); ++i)
            std::copy_n(repair->W_O.matrix().row(i * rows), rows * model.spec.d_model,
                        attn.W_O.floats().matrix().row(places[i] * rows));
    }
    fillOutputBiases(*repaired);
    return repaired;
}

CutModel::CutModel(std::shared_ptr<const Model> whole) : whole_(std::move(whole)) {}

std::shared_ptr<const Model> CutModel::with(const Cut& cut) {
    if (!model_) {
        model_ = std::make_shared<Model>(withoutWeights(*whole_));
        model_->weights = borrowedWeights(whole_->weights, whole_);
    }
    for (std::size_t layer = 0; layer < whole_->spec.n_layers; ++layer)
        if (!sameIn(cut, cut_, layer))
            model_->weights.layers[layer].attn = cutAttention(*whole_, cut, layer);
    cutSpec(model_->spec, whole_->spec, cut.removed);
    cut_ = cut;
    return model_;
}

std::size_t firstDifference(const Cut& a, const Cut& b, std::size_t n_layers) {
    for (std::size_t layer = 0; layer < n_layers; ++layer)
        if (!sameIn(a, b, layer))
            return layer;
    return n_layers;
}

namespace {

std::size_t parametersOf(const Model& model) {
    std::size_t sum = 0;
    for (const RoleInfo& role : weightRoles()) {
        if (role.isPart())
            continue; // of a fused tensor, which counts by itself
        const std::size_t copies = role.isPerLayer() ? model.spec.n_layers : 1;
        for (std::size_t layer = 0; layer < copies; ++layer)
            sum += sizeOf(role.tensor.read(model.weights, layer));
    }
    return sum;
}

/// How many numbers of a role in one layer a token is multiplied with; of experts, those it goes
/// through.
std::size_t numbersUsed(const Model& model, const RoleInfo& role, std::size_t layer) {
    const std::size_t all = sizeOf(role.tensor.read(model.weights, layer));
    if (!role.isPerExpert() || !model.spec.hasExperts(layer))
        return all;
    return all / model.spec.experts->n_experts * model.spec.experts->n_chosen;
}

/// Numbers of the matrices that a token is multiplied with: no tables that are looked up.
std::size_t multipliedNumbers(const Model& model) {
    std::size_t sum =
        model.spec.output == OutputHead::None ? 0 : model.weights.unembedding().size();
    for (const RoleInfo& role : weightRoles()) {
        const bool table = role.rows == Dim::Vocab || role.rows == Dim::Outputs ||
                           role.rows == Dim::Context || role.rows == Dim::TokenTypes;
        if (role.isPart() || role.isVector() || table)
            continue;
        const std::size_t copies = role.isPerLayer() ? model.spec.n_layers : 1;
        for (std::size_t layer = 0; layer < copies; ++layer)
            sum += numbersUsed(model, role, layer);
    }
    return sum;
}

struct Removed {
    std::size_t all = 0;
    std::size_t multiplied = 0; ///< of matrices
};

/// How many numbers of a layer's attention go with its heads; `left` has those that stay.
Removed removedNumbers(const Model& model, const ModelSpec& left, std::size_t layer) {
    Removed removed;
    for (const RoleInfo& role : weightRoles()) {
        const bool concerned = role.name.starts_with("blocks.{}.attn.") && !role.isPart() &&
                               sizeOf(role.tensor.read(model.weights, layer)) != 0;
        if (!concerned)
            continue;
        const std::size_t numbers =
            elementCount(role.shape(model.spec, layer)) - elementCount(role.shape(left, layer));
        removed.all += numbers;
        removed.multiplied += role.isVector() ? 0 : numbers;
    }
    return removed;
}

} // namespace

ModelCost costOf(const Model& model) {
    const ModelSpec& spec = model.spec;
    ModelCost cost;
    cost.parameters = parametersOf(model);
    cost.flops_per_token = 2.0 * static_cast<double>(multipliedNumbers(model));
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        cost.kv_per_token += spec.cacheWidth(layer);
        cost.flops_per_token +=
            2.0 * static_cast<double>(spec.n_ctx) * static_cast<double>(spec.queryWidth(layer));
    }
    return cost;
}

ModelCost costAfter(const Model& model, const Cut& cut) {
    const ModelSpec& spec = model.spec;
    ModelSpec left = spec;
    left.kept_heads.assign(spec.n_layers, {});
    bool biased = false;
    for (const auto& [layer, repair] : cut.repairs)
        biased = biased || !repair->b_O.empty();
    ModelCost cost = costOf(model);
    cost.kv_per_token = 0;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        for (const std::size_t place : placesLeft(spec, cut.removed, layer))
            left.kept_heads[layer].push_back(spec.headAt(layer, place).head);
        const Removed removed = removedNumbers(model, left, layer);
        const std::size_t queries = spec.queryWidth(layer) - left.queryWidth(layer);
        cost.parameters -= removed.all;
        cost.parameters +=
            biased && model.weights.layers[layer].attn.b_O.empty() ? spec.d_model : 0;
        cost.flops_per_token -=
            2.0 * (static_cast<double>(removed.multiplied) +
                   static_cast<double>(spec.n_ctx) * static_cast<double>(queries));
        cost.kv_per_token += left.cacheWidth(layer);
    }
    return cost;
}

} // namespace headscope
