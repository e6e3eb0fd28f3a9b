#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/attribution/head_steps.h"
#include "core/attribution/score_words.h"
#include "core/attribution/tables.h"
#include "core/engine/head_mask.h"

namespace headscope {

namespace {

Result<Answer> lookInside(const Asking& asking) {
    const Asked& asked = asking.asked;
    const Model& model = *asking.model;
    const auto of = runOf(asking);
    if (!of)
        return of.error();
    const auto head = parseHead(asked.text("head"), model.spec);
    if (!head)
        return head.error();
    const long place = asked.has("query") ? asked.position("query") : -1;
    const auto query = positionFromEnd(place, of->prompt.ids.size());
    if (!query)
        return query.error();
    const auto run =
        StepsRun::read(asking.model, {of->prompt.ids, of->ablated}, head->layer, asking.stop);
    if (!run)
        return run.error();
    const auto steps = run->steps({*head, *query, asked.number("temperature")});
    if (!steps)
        return steps.error();
    Answer answer{stepsTable(*steps, model, of->provenance)};
    answer.shown = stepsShown(*steps, model, answer.table);
    return answer;
}

} // namespace

Analysis insideAnalysis() {
    return {"inside",
            "inside",
            "What a head computes for one query, step by step: from the stream to its output",
            R"(What a head computes for one query, step by step.

A row for each key that the query sees: ``q · k``, the same times the scale, after the
soft-cap, with the bias by distance, its exponential and its weight. The JSON of the command
and the fields of the table have the vectors, too: what the stream holds, what the head reads
of it, query, keys and values, the weighted sum ``z`` and what it adds to the stream.
``temperature``: what the weights would be if the softmax were of score / temperature.

>>> m = headscope.open(headscope.sample("microgpt"))
>>> t = m.inside("emma", (0, 1))
>>> bool(abs(t["weight"].sum() - 1) < 1e-6)
True)",
            {askPrompt(), required(askHead("head", "4.1: the head")),
             askPosition("query", "The position that looks, counted from the end where negative; "
                                  "by default the last"),
             between(0.01, 100.0,
                     askNumber("temperature", 1.0,
                               "What the weights would be if scores were divided by this before "
                               "the softmax")),
             askAblation()},
            {},
            lookInside};
}

} // namespace headscope
