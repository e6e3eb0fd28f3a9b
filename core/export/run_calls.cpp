#include "core/export/run_calls.h"

#include "core/base/text.h"
#include "core/engine/hooks.h"
#include "core/export/calls/call_draft.h"
#include "core/export/calls/python_text.h"
#include "core/export/export_patterns.h"
#include "core/export/provenance.h"
#include "core/model/model.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope {

namespace {

/// Among the heads that its layer still has.
std::size_t placeInLayer(const ModelSpec& spec, LayerHead head) {
    const HeadIndex index = headIndex(spec);
    return index.placeOf(head) - index.firstOf(head.layer);
}

/// By `export`, which has all heads on.
Call exported(CallDraft draft, const LoadedModel& loaded, const Prompt& prompt,
              const PatternSelection& selection, const char* extension, const std::string& behind) {
    if (selection.layer)
        draft.option("--layer", *selection.layer);
    if (selection.head)
        draft.option("--head", *selection.head);
    draft.option("-o",
                 patternFileName(provenanceOf(loaded.model, prompt, {}), selection, extension));
    return std::move(draft).withPython(behind.empty() ? "run" : "pattern", "run", behind);
}

/// The arrays of these layers, of a run with ablated heads.
Call fromRun(CallDraft draft, const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask,
             const std::vector<std::string>& hooks, std::optional<std::size_t> layer,
             const std::string& behind) {
    draft.option("--hooks", join(hooks, ","));
    draft.option("-o", patternFileName(provenanceOf(loaded.model, prompt, mask),
                                       {layer, std::nullopt}, ".npz"));
    return std::move(draft).withPython(behind.empty() ? "run" : "pattern", "run", behind);
}

std::string dtypeWord(FloatFormat format) {
    return format == FloatFormat::Float32 ? "f32" : format == FloatFormat::Float16 ? "f16" : "bf16";
}

std::string pythonHooks(const std::vector<std::string>& hooks) {
    std::vector<std::string> texts;
    std::ranges::transform(hooks, std::back_inserter(texts), pythonText);
    return '[' + join(texts, ", ") + ']';
}

} // namespace

Call infoCall(const LoadedModel& loaded) {
    return CallDraft("info", loaded).withPython("info", "info");
}

Call verifyCall(const std::optional<LoadedModel>& loaded, const std::filesystem::path& reference) {
    if (!loaded)
        return {.command = "verify",
                .model = std::nullopt,
                .python = {"verified", "headscope.verify()", "verified"}};
    CallDraft draft("verify", *loaded);
    if (!reference.empty()) {
        draft.option("--reference", reference.string());
        draft.keyword("reference", pythonText(reference.string()));
    }
    return std::move(draft).withPython("verified", "verify");
}

Call convertCall(const LoadedModel& loaded, const std::filesystem::path& path, FloatFormat format) {
    CallDraft draft("convert", loaded);
    draft.option("-o", path.string());
    draft.option("--dtype", dtypeWord(format));
    draft.argument(pythonText(path.string()));
    draft.keyword("dtype", pythonText(dtypeWord(format)));
    return std::move(draft).withPython("written", "save");
}

Result<Call> runCall(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask) {
    CallDraft draft("run", loaded);
    draft.prompt(prompt);
    if (auto worded = draft.mask(mask); !worded)
        return worded.error();
    return std::move(draft).withPython("run", "run", "", "run.loss, run.predictions()");
}

Result<Call> patternCall(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask,
                         LayerHead head) {
    const std::string hook = hookName(loaded.model.spec, {HookKind::Pattern, head.layer});
    const std::string behind =
        '[' + pythonText(hook) + "][" + std::to_string(placeInLayer(loaded.model.spec, head)) + ']';
    CallDraft draft(mask.empty() ? "export" : "run", loaded);
    draft.prompt(prompt);
    if (auto worded = draft.mask(mask); !worded)
        return worded.error();
    draft.keyword("hooks", pythonHooks({hook}));
    if (mask.empty())
        return exported(std::move(draft), loaded, prompt, {head.layer, head.head}, ".csv", behind);
    // Of a run the array of a layer holds the heads that it still has.
    return fromRun(std::move(draft), loaded, prompt, mask, {hook}, head.layer, behind);
}

