#include "core/engine/generate.h"

#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/export/provenance.h"

namespace headscope {

namespace {

Result<Answer> writeOn(const Asking& asking) {
    const Asked& asked = asking.asked;
    const auto mask = maskOf(asking);
    if (!mask)
        return mask.error();
    const auto prompt = promptOf(asking);
    if (!prompt)
        return prompt.error();
    const GenerateOptions options{asked.count("tokens"), asked.number("temperature"),
                                  asked.count("seed"), *mask};
    const auto tokens = generate(asking.model, prompt->ids, options, asking.progress, asking.stop);
    if (!tokens)
        return tokens.error();
    return Answer{generatedTable(*asking.model, *prompt, *tokens, options,
                                 provenanceOf(*asking.model, *prompt, *mask))};
}

} // namespace

Analysis generateAnalysis() {
    return {
        "generate",
        "generate",
        "Continue a prompt, token by token",
        R"(Writes on after a prompt: a row per token; ``fields["text"]`` is what was written.

``temperature`` divides the logits before a token is drawn; at 0 it is the most probable.
``probability`` is what the network gives a token, whatever the temperature.

>>> m = headscope.open(headscope.sample("induction-circuit"))
>>> m.generate("A B C D A B", tokens=2).fields["text"]
'cd')",
        {askPrompt(),
         between(1, kAnyNumber, askCount("tokens", GenerateOptions().tokens, "How many at most")),
         between(0, kAnyNumber,
                 askNumber("temperature", 0.0,
                           "Divides the logits before a token is drawn; 0: the most probable "
                           "token")),
         askCount("seed", 0, "Of the draws"), askAblation()},
        {},
        writeOn};
}

} // namespace headscope
