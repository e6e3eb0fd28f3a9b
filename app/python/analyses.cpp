#include "app/python/analyses.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/attribution/tables.h"
#include "core/engine/generated_table.h"
#include "core/export/provenance.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/heads/score_table.h"
#include "core/interventions/prompt_set.h"
#include "core/interventions/tables.h"
#include "core/io/atomic_file.h"
#include "core/similarity/tables.h"

#include <pybind11/stl.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headscope::python {

namespace {

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

Table lens(const OpenModel& open, const Words& words, py::object progress) {
    const Prompt prompt =
        valueOrRaise(promptOf(*open.model, words.at("prompt"), words.text("bos")));
    LensQuestion question{
        prompt.ids, words.count("top"), std::nullopt,
        valueOrRaise(maskOf(*open.model, words.text("ablate"), words.text("ablation")))};
    if (const py::object token = words.at("token"); !token.is_none())
        question.token = tokenOf(*open.model, token);
    Watch watch(std::move(progress));
    const LogitLens read = finish<LogitLens>(watch, [&] {
        return readLogitLens(open.model, question, {}, watch.progress(), watch.stop());
    });
    return lensTable(read, *open.model, provenanceOf(*open.model, prompt, question.ablated));
}

Table attribute(const OpenModel& open, const Words& words) {
    const Prompt prompt =
        valueOrRaise(promptOf(*open.model, words.at("prompt"), words.text("bos")));
    const auto position = words.maybe<std::size_t>("position");
    PredictionQuestion question;
    question.ids = prompt.ids;
    question.ablated =
        valueOrRaise(maskOf(*open.model, words.text("ablate"), words.text("ablation")));
    question.position =
        position ? *position : valueOrRaise(predictingPosition(open.spec(), prompt.ids));
    question.token = tokenOf(*open.model, words.at("token"));
    if (const py::object against = words.at("against"); !against.is_none())
        question.against = tokenOf(*open.model, against);
    Watch watch(py::none{});
    const auto read = finish<PredictionAttribution>(
        watch, [&] { return attributePrediction(open.model, question, watch.stop()); });
    return attributionTable(valueOrRaise(read.attribution), *open.model,
                            provenanceOf(*open.model, prompt, question.ablated));
}

Table backup(const OpenModel& open, const Words& words) {
    const Model& model = *open.model;
    const Prompt prompt = valueOrRaise(promptOf(model, words.at("prompt"), words.text("bos")));
    const HeadMask mask =
        valueOrRaise(maskOf(model, words.text("without"), words.text("ablation")));
    const auto position = words.maybe<std::size_t>("position");
    LogitQuestion logit{prompt.ids,
                        position ? *position
                                 : valueOrRaise(predictingPosition(open.spec(), prompt.ids)),
                        tokenOf(model, words.at("token")),
                        {}};
    if (const py::object against = words.at("against"); !against.is_none())
        logit.against = tokenOf(model, against);
    BackupQuestion question;
    question.prompts = {std::move(logit)};
    question.kind = words.text("ablation") == "mean" ? AblationKind::Mean : AblationKind::Zero;
    for (const auto& [head, kind] : mask.heads())
        question.ablated.push_back(head);
    Watch watch(py::none{});
    const auto result = finish<BackupResult>(
        watch, [&] { return measureBackup(open.model, question, {}, watch.stop()); });
    return backupTable(result, provenanceOf(model, prompt, mask));
}

Table written(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const Prompt prompt = valueOrRaise(promptOf(model, words.at("prompt"), words.text("bos")));
    const GenerateOptions options{
        words.count("tokens"), words.read<double>("temperature"), words.read<std::uint64_t>("seed"),
        valueOrRaise(maskOf(model, words.text("ablate"), words.text("ablation")))};
    Watch watch(std::move(progress));
    const auto tokens = finish<std::vector<GeneratedToken>>(watch, [&] {
        return generate(open.model, prompt.ids, options, watch.progress(), watch.stop());
    });
    return generatedTable(model, prompt, tokens, options,
                          provenanceOf(model, prompt, options.mask));
}

Result<PromptSet> readSet(const Model& model, const std::filesystem::path& path, BosMode bos) {
    const auto text = readTextFile(path, kLargestPromptSetBytes);
    if (!text)
        return text.error();
    return readPromptSet(model, *text, path.filename().string(), bos);
}

Table promptSet(const OpenModel& open, const Words& words, py::object progress) {
    const Model& model = *open.model;
    const HeadMask mask = valueOrRaise(maskOf(model, words.text("ablate"), words.text("ablation")));
    std::optional<HeadReadingChoice> choice;
    if (const auto score = words.maybe<std::string>("score"))
        choice = valueOrRaise(parseHeadReading(*score, model.spec));
    const std::string path = words.text("file");
    const BosMode bos = bosNamed(words.text("bos"));
    Watch watch(std::move(progress));
    auto set = finish<PromptSet>(watch, [&] { return readSet(model, path, bos); });
    const auto result = finish<PromptSetResult>(watch, [&] {
        return runPromptSet(open.model, std::move(set), mask, watch.progress(), watch.stop());
    });
    return promptSetTable(result, choice, provenanceOf(model, {}, mask));
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
    module.def(
        "lens",
        [](const OpenModel& open, py::dict words, py::object progress) {
            return lens(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
    module.def(
        "attribute",
        [](const OpenModel& open, py::dict words) {
            return attribute(open, Words(std::move(words)));
        },
        py::arg("model"), py::arg("words"));
    module.def(
        "backup",
        [](const OpenModel& open, py::dict words) { return backup(open, Words(std::move(words))); },
        py::arg("model"), py::arg("words"));
    module.def(
        "generate",
        [](const OpenModel& open, py::dict words, py::object progress) {
            return written(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
    module.def(
        "prompts",
        [](const OpenModel& open, py::dict words, py::object progress) {
            return promptSet(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
    module.def("similarity", similarity, py::arg("model"), py::arg("prompts"), py::arg("described"),
               py::arg("bos"), py::arg("below"), py::arg("progress"));
}

} // namespace headscope::python
