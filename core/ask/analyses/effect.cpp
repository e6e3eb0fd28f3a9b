#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/export/provenance.h"
#include "core/heads/head_type.h"
#include "core/heads/sequences.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/set_effect.h"
#include "core/interventions/tables.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// What the questions about one head and about all heads of a type have in common.
template <class Question>
Result<Question> commonQuestion(const Asking& asking) {
    const Asked& asked = asking.asked;
    const auto prompts = promptsOf(asking);
    if (!prompts)
        return prompts.error();
    Question question;
    question.by = replacedByNamed(asked.text("ablation"));
    question.sequences = promptSequences(*prompts);
    question.repeats.bos = bosOf(asked);
    question.repeats.seed = asked.count("seed");
    if (asked.has("least_effect"))
        question.least_effect = asked.number("least_effect");
    question.most_sequences = asked.count("most_sequences");
    return question;
}

Result<Answer> effectOfHead(const Asking& asking, const Provenance& provenance) {
    const auto head = parseHead(asking.asked.text("head"), asking.model->spec);
    if (!head)
        return head.error();
    auto question = commonQuestion<HeadEffectQuestion>(asking);
    if (!question)
        return question.error();
    question->head = *head;
    question->others = asking.asked.count("others");
    question->backups = asking.asked.is("backups");
    const auto measured = headEffect(asking.model, *question, asking.progress, asking.stop);
    if (!measured)
        return measured.error();
    return Answer{effectTable(measured->effects, provenance)};
}

Result<Answer> effectOfType(const Asking& asking, const Provenance& provenance) {
    auto question = commonQuestion<TypeEffectQuestion>(asking);
    if (!question)
        return question.error();
    question->type = *headTypeByKey(asking.asked.text("type"));
    question->sets = asking.asked.count("others");
    const auto measured = typeEffect(asking.model, *question, asking.progress, asking.stop);
    if (!measured)
        return measured.error();
    return Answer{setEffectTable(*measured, question->type, provenance)};
}

Result<Answer> measureEffect(const Asking& asking) {
    Provenance provenance = provenanceOf(*asking.model);
    provenance.ablation = asking.asked.text("ablation");
    return asking.asked.has("type") ? effectOfType(asking, provenance)
                                    : effectOfHead(asking, provenance);
}

std::vector<std::string> typeKeys() {
    std::vector<std::string> keys;
    for (const HeadType& type : headTypes())
        keys.emplace_back(type.key);
    return keys;
}

constexpr const char* kEffectHelp =
    R"(Whether the model needs a head, or all of a type: what ablating costs, and ``others``.

Measured on what each of the head's types is read from, or on ``prompts``. The first row is
the head's, with a 95 % interval; heads of its type are not among the others. Further rows
have it replaced by zero, mean and resample. ``fields`` say what is measured, in nats, its
value in the whole model, and the ``verdict`` with a ``sentence``: ``needed`` (a cause),
``secondary`` (no more than others), ``interferes`` (the model does better without it),
``no effect found`` or ``undecided``; ``effects`` say the same for each input.

An effect counts from ``least_effect`` nats on, by default the larger of 0.01 and 1 % of
what the whole model has. Sequences are added, up to ``most_sequences``, until the interval
is on one side of that; it is Student's, and wide enough to be looked at that often
(Bonferroni). ``backups``: also names heads of its layer and later ones that cost more when
it is ablated.

With ``type`` in place of a head the same is asked of all heads of a type together, compared with
``others`` random sets of as many heads of the same layers. Heads that stand in for one another show
there, and not one by one.

>>> m = headscope.open(headscope.sample("induction-circuit"))
>>> t = m.effect((1, 0), others=2)
>>> t.cells("head")[0], bool(t["difference"][0] > t["difference"][1])
((1, 0), True)
>>> t.fields["verdict"]
'no effect found'
>>> [backup["head"] for backup in m.effect((1, 0), backups=True).fields["backups"]]
['1.3']
>>> t = m.effect(type="induction")
>>> t.fields["heads"], t.fields["verdict"]
('1.0 1.3', 'needed'))";

} // namespace

Analysis effectAnalysis() {
    return {
        "effect",
        "effect",
        "Say whether the model needs a head, or all heads of a type: what ablating them costs",
        kEffectHelp,
        {positional(askHead("head", "The head, such as 4.1")),
         withoutDefault(askChoice("type", typeKeys(), "",
                                  "All heads of this type together, compared with random sets "
                                  "of as many heads near them")),
         askPrompts("Measure on this prompt; may be repeated. By default on what each of the "
                    "head's types is read from, such as repeated random tokens or sentences"),
         askChoice("ablation", replacementChoices(), "mean",
                   "What replaces the output of a head: mean, zero, resample, or zero with all "
                   "patterns as they are in the whole model (pattern-preserving)"),
         between(1, 10'000,
                 askCount("others", 10, "How many other heads, or random sets, to compare with")),
         withoutDefault(between(
             0, kAnyNumber,
             askNumber("least_effect", 0.0,
                       "Nats below which an effect does not count; by default the larger of "
                       "0.01 and 1 % of what the whole model has"))),
         between(2, 10'000,
                 askCount("most_sequences", 80,
                          "Draw more sequences, up to this number, until the effect is clear")),
         askFlag("backups", "Also name the heads that cost more when the head is ablated; two "
                            "runs more for each head of its layer and of later ones"),
         askCount("seed", 0, "Seed of the random tokens and the choice of heads")},
        {{[](const Asked& asked) { return !asked.has("head") && !asked.has("type"); },
          "Name a head, such as 4.1, or with {type} all heads of a type."},
         {[](const Asked& asked) { return asked.has("head") && asked.has("type"); },
          "A head is given, and {type}, which means all heads of a type; leave one of them out."},
         {[](const Asked& asked) { return asked.is("backups") && asked.has("type"); },
          "{backups} is for a single head."}},
        measureEffect};
}

} // namespace headscope
