#include "core/loading/plan/described_model.h"

#include "core/loading/model_texts.h"

#include <algorithm>

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

namespace {

/// What attention computes with, and the norm that is folded into it.
bool isAttention(WeightRole role) {
    using enum WeightRole;
    return (role >= Ln1Weight && role <= Sinks) || role == Ln1PostWeight;
}

/// What turns the last residual into logits, with the norm before it.
bool isHead(WeightRole role) {
    return role >= WeightRole::LnFinalWeight;
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

} // namespace

Result<std::string> withoutMissing(const TensorPlan& plan, ModelSpec& spec) {
    if (plan.missing.empty())
        return std::string();
    const auto attention = std::ranges::find_if(plan.missing, isAttention, &MissingTensor::role);
    if (attention != plan.missing.end())
        return Error{ErrorCode::NotFound,
                     attention->message + "; export the whole model or correct the config."};
    const bool lacks_embedding = std::ranges::any_of(
        plan.missing, [](const MissingTensor& tensor) { return tensor.role == WeightRole::W_E; });
    if (std::ranges::any_of(plan.missing, isHead, &MissingTensor::role) ||
        (lacks_embedding && spec.tied_unembedding))
        spec.output = OutputHead::None;
    if (std::ranges::all_of(plan.missing, isUnembedding, &MissingTensor::role))
        return allOf(plan.missing) +
               ": a base model, which has patterns and circuits but no logits. If the unembedding "
               "is the embedding, say so in the config (tie_word_embeddings).";
    spec.cannot_run = allOf(plan.missing) + ", so only its attention is open, as weights; export "
                                            "the whole model to run it.";
    return spec.cannot_run;
}

} // namespace headscope
