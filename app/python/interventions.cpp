#include "app/python/interventions.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/ask/given.h"
#include "core/export/provenance.h"
#include "core/interventions/tables.h"

#include <pybind11/stl.h>

#include <string>
#include <utility>

namespace headscope::python {

namespace {

Metric metricOf(const Model& model, const TokenIds& prompt, const Words& words) {
    Asked asked;
    takeMetric(asked, words);
    raiseBroken(brokenRule(metricRules(), asked, itself));
    return valueOrRaise(readMetric(model, metricWordsOf(asked), prompt, namesIds(asked)));
}

SweepQuestion sweepQuestion(const Model& model, const Prompt& prompt, const Words& words) {
    SweepQuestion question;
    question.prompts = {prompt.ids};
    question.units = valueOrRaise(parseHeadSets(words.text("heads"), model.spec));
    for (const Prompt& other : valueOrRaise(
             readPrompts(model, promptsIn(words.list("others")), bosNamed(words.text("bos")))))
        question.references.push_back(other.ids);
    chooseSweepKind(question, words.text("ablation"));
    question.metric = metricOf(model, prompt.ids, words);
    question.method = effectMethodNamed(words.text("method"));
    return question;
}

Table sweep(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const Prompt prompt = valueOrRaise(promptOf(model, words.at("prompt"), words.text("bos")));
    const SweepQuestion question = sweepQuestion(model, prompt, words);
    Watch watch(std::move(progress));
    const SweepResult result = finish<SweepResult>(
        watch, [&] { return sweepHeads(open.model, question, watch.progress(), watch.stop()); });
    Provenance provenance = provenanceOf(model, prompt, {});
    provenance.ablation = sweepText(result.question);
    return sweepTable(result, provenance);
}

} // namespace

void bindInterventions(py::module_& module) {
    module.def(
        "sweep",
        [](const OpenModel& open, py::dict words, py::object progress) {
            return sweep(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
}

} // namespace headscope::python
