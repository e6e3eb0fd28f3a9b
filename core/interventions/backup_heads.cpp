#include "core/interventions/backup_heads.h"

#include "core/interventions/runs/stand_ins.h"
#include "core/model/model.h"

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

PromptStandIns standInsFor(const std::shared_ptr<const Model>& model,
                           const BackupQuestion& question) {
    std::set<std::size_t> layers;
    for (const LayerHead head : question.ablated)
        layers.insert(head.layer);
    return {model, question.kind, std::move(layers),
            question.references.empty() ? idsOf(question.prompts) : question.references};
}

/// Adds a share of the direct effects of all heads.
void addEffects(const LogitAttribution& attribution, double share, PerHead<double>& effects) {
    for (const LogitPart& part : attribution.parts)
        if (part.kind == LogitPartKind::Head)
            effects[part.of] += share * part.value;
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
    result.full_effects = PerHead<double>(headIndex(spec));
    result.ablated_effects = result.full_effects;
    const HeadMask mask = HeadMask::of(question.ablated, question.kind);
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
        addAblation(hooks, mask, spec, *of_prompt);
        const auto ablated = attributeLogit(model, question.prompts[i], hooks, stop);
        if (!ablated)
            return ablated.error();
        result.full_logit += full->logit / prompts;
        result.ablated_logit += ablated->logit / prompts;
        addEffects(*full, 1.0 / prompts, result.full_effects);
        addEffects(*ablated, 1.0 / prompts, result.ablated_effects);
    }
    return result;
}

std::vector<LayerHead> backupHeads(const BackupResult& result, double least) {
    const std::size_t first_ablated = std::ranges::min(result.question.ablated).layer;
    std::vector<LayerHead> heads;
    for (const LayerHead head : result.full_effects.heads())
        if (head.layer > first_ablated && result.rise(head) > least)
            heads.push_back(head);
    std::ranges::stable_sort(heads, std::ranges::greater(),
                             [&](LayerHead head) { return result.rise(head); });
    return heads;
}

} // namespace headscope
