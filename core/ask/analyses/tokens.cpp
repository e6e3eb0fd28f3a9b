#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/export/provenance.h"
#include "core/interventions/question_words.h"
#include "core/interventions/token_dependence.h"
#include "core/interventions/token_table.h"

#include <algorithm>

namespace headscope {

namespace {

TokenWords wordsOf(const Asked& asked) {
    TokenWords words;
    words.metric = metricWordsOf(asked);
    if (asked.has("weight"))
        words.weight = asked.text("weight");
    if (asked.has("score"))
        words.score = asked.text("score");
    if (asked.has("replace"))
        words.replace = asked.tokens("replace").front().text;
    words.replace_mean = asked.is("replace_mean");
    words.methods = asked.texts("methods");
    words.steps = asked.count("steps");
    return words;
}

Result<Answer> measureDependence(const Asking& asking) {
    const Model& model = *asking.model;
    const auto prompt = promptOf(asking);
    if (!prompt)
        return prompt.error();
    const auto question = readTokenQuestion(model, wordsOf(asking.asked), prompt->ids,
                                            namesIds(asking.asked, {"replace"}));
    if (!question)
        return question.error();
    const auto result = tokenDependence(asking.model, *question, asking.progress, asking.stop);
    if (!result)
        return result.error();
    Answer answer{tokenTable(*result, model, provenanceOf(model, *prompt, {}))};
    answer.shown.push_back(answer.table);
    if (result->methods.size() > 1)
        answer.shown.push_back(tokenCorrelationGrid(*result));
    return answer;
}

bool asksForGradients(const Asked& asked) {
    return std::ranges::any_of(asked.texts("methods"), [](const std::string& method) {
        return method == "gradient" || method == "integrated";
    });
}

std::vector<Rule> tokenRules() {
    std::vector<Rule> rules = metricRules();
    rules.insert(
        rules.end(),
        {{[](const Asked& asked) { return asked.has("weight") && asked.has("score"); },
          "Only one of {weight} and {score} can be given."},
         {[](const Asked& asked) {
              return (asked.has("weight") || asked.has("score")) &&
                     namesMetric(metricWordsOf(asked));
          },
          "{weight} and {score} read attention and no metric; leave {metric}, {tokens}, {target} "
          "and {position} out."},
         {[](const Asked& asked) { return asked.has("replace") && asked.is("replace_mean"); },
          "Only one of {replace} and {replace_mean} can be given."},
         {[](const Asked& asked) {
              return asked.text("metric") == "kl" && asksForGradients(asked);
          },
          "{methods} gradient,integrated cannot estimate {metric} kl, whose slope is 0."}});
    return rules;
}

} // namespace

Analysis tokensAnalysis() {
    return {"tokens",
            "token_dependence",
            "Which tokens a prediction, or an attention weight, depends on: exactly, and as "
            "gradients estimate it",
            R"(Which tokens a metric depends on, or an attention weight: a row for each token.

``weight`` and ``score`` read a head from a query to a key in place of the metric, after and
before the softmax: ``((4, 1), 14, 2)``. Each method has a column: the value without the
token less the value of the prompt, exactly (hide, replace) or as gradients estimate it.
``replace``: the token in place of each; by default the mask token or the mean embedding.

>>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
>>> m.token_dependence("the cat", weight=((1, 0), 1, 0), methods=["hide"]).keys()[:2]
['position', 'token'])",
            {askPrompt(), askMetric(),
             askEntry("weight", "4.1:14:2: read the attention weight of head 4.1 from position 14 "
                                "to 2 in place of a metric"),
             askEntry("score", "The same of the score before the softmax"),
             askToken("replace", "The token in place of each; by default the mask token, of models "
                                 "that have none the mean embedding"),
             askFlag("replace_mean", "Replace by the mean embedding of the vocabulary"),
             askChoices("methods", names(tokenMethods(), tokenMethodName),
                        "hide (its key, from all other positions), replace, gradient (gradient × "
                        "input), integrated (integrated gradients); by default all, for kl the "
                        "first two"),
             between(1, 10'000,
                     askCount("steps", TokenQuestion{}.steps,
                              "How many steps gradients are integrated in"))},
            tokenRules(),
            measureDependence};
}

} // namespace headscope
