#include "core/loading/architectures/missing_heads.h"

#include "core/base/text.h"
#include "core/loading/model_texts.h"

#include <algorithm>
#include <string>
#include <vector>

namespace headscope {

namespace {

/// The heads of one layer that pruned_heads names, sorted.
std::vector<std::size_t> prunedHeads(ConfigReader& config, std::size_t layer,
                                     std::vector<std::size_t> heads, const ModelSpec& spec) {
    std::ranges::sort(heads);
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    if (layer >= spec.n_layers || heads.size() >= spec.n_heads || heads.back() >= spec.n_heads)
        config.fail(ErrorCode::Mismatch, "has pruned_heads in layer " + std::to_string(layer) +
                                             ", expected some of " + std::to_string(spec.n_heads) +
                                             " heads in one of " + std::to_string(spec.n_layers) +
                                             " layers; correct the config.");
    return heads;
}

} // namespace

void readPrunedHeads(ConfigReader& config, const Family& family, ModelSpec& spec) {
    if (!family.prunable)
        config.refuse("pruned_heads", "weights with heads cut out are not supported for this "
                                      "family; export the whole model and ablate heads here");
    std::vector<std::string> names;
    for (const auto& [layer, heads] : config.numberLists("pruned_heads")) {
        if (heads.empty())
            continue;
        const auto sorted = prunedHeads(config, layer, heads, spec);
        if (config.error())
            return;
        spec.pruned_heads.resize(spec.n_layers);
        spec.pruned_heads[layer] = sorted;
        for (const std::size_t head : sorted)
            names.push_back(std::to_string(layer) + "." + std::to_string(head));
    }
    if (!names.empty())
        config.note("Heads were cut out of the file (pruned_heads): " + join(names, ", ") +
                    ". Zeros stand in their place, so ablating them changes nothing.");
}

void readKeptHeads(ConfigReader& config, Architecture& architecture) {
    ModelSpec& spec = architecture.spec;
    const auto lists = config.numberLists(kKeptHeadsKey);
    if (lists.empty())
        return;
    if (const std::size_t whole = config.sizeOr({kWholeHeadsKey}, 0, 0); whole != 0) {
        spec.n_heads = whole;
        spec.n_kv_heads = config.sizeOr({kWholeKvHeadsKey}, whole);
    }
    spec.kept_heads.resize(spec.n_layers);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        const auto heads = lists.find(layer);
        const bool good = lists.size() == spec.n_layers && heads != lists.end() &&
                          std::ranges::is_sorted(heads->second, std::ranges::less_equal()) &&
                          (heads->second.empty() || heads->second.back() < spec.n_heads);
        if (!good)
            return config.fail(ErrorCode::Mismatch,
                               "has kept_heads that do not fit, expected for each of the " +
                                   std::to_string(spec.n_layers) + " layers some of " +
                                   std::to_string(spec.n_heads) +
                                   " heads, ascending; correct the config.");
        spec.kept_heads[layer] = heads->second;
    }
    if (!spec.pruned_heads.empty())
        config.fail(ErrorCode::Mismatch, "has both kept_heads and pruned_heads, expected one of "
                                         "the two; remove one of them.");
    // Groups of unequal size cannot be sorted in the file as even ones are.
    for (TensorRule& rule : architecture.tensors)
        if (rule.layout == Layout::GroupedQkv)
            rule.layout = Layout::Transposed;
}

void readOutputBias(ConfigReader& config, Architecture& architecture) {
    if (!config.flagOr({kOutputBiasKey}, false))
        return;
    const auto ruleOf = [&](WeightRole role) {
        return std::ranges::find(architecture.tensors, role, &TensorRule::role);
    };
    const auto W_O = ruleOf(WeightRole::W_O);
    if (W_O == architecture.tensors.end() || ruleOf(WeightRole::b_O) != architecture.tensors.end())
        return;
    constexpr std::string_view weight = ".weight";
    std::string name = W_O->name;
    if (name.ends_with(weight))
        name.replace(name.size() - weight.size(), weight.size(), ".bias");
    else
        name += "_bias";
    architecture.tensors.push_back({WeightRole::b_O, name});
}

} // namespace headscope
