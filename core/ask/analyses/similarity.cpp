#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/export/provenance.h"
#include "core/similarity/tables.h"

#include <utility>

namespace headscope {

namespace {

Result<Answer> compare(const Asking& asking) {
    const auto prompts = promptsOf(asking);
    if (!prompts)
        return prompts.error();
    SimilarityQuestion question;
    question.repeats.bos = bosOf(asking.asked);
    for (const Prompt& prompt : *prompts)
        question.prompts.push_back(prompt.ids);
    const auto similarity = compareHeads(asking.model, question, asking.progress, asking.stop);
    if (!similarity)
        return similarity.error();
    const double below = asking.asked.number("below");
    Provenance provenance = provenanceOf(*asking.model);
    provenance.note =
        prompts->empty() ? similarity->repeats : promptsNote(asking.asked.prompts("prompts"));
    Answer answer{similarityTable(*similarity, below, provenance),
                  {similarPairTable(*similarity, below, provenance)}};
    if (Table clusters = clusterTable(*similarity, below); !clusters.rows.empty())
        answer.shown.push_back(std::move(clusters));
    return answer;
}

} // namespace

Analysis similarityAnalysis() {
    return {
        "similarity",
        "similarity",
        "Compare the patterns and outputs of all pairs of heads",
        R"(Compares patterns and outputs of all pairs of heads; without prompts on random tokens.

``pattern_distance`` is the mean Jensen-Shannon divergence of attention rows, in nats, and
``output_cosine`` the mean cosine of what two heads write. ``below``: pairs whose patterns
are closer than this count as similar (``redundant``).)",
        {askPrompts("Compare on this prompt; may be repeated. By default on repeated random "
                    "tokens"),
         between(0, 1,
                 askNumber("below", 0.05,
                           "Pairs and clusters whose patterns are closer than this count as "
                           "similar, in nats"))},
        {},
        compare};
}

} // namespace headscope
