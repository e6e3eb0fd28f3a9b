#include "app/python/analyses.h"

#include "app/python/open_model.h"
#include "app/python/waiting.h"
#include "core/attribution/tables.h"
#include "core/export/provenance.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/heads/score_table.h"
#include "core/interventions/metric_words.h"
#include "core/interventions/tables.h"
#include "core/similarity/tables.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

namespace headscope::python {

namespace {

using Ids = std::vector<TokenId>;

/// A token as Python names it, and whether by its id.
struct TokenWord {
    std::string text;
    bool is_id = false;
};

TokenWord wordOf(const py::object& token) {
    const bool is_id = py::isinstance<py::int_>(token);
    return {py::str(token).cast<std::string>(), is_id};
}

TokenId tokenOf(const Model& model, const py::object& token) {
    const TokenWord word = wordOf(token);
    return valueOrRaise(readToken(model, word.text, word.is_id));
}

std::vector<Prompt> promptsOf(const Model& model, const std::vector<py::object>& given,
                              const std::string& bos) {
    std::vector<Prompt> prompts;
    prompts.reserve(given.size());
    for (const py::object& prompt : given)
        prompts.push_back(valueOrRaise(promptOf(model, prompt, bos)));
    return prompts;
}

/// What the heads are scored on: prompts, which `described` names, or without any what each type is
/// defined by.
struct ScoreInput {
    std::vector<py::object> prompts;
    std::string described;
    RepeatOptions repeats;
};

Table scores(const OpenModel& open, const ScoreInput& input, const std::string& bos,
             const std::vector<std::string>& types, py::object progress) {
    const auto sequences = promptSequences(promptsOf(*open.model, input.prompts, bos));
    Watch watch(std::move(progress));
    HeadScores found = finish<HeadScores>(watch, [&] {
        return sequences.empty()
                   ? scoreHeads(open.model, input.repeats, watch.progress(), watch.stop())
                   : scoreSequences(open.model, sequences, input.described, watch.progress(),
                                    watch.stop());
    });
    if (!types.empty())
        found = onlyTypes(found, types);
    return scoreTable(found, {}, provenanceOf(*open.model));
}

Table lens(const OpenModel& open, const py::object& given, const std::string& bos,
           const py::object& token, std::size_t top, py::object progress) {
    const Prompt prompt = valueOrRaise(promptOf(*open.model, given, bos));
    LensQuestion question{prompt.ids, top, std::nullopt};
    if (!token.is_none())
        question.token = tokenOf(*open.model, token);
    Watch watch(std::move(progress));
    const LogitLens read = finish<LogitLens>(watch, [&] {
        return readLogitLens(open.model, question, {}, watch.progress(), watch.stop());
    });
    return lensTable(read, *open.model, provenanceOf(*open.model, prompt, {}));
}

Table attribute(const OpenModel& open, const py::object& given, const std::string& bos,
                const py::object& token, const py::object& against,
                std::optional<std::size_t> position) {
    const Prompt prompt = valueOrRaise(promptOf(*open.model, given, bos));
    PredictionQuestion question;
    question.ids = prompt.ids;
    question.position =
        position ? *position : valueOrRaise(predictingPosition(open.spec(), prompt.ids));
    question.token = tokenOf(*open.model, token);
    if (!against.is_none())
        question.against = tokenOf(*open.model, against);
    Watch watch(py::none{});
    const auto read = finish<PredictionAttribution>(
        watch, [&] { return attributePrediction(open.model, question, watch.stop()); });
    return attributionTable(valueOrRaise(read.attribution), *open.model,
                            provenanceOf(*open.model, prompt, {}));
}

MetricWords wordsOf(const std::string& kind, const std::vector<py::object>& tokens,
                    const py::object& target, std::optional<std::size_t> position) {
    MetricWords words;
    words.kind = kind;
    for (const py::object& token : tokens)
        words.tokens.push_back(wordOf(token).text);
    if (!target.is_none())
        words.target = wordOf(target).text;
    words.position = position;
    return words;
}

/// What stands in for ablated heads, by its name on the command line.
void chooseKind(SweepQuestion& question, const std::string& kind) {
    question.preserve_patterns = kind == "pattern-preserving";
    if (kind == "mean")
        question.kind = question.references.empty() ? AblationKind::Mean : AblationKind::TextMean;
    else if (kind == "resample")
        question.kind = AblationKind::Resample;
}

/// Keyword arguments of sweep().
struct SweepWords {
    std::string heads;
    std::string kind;
    std::vector<py::object> others; ///< prompts that stand in
    std::string metric;
    std::vector<py::object> tokens;
    py::object target;
    std::optional<std::size_t> position;
    bool by_gradient = false;
};

SweepWords sweepWords(const py::dict& given) {
    return {given["heads"].cast<std::string>(),
            given["kind"].cast<std::string>(),
            given["others"].cast<std::vector<py::object>>(),
            given["metric"].cast<std::string>(),
            given["tokens"].cast<std::vector<py::object>>(),
            given["target"],
            given["position"].cast<std::optional<std::size_t>>(),
            given["method"].cast<std::string>() == "gradient"};
}

SweepQuestion sweepQuestion(const Model& model, const Prompt& prompt, const std::string& bos,
                            const SweepWords& words) {
    SweepQuestion question;
    question.prompts = {prompt.ids};
    question.units = valueOrRaise(parseHeadSets(words.heads, model.spec));
    for (const Prompt& other : promptsOf(model, words.others, bos))
        question.references.push_back(other.ids);
    chooseKind(question, words.kind);
    const bool as_ids =
        (words.tokens.empty() ? wordOf(words.target) : wordOf(words.tokens.front())).is_id;
    question.metric = valueOrRaise(
        readMetric(model, wordsOf(words.metric, words.tokens, words.target, words.position),
                   prompt.ids, as_ids));
    question.method = words.by_gradient ? EffectMethod::Gradient : EffectMethod::Exact;
    return question;
}

Table sweep(const OpenModel& open, const py::object& given, const std::string& bos,
            const py::dict& words, py::object progress) {
    const Prompt prompt = valueOrRaise(promptOf(*open.model, given, bos));
    const SweepQuestion question = sweepQuestion(*open.model, prompt, bos, sweepWords(words));
    Watch watch(std::move(progress));
    const SweepResult result = finish<SweepResult>(
        watch, [&] { return sweepHeads(open.model, question, watch.progress(), watch.stop()); });
    Provenance provenance = provenanceOf(*open.model, prompt, {});
    provenance.ablation = sweepText(result.question);
    return sweepTable(result, provenance);
}

Table similarity(const OpenModel& open, const std::vector<py::object>& prompts,
                 const std::string& described, const std::string& bos, double below,
                 py::object progress) {
    SimilarityQuestion question;
    question.repeats.bos = bosNamed(bos);
    for (const Prompt& prompt : promptsOf(*open.model, prompts, bos))
        question.prompts.push_back(prompt.ids);
    Watch watch(std::move(progress));
    const HeadSimilarity found = finish<HeadSimilarity>(
        watch, [&] { return compareHeads(open.model, question, watch.progress(), watch.stop()); });
    Provenance provenance = provenanceOf(*open.model);
    provenance.note = prompts.empty() ? found.repeats : described;
    return similarityTable(found, below, provenance);
}

} // namespace

void bindAnalyses(py::module_& module) {
    module.def(
        "scores",
        [](const OpenModel& open, std::vector<py::object> prompts, std::string described,
           const std::string& bos, std::size_t sequences, std::size_t period, std::uint64_t seed,
           const std::vector<std::string>& types, py::object progress) {
            const ScoreInput input{
                std::move(prompts), std::move(described), {sequences, period, seed, bosNamed(bos)}};
            return scores(open, input, bos, types, std::move(progress));
        },
        py::arg("model"), py::arg("prompts"), py::arg("described"), py::arg("bos"),
        py::arg("sequences"), py::arg("period"), py::arg("seed"), py::arg("types"),
        py::arg("progress"));
    module.def("lens", lens, py::arg("model"), py::arg("prompt"), py::arg("bos"), py::arg("token"),
               py::arg("top"), py::arg("progress"));
    module.def("attribute", attribute, py::arg("model"), py::arg("prompt"), py::arg("bos"),
               py::arg("token"), py::arg("against"), py::arg("position"));
    module.def("sweep", sweep, py::arg("model"), py::arg("prompt"), py::arg("bos"),
               py::arg("words"), py::arg("progress"));
    module.def("similarity", similarity, py::arg("model"), py::arg("prompts"), py::arg("described"),
               py::arg("bos"), py::arg("below"), py::arg("progress"));
}

} // namespace headscope::python
