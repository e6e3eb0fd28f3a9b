#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/attribution/logit_lens.h"
#include "core/attribution/tables.h"

namespace headscope {

namespace {

Result<Answer> readLens(const Asking& asking) {
    const Model& model = *asking.model;
    const auto run = runOf(asking);
    if (!run)
        return run.error();
    const auto token = tokenOf(asking, "token");
    if (!token)
        return token.error();
    const LensQuestion question{run->prompt.ids, asking.asked.count("top"), *token, run->ablated};
    const auto lens = readLogitLens(asking.model, question, {}, asking.progress, asking.stop);
    if (!lens)
        return lens.error();
    return Answer{lensTable(*lens, model, run->provenance),
                  {lensGrid(*lens, model, run->provenance)}};
}

} // namespace

Analysis lensAnalysis() {
    return {"lens",
            "lens",
            "Logit lens: what the residual stream predicts after each layer",
            R"(The logit lens: what the residual stream predicts at each depth and position.

A row for each depth (0 is the embedding) and position: the ``top`` best tokens, probability
and rank of ``token`` where one is given, the divergence from the model's own prediction and
the entropy, both in nats.

>>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
>>> len(m.lens("the cat")) == (m.n_layers + 1) * len(m.tokens("the cat"))
True)",
            {askPrompt(), askToken("token", "Show probability and rank of this token"),
             between(1, 1000,
                     askCount("top", 5, "How many of the most probable tokens CSV and JSON hold")),
             askAblation()},
            {},
            readLens};
}

} // namespace headscope
