#include "core/interventions/backup_heads.h"

#include "core/interventions/runs/stand_ins.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace headscope {

namespace {

std::vector<TokenIds> idsOf(const std::vector<LogitQuestion>& prompts) {
    std::vector<TokenIds> ids;
    ids.reserve(prompts.size());
    for (const LogitQuestion& prompt : prompts)
        ids.push_back(prompt.ids);
    return ids;
}

Result<void> checkBackup(const BackupQuestion& question, const ModelSpec& spec) {
    if (question.prompts.empty())
        return Error{ErrorCode::InvalidArgument, "There is no prompt to measure on; give one."};
    if (question.ablated.empty())
        return Error{ErrorCode::InvalidArgument,
                     "No head is ablated; name at least one to see which stand in for it."};
    for (const LayerHead head : question.ablated)
        if (auto exists = checkHead(head, spec); !exists)
            return exists;
    return question.kind == AblationKind::Resample
               ? checkResampled(idsOf(question.prompts), question.references)
               : Result<void>();
}

HeadMask maskOf(const BackupQuestion& question) {
    HeadMask mask;
    for (const LayerHead head : question.ablated)
        mask.set(head, question.kind);
    return mask;
}

PromptStandIns standInsFor(const std::shared_ptr<const Model>& model,
                           const BackupQuestion& question) {
    std::set<std::size_t> layers;
    for (const LayerHead head : question.ablated)
        layers.insert(head.layer);
    return {model, question.kind, std::move(layers),
            question.references.empty() ? idsOf(question.prompts) : question.references};
}

/// Adds a share of the direct effects of all heads.
void addEffects(const LogitAttribution& attribution, double share, const BackupResult& result,
                std::vector<double>& effects) {
    for (const LogitPart& part : attribution.parts)
        if (part.kind == LogitPartKind::Head)
            effects[result.index(part.of)] += share * part.value;
}

} // namespace

Result<BackupResult> measureBackup(const std::shared_ptr<const Model>& model,
                                   const BackupQuestion& question, const Progress& progress,
                                   std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    if (auto valid = checkBackup(question, spec); !valid)
        return valid.error();
    BackupResult result;
    result.question = question;
    result.n_heads = spec.n_heads;
    result.full_effects.resize(spec.n_layers * spec.n_heads);
    result.ablated_effects = result.full_effects;
    const HeadMask mask = maskOf(question);
    PromptStandIns stand_ins = standInsFor(model, question);
    const auto prompts = static_cast<double>(question.prompts.size());
    for (std::size_t i = 0; i < question.prompts.size(); ++i) {
        report(progress, static_cast<double>(i) / prompts,
               "prompt " + std::to_string(i + 1) + " of " +
                   std::to_string(question.prompts.size()));
        const auto full = attributeLogit(model, question.prompts[i], {}, stop);
        if (!full)
            return full.error();
        const auto of_prompt = stand_ins.of(i, stop);
        if (!of_prompt)
            return of_prompt.error();
        HookSet hooks;
        addAblation(hooks, mask, *of_prompt);
        const auto ablated = attributeLogit(model, question.prompts[i], hooks, stop);
        if (!ablated)
            return ablated.error();
        result.full_logit += full->logit / prompts;
        result.ablated_logit += ablated->logit / prompts;
        addEffects(*full, 1.0 / prompts, result, result.full_effects);
        addEffects(*ablated, 1.0 / prompts, result, result.ablated_effects);
    }
    return result;
}

std::vector<LayerHead> backupHeads(const BackupResult& result, double least) {
    const std::size_t first = std::ranges::min(result.question.ablated).layer + 1;
    std::vector<LayerHead> heads;
    for (std::size_t i = first * result.n_heads; i < result.full_effects.size(); ++i)
        if (const LayerHead head{i / result.n_heads, i % result.n_heads}; result.rise(head) > least)
            heads.push_back(head);
    std::ranges::stable_sort(heads, std::ranges::greater(),
                             [&](LayerHead head) { return result.rise(head); });
    return heads;
}

} // namespace headscope
