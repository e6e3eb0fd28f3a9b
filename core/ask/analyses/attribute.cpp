#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/attribution/logit_attribution.h"
#include "core/attribution/tables.h"
#include "core/base/text.h"
#include "core/export/provenance.h"
#include "core/interventions/tables.h"

#include <limits>
#include <utility>

namespace headscope {

namespace {

Result<PredictionQuestion> readQuestion(const Asking& asking, const Prompt& prompt) {
    const auto token = tokenOf(asking, "token");
    if (!token)
        return token.error();
    const auto position = asking.asked.has("position")
                              ? Result<std::size_t>(asking.asked.count("position"))
                              : predictingPosition(asking.model->spec, prompt.ids);
    if (!position)
        return position.error();
    const auto against = tokenOf(asking, "against");
    if (!against)
        return against.error();
    PredictionQuestion question;
    question.ids = prompt.ids;
    question.position = *position;
    question.token = **token;
    question.against = *against;
    return question;
}

Result<Answer> attributeLogit(const Asking& asking, PredictionQuestion question,
                              const Prompt& prompt) {
    auto mask = maskOf(asking);
    if (!mask)
        return mask.error();
    question.ablated = *std::move(mask);
    const auto read = attributePrediction(asking.model, question, asking.stop);
    if (!read)
        return read.error();
    if (!read->attribution)
        return read->attribution.error();
    const Table table = attributionTable(*read->attribution, *asking.model,
                                         provenanceOf(*asking.model, prompt, question.ablated));
    return Answer{table, {strongestFirst(table, "value")}};
}

std::string backupText(const Model& model, const BackupResult& result,
                       const Provenance& provenance) {
    const BackupQuestion& question = result.question;
    return model.name + ": " + logitText(model, question.prompts.front(), provenance) + ": " +
           fixedText(result.full_logit, 4) + ", with " + headSetText(question.ablated) +
           " ablated (" + std::string(ablationKindName(question.kind)) + ") " +
           fixedText(result.ablated_logit, 4) + "; direct effects of later heads:";
}

Result<Answer> compareAblated(const Asking& asking, const PredictionQuestion& question,
                              const Prompt& prompt) {
    BackupQuestion backup;
    backup.prompts = {{question.ids, question.position, *question.token, question.against}};
    backup.kind = asking.asked.text("ablation") == "mean" ? AblationKind::Mean : AblationKind::Zero;
    const auto mask =
        parseHeadMask(asking.asked.text("backup_of"), asking.model->spec, backup.kind);
    if (!mask)
        return mask.error();
    for (const auto& [head, kind] : mask->heads())
        backup.ablated.push_back(head);
    const auto result = measureBackup(asking.model, backup, {}, asking.stop);
    if (!result)
        return result.error();
    const Provenance provenance = provenanceOf(*asking.model, prompt, *mask);
    Table shown = backupTable(
        *result, backupHeads(*result, -std::numeric_limits<double>::infinity()), provenance);
    shown.caption = backupText(*asking.model, *result, provenance);
    return Answer{backupTable(*result, provenance), {std::move(shown)}};
}

Result<Answer> attribute(const Asking& asking) {
    const auto prompt = promptOf(asking);
    if (!prompt)
        return prompt.error();
    auto question = readQuestion(asking, *prompt);
    if (!question)
        return question.error();
    return asking.asked.text("backup_of").empty()
               ? attributeLogit(asking, *std::move(question), *prompt)
               : compareAblated(asking, *question, *prompt);
}

} // namespace

Analysis attributeAnalysis() {
    return {"attribute",
            "attribute",
            "Direct logit attribution: what each head, MLP, embedding and bias adds to a logit",
            R"(What each head, MLP, embedding and bias adds to a logit, or to the difference of two.

Values are in logits and add up to ``fields["logit"]``. With ``backup_of`` the table
shows the direct effect of every head instead, in the whole model and with these heads
ablated: heads whose effect rises are backup heads. ``ablate``: reads only the run in which
these heads are ablated.

>>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
>>> t = m.attribute("When Mary and John went to", " the")
>>> bool(abs(t["value"].sum() - t.fields["logit"]) < 1e-3)
True)",
            {askPrompt(), required(askToken("token", "The token whose logit is attributed")),
             askToken("against", "Attribute the difference to the logit of this token instead"),
             withoutDefault(askCount("position", 0,
                                     "The position where the logit is read; by default the last")),
             askHeads("backup_of", "4.1,4.2: compare the whole model with one in which these heads "
                                   "are ablated, and show which heads' direct effect rises (backup "
                                   "heads)"),
             askAblation()},
            {{[](const Asked& asked) {
                  return !asked.text("backup_of").empty() && !asked.text("ablate").empty();
              },
              "{backup_of} compares the whole model with one in which heads are ablated; {ablate} "
              "reads only the latter. Give one of them."}},
            attribute};
}

} // namespace headscope