Result<Call> patternsCall(const LoadedModel& loaded, const Prompt& prompt, const HeadMask& mask,
                          std::vector<std::size_t> layers) {
    std::ranges::sort(layers);
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    std::vector<std::string> hooks;
    hooks.reserve(std::max<std::size_t>(layers.size(), 1));
    for (const std::size_t layer : layers)
        hooks.push_back(hookName(loaded.model.spec, {HookKind::Pattern, layer}));
    if (hooks.empty())
        hooks.push_back(hookGlob(loaded.model.spec, HookKind::Pattern));
    const bool exports = mask.empty() && layers.size() <= 1;
    const auto layer = layers.size() == 1 ? std::optional(layers.front()) : std::nullopt;
    CallDraft draft(exports ? "export" : "run", loaded);
    draft.prompt(prompt);
    if (auto worded = draft.mask(mask); !worded)
        return worded.error();
    draft.keyword("hooks", pythonHooks(hooks));
    const std::string behind = layer ? '[' + pythonText(hooks.front()) + ']' : "";
    if (exports)
        return exported(std::move(draft), loaded, prompt, {layer, std::nullopt}, ".npz", behind);
    return fromRun(std::move(draft), loaded, prompt, mask, hooks, layer, behind);
}

Call scoresCall(const LoadedModel& loaded, std::span<const Prompt> prompts) {
    CallDraft draft("heads", loaded);
    draft.prompts(prompts);
    return std::move(draft).withPython("scores", "heads");
}

Call trustCall(const LoadedModel& loaded) {
    CallDraft draft("heads", loaded);
    draft.flag("--trust");
    return std::move(draft).withPython("trust", "trust");
}

Result<Call> effectCall(const LoadedModel& loaded, const AblationEffectQuestion& question,
                        std::span<const Prompt> prompts) {
    CallDraft draft("effect", loaded);
    draft.word(headWord(question.head));
    draft.argument(pythonHead(question.head));
    draft.prompts(prompts);
    if (question.kind == AblationKind::TextMean ||
        (question.preserve_patterns && question.kind != AblationKind::Zero))
        return Error{ErrorCode::Unsupported,
                     "headscope-cli effect has no word for this kind of ablation."};
    const std::string kind = question.preserve_patterns
                                 ? "pattern-preserving"
                                 : std::string(ablationKindName(question.kind));
    draft.option("--ablation", kind);
    draft.option("--others", question.others);
    draft.option("--seed", std::to_string(question.seed));
    draft.keyword("ablation", pythonText(kind));
    draft.keyword("others", std::to_string(question.others));
    draft.keyword("seed", std::to_string(question.seed));
    if (question.least_effect) {
        draft.option("--least-effect", numberText(*question.least_effect));
        draft.keyword("least_effect", numberText(*question.least_effect));
    }
    draft.option("--most-sequences", question.most_sequences);
    draft.keyword("most_sequences", std::to_string(question.most_sequences));
    if (question.backups) {
        draft.flag("--backups");
        draft.keyword("backups", "True");
    }
    return std::move(draft).withPython("effect", "effect");
}

Result<Call> generateCall(const LoadedModel& loaded, const Prompt& prompt,
                          const GenerateOptions& options) {
    CallDraft draft("generate", loaded);
    draft.prompt(prompt);
    draft.option("--tokens", options.tokens);
    draft.option("--temperature", numberText(options.temperature));
    draft.option("--seed", std::to_string(options.seed));
    if (auto worded = draft.mask(options.mask); !worded)
        return worded.error();
    draft.keyword("tokens", std::to_string(options.tokens));
    draft.keyword("temperature", numberText(options.temperature));
    draft.keyword("seed", std::to_string(options.seed));
    return std::move(draft).withPython("written", "generate");
}

} // namespace headscope
