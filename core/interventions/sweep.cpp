#include "core/interventions/sweep.h"

#include "core/interventions/sweep_steps.h"

#include <string>
#include <vector>

namespace headscope {

std::string headSetText(const HeadSet& heads) {
    return HeadMask::of(heads, AblationKind::Zero).text();
}

void chooseSweepKind(SweepQuestion& question, std::string_view name) {
    question.preserve_patterns = name == "pattern-preserving";
    question.kind = AblationKind::Zero;
    if (name == "mean")
        question.kind = question.references.empty() ? AblationKind::Mean : AblationKind::TextMean;
    else if (name == "resample")
        question.kind = AblationKind::Resample;
}

std::string sweepKindName(const SweepQuestion& question) {
    const std::string kind(ablationKindName(question.kind));
    if (!question.preserve_patterns)
        return kind;
    return question.kind == AblationKind::Zero ? "pattern-preserving"
                                               : "pattern-preserving " + kind;
}

std::string sweepText(const SweepQuestion& question) {
    return sweepKindName(question) + ", one set of heads at a time" +
           (question.method == EffectMethod::Gradient ? ", estimated by gradient" : "");
}

std::vector<HeadSet> singleHeads(const ModelSpec& spec) {
    std::vector<HeadSet> units;
    for (const LayerHead head : spec.allHeads())
        units.push_back({head});
    return units;
}

std::vector<HeadSet> kvGroups(const ModelSpec& spec) {
    std::vector<HeadSet> units;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        for (const std::size_t place : spec.firstReaders(layer))
            units.push_back(spec.groupOf(spec.headAt(layer, place)));
    return units;
}

Result<std::vector<HeadSet>> parseHeadSets(std::string_view text, const ModelSpec& spec) {
    if (text == "all")
        return singleHeads(spec);
    if (text == "kv-groups")
        return kvGroups(spec);
    const auto mask = parseHeadMask(text, spec, AblationKind::Zero);
    if (!mask)
        return mask.error();
    std::vector<HeadSet> units;
    for (const auto& [head, kind] : mask->heads())
        units.push_back({head});
    return units;
}

Result<SweepResult> sweepHeads(const std::shared_ptr<const Model>& model,
                               const SweepQuestion& question, const Progress& progress,
                               std::stop_token stop) {
    auto steps = SweepSteps::make(model, question);
    if (!steps)
        return steps.error();
    const std::size_t prompts = question.prompts.size();
    const bool estimates = question.method == EffectMethod::Gradient;
    const std::size_t total = steps->question().units.size() * prompts;
    std::size_t measured = 0;
    const auto finished = [&](std::size_t count) {
        measured += count;
        if (!estimates)
            report(progress, static_cast<double>(measured) / static_cast<double>(total),
                   std::to_string(measured) + " of " + std::to_string(total) + " ablations");
    };
    std::vector<SweepPart> parts;
    for (const SweepStep& step : steps->steps()) {
        if (estimates)
            report(progress, static_cast<double>(step.prompt) / static_cast<double>(prompts),
                   "prompt " + std::to_string(step.prompt + 1) + " of " + std::to_string(prompts));
        auto part = steps->run(parts.size(), finished, stop);
        if (!part)
            return part.error();
        parts.push_back(*std::move(part));
    }
    return steps->merge(parts);
}

} // namespace headscope
