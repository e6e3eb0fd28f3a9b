#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/export/provenance.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/path_patching.h"
#include "core/interventions/tables.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
    return std::ranges::find(list, item) != list.end();
}

Result<Answer> patchHook(const Asking& asking, const ComparedPrompts& prompts,
                         const Provenance& provenance) {
    const ModelSpec& spec = asking.model->spec;
    const auto hook = parseHookKind(asking.asked.text("hook"), spec);
    if (!hook)
        return hook.error();
    PatchQuestion question;
    question.clean = prompts.clean.ids;
    question.corrupted = prompts.corrupted.ids;
    question.hook = *hook;
    question.by_position = contains(asking.asked.texts("by"), "position");
    question.by_head = contains(asking.asked.texts("by"), "head");
    question.metric = prompts.metric;
    question.method = effectMethodNamed(asking.asked.text("method"));
    const auto result = patchActivations(asking.model, question, asking.progress, asking.stop);
    if (!result)
        return result.error();
    return Answer{patchTable(*result, spec, provenance), {patchGrid(*result, spec, provenance)}};
}

Result<Answer> patchPath(const Asking& asking, const ComparedPrompts& prompts,
                         const Provenance& provenance) {
    PathQuestion question;
    question.original = prompts.clean.ids;
    question.other = prompts.corrupted.ids;
    question.metric = prompts.metric;
    auto senders = parseSenders(asking.asked.texts("path")[0], asking.model->spec);
    if (!senders)
        return senders.error();
    question.senders = *std::move(senders);
    auto receivers = parseReceivers(asking.asked.texts("path")[1], asking.model->spec);
    if (!receivers)
        return receivers.error();
    question.receivers = *std::move(receivers);
    const auto result = patchPaths(asking.model, question, asking.progress, asking.stop);
    if (!result)
        return result.error();
    return Answer{pathTable(*result, provenance)};
}

Result<Answer> patch(const Asking& asking) {
    const auto prompts = comparedPromptsOf(asking);
    if (!prompts)
        return prompts.error();
    const Provenance provenance = provenanceOf(*asking.model, prompts->clean, {});
    return asking.asked.has("hook") ? patchHook(asking, *prompts, provenance)
                                    : patchPath(asking, *prompts, provenance);
}

std::vector<Rule> patchRules() {
    std::vector<Rule> rules = metricRules();
    rules.insert(
        rules.end(),
        {{[](const Asked& asked) { return asked.has("hook") == asked.has("path"); },
          "Exactly one of {hook} and {path} must be given."},
         {[](const Asked& asked) { return !asked.has("hook") && !asked.texts("by").empty(); },
          "{by} belongs to {hook}."},
         {[](const Asked& asked) {
              return asked.text("method") == "gradient" && !asked.has("hook");
          },
          "{method} gradient belongs to {hook}."},
         {[](const Asked& asked) {
              return asked.text("method") == "gradient" && asked.text("metric") == "kl";
          },
          "{method} gradient cannot estimate {metric} kl, whose slope is 0."}});
    return rules;
}

} // namespace

Analysis patchAnalysis() {
    return {
        "patch",
        "patch",
        "Replace activations of one prompt by those of another and measure the effect",
        R"(Activation patching: the corrupted prompt with one activation of the clean one.

Both prompts have as many tokens. ``hook``: which activation, layer by layer: resid_pre, q,
pattern, z, attn_out, mlp_out, … ``by``: one position or head at a time. ``normalised`` is 0
where a patch changes nothing and 1 where it brings back what the clean prompt has.

Path patching, with ``path=(senders, receivers)``: the clean prompt with what flows straight from a
head of the corrupted one. A row for each sender ("0.1,0.2", or "all"); receivers are "logits", or
queries, keys and values of heads ("5.3:q,6.0:k"). ``normalised`` is then 0 where nothing flows.

>>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
>>> t = m.patch("When Mary and John", "When Anna and John", hook="resid_pre")
>>> len(t) == m.n_layers
True
>>> len(m.patch("When Mary and John", "When Anna and John", path=("4.1,4.2", "logits")))
2)",
        {askPromptPair(),
         askText("hook", "Activation patching: run the corrupted prompt with this activation of "
                         "the clean one, layer by layer: resid_pre, q, pattern, z, attn_out, "
                         "mlp_out, …"),
         askChoices("by", {"position", "head"},
                    "What to patch one at a time: position, head, or position,head"),
         askMethod("With --hook: exact, a run for each patch; or gradient, all of them "
                   "estimated to first order by one backward pass (attribution patching)"),
         askTexts("path", "FROM TO",
                  "Path patching: run the clean prompt with what flows directly from "
                  "heads of the corrupted one (0.1,0.2, or all) to receivers "
                  "(5.3:q,6.0:k, or logits)"),
         askMetric()},
        patchRules(),
        patch};
}

} // namespace headscope
