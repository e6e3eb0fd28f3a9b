#include "core/loading/plan/described_model.h"

#include "core/loading/model_texts.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

Result<DescribedModel> describeModel(const TensorSource& file) {
    const std::string name = file.path().filename().string();
    auto text = findConfig(file);
    if (!text)
        return text.error();
    if (!*text)
        return Error{ErrorCode::NotFound,
                     name + " has no attribute 'config' and there is no config.json beside it; "
                            "put the model's config.json there."};
    auto config = ConfigReader::parse((*text)->content, (*text)->source);
    if (!config)
        return config.error();
    auto architecture = describeArchitecture(*config, file);
    if (!architecture)
        return architecture.error();
    if (auto good = checkSpec(architecture->spec, config->source()); !good)
        return good.error();
    return DescribedModel{*std::move(config), *std::move(architecture)};
}

bool isCircuit(WeightRole role) {
    using enum WeightRole;
    return role == W_QKV || role == W_Q || role == W_K || role == W_V || role == W_O ||
           (role >= W_DQ && role <= W_UV);
}

bool isHead(WeightRole role) {
    return role >= WeightRole::LnFinalWeight;
}

namespace {

/// Whether a role exists only in a layer with heads.
bool isOfHeads(WeightRole role) {
    return role >= WeightRole::W_QKV && role <= WeightRole::Sinks;
}

bool isFinalNorm(WeightRole role) {
    return role == WeightRole::LnFinalWeight || role == WeightRole::LnFinalBias;
}

/// What a base model leaves out.
bool isUnembedding(WeightRole role) {
    return role >= WeightRole::W_mlm;
}

/// "…, and 3 more"
std::string allOf(const std::vector<MissingTensor>& missing) {
    const std::size_t more = missing.size() - 1;
    return missing.front().message + (more == 0 ? "" : ", and " + std::to_string(more) + " more");
}

/// The layers of the missing tensors that `concerns` chooses; each once, ascending.
template <class Concerns>
std::vector<std::size_t> layersOf(const std::vector<MissingTensor>& missing, Concerns concerns) {
    std::set<std::size_t> layers;
    for (const MissingTensor& tensor : missing)
        if (concerns(tensor))
            layers.insert(tensor.layer);
    return {layers.begin(), layers.end()};
}

AbsentParts absentParts(const std::vector<MissingTensor>& missing, const ModelSpec& spec) {
    AbsentParts absent;
    absent.attention =
        layersOf(missing, [](const MissingTensor& tensor) { return isCircuit(tensor.role); });
    absent.ln1 = layersOf(missing, [&](const MissingTensor& tensor) {
        return tensor.role == WeightRole::Ln1Weight && spec.normsAttentionInput(tensor.layer) &&
               !absent.hasAttention(tensor.layer);
    });
    absent.final_norm = std::ranges::any_of(missing, isFinalNorm, &MissingTensor::role);
    return absent;
}

/// Removes the heads of layers whose attention is incomplete in the file, since the rest of it is
/// of no use.
void leaveOut(const std::vector<std::size_t>& layers, TensorPlan& plan, ModelSpec& spec) {
    if (layers.empty())
        return;
    std::vector<std::vector<std::size_t>> kept(spec.n_layers);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (!std::ranges::binary_search(layers, layer))
            for (std::size_t place = 0; place < spec.headsIn(layer); ++place)
                kept[layer].push_back(spec.headAt(layer, place).head);
    spec.kept_heads = std::move(kept);
    if (!spec.pruned_heads.empty())
        for (const std::size_t layer : layers)
            spec.pruned_heads[layer].clear();
    const auto left_out = [&](const PlannedTensor& planned) {
        return isOfHeads(planned.role) && std::ranges::binary_search(layers, planned.layer);
    };
    std::set<std::string> names;
    for (const PlannedTensor& planned : plan.tensors)
        if (left_out(planned) && names.insert(planned.tensor->nameInFile()).second)
            plan.ignored.push_back({planned.tensor->nameInFile(),
                                    "the file lacks other parts of its layer's attention"});
    std::erase_if(plan.tensors, left_out);
}

/// "its attention", "the attention of layers 0 and 2"
std::string openAttention(const ModelSpec& spec) {
    if (spec.absent.attention.empty())
        return "its attention";
    std::vector<std::size_t> layers;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (!spec.absent.hasAttention(layer))
            layers.push_back(layer);
    return "the attention of " + layersText(layers);
}

/// Attention as weights, of the layers that have it.
Result<std::string> asWeights(TensorPlan& plan, ModelSpec& spec) {
    spec.absent = absentParts(plan.missing, spec);
    leaveOut(spec.absent.attention, plan, spec);
    if (!spec.absent.attention.empty() && spec.allHeads().empty())
        return Error{ErrorCode::NotFound,
                     std::ranges::find_if(plan.missing, isCircuit, &MissingTensor::role)->message +
                         ", and no layer has all of its queries, keys, values and output; export "
                         "the whole model or correct the config."};
    spec.cannot_run = allOf(plan.missing) + ", so only " + openAttention(spec) +
                      " is open, as weights; export the whole model to run it.";
    return spec.cannot_run;
}

} // namespace

Result<std::string> withoutMissing(TensorPlan& plan, ModelSpec& spec) {
    if (plan.missing.empty())
        return std::string();
    const bool lacks_embedding = std::ranges::any_of(
        plan.missing, [](const MissingTensor& tensor) { return tensor.role == WeightRole::W_E; });
    if (std::ranges::any_of(plan.missing, isHead, &MissingTensor::role) ||
        (lacks_embedding && spec.tied_unembedding))
        spec.output = OutputHead::None;
    if (std::ranges::all_of(plan.missing, isUnembedding, &MissingTensor::role))
        return allOf(plan.missing) + ", so it is open as a base model, which has patterns and "
                                     "circuits but no logits.";
    if (std::ranges::all_of(plan.missing, isHead, &MissingTensor::role)) {
        spec.final_norm = false;
        spec.absent = absentParts(plan.missing, spec);
        return allOf(plan.missing) + ", so a run ends before the final norm, with patterns and "
                                     "circuits but no logits; export the whole model to have them.";
    }
    return asWeights(plan, spec);
}

} // namespace headscope
