#include "app/python/heads.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/ask/given.h"
#include "core/export/corpus_files.h"
#include "core/export/provenance.h"
#include "core/heads/asked_types.h"
#include "core/heads/corpus_scan.h"
#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/heads/score_table.h"
#include "core/interventions/example_rows.h"
#include "core/trust/measure_trust.h"
#include "core/trust/tables.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::python {

namespace {

constexpr double kScanning = 0.5; ///< of examples with effects, about

RepeatOptions repeatsOf(const Words& words) {
    return {words.count("sequences"), words.count("period"), words.read<std::uint64_t>("seed"),
            bosNamed(words.text("bos"))};
}

/// Reads the sequences to score on, which may take a while; nothing: those that the program brings
/// along.
std::function<Result<NamedSequences>()> ownSequences(const OpenModel& open, const Words& words) {
    const BosMode bos = bosNamed(words.text("bos"));
    const Model& model = *open.model;
    if (const auto corpus = words.maybe<std::string>("corpus"))
        return [&model, bos, path = *corpus, length = words.count("length")] {
            return textFileSequences(model, path, length, bos);
        };
    if (const auto treebank = words.maybe<std::string>("treebank"))
        return [&model, bos, path = *treebank] { return treebankSequences(model, path, bos); };
    const auto prompts = promptsIn(words.list("prompts"));
    if (prompts.empty())
        return {};
    NamedSequences given{promptSequences(valueOrRaise(readPrompts(model, prompts, bos))),
                         promptsNote(prompts)};
    return [given] { return Result<NamedSequences>(given); };
}

Table scores(const OpenModel& open, const Words& words, py::object progress) {
    const RepeatOptions repeats = repeatsOf(words);
    const auto read = ownSequences(open, words);
    const auto types = words.read<std::vector<std::string>>("types");
    Watch watch(std::move(progress));
    HeadScores found = finish<HeadScores>(watch, [&]() -> Result<HeadScores> {
        if (!read)
            return scoreTypes(open.model, typesOf(types), repeats, watch.progress(), watch.stop());
        const auto own = read();
        if (!own)
            return own.error();
        return scoreSequences(open.model, own->sequences, own->name, watch.progress(),
                              watch.stop());
    });
    if (!types.empty()) {
        AskedScores asked = valueOrRaise(askedTypes(found, types, open.spec()));
        for (const std::string& note : asked.notes)
            py::module_::import("warnings").attr("warn")(note);
        found = std::move(asked.scores);
    }
    return scoreTable(found, {}, provenanceOf(*open.model));
}

Table trust(const OpenModel& open, const Words& words, py::object progress) {
    TrustOptions options;
    options.repeats = repeatsOf(words);
    options.effects = words.is("effects");
    options.text = words.text("text");
    for (const std::string& key : words.read<std::vector<std::string>>("types")) {
        const auto type = headTypeByKey(key);
        if (!type)
            raise({ErrorCode::InvalidArgument, "There is no head type " + key + "."});
        options.types.push_back(*type);
    }
    if (const std::string named = words.text("heads"); !named.empty())
        options.heads = valueOrRaise(parseHeads(named, open.spec()));
    Watch watch(std::move(progress));
    const auto tested = finish<ModelTrust>(
        watch, [&] { return testLabels(open.model, options, watch.progress(), watch.stop()); });
    return trustTable(tested, provenanceOf(*open.model));
}

ExampleCorpus corpusOf(const Words& words) {
    return {words.maybe<std::string>("corpus").value_or(""), words.count("length"),
            words.count("tokens"), bosNamed(words.text("bos"))};
}

ExampleQuestion examplesAsked(const Words& words) {
    const std::string show = words.text("show");
    return {*std::ranges::find(exampleKinds(), show, exampleKindName), words.count("count"),
            words.read<std::uint64_t>("seed")};
}

Table examples(const OpenModel& open, const Words& words, py::object progress) {
    const auto& model = open.model;
    const ExampleCorpus corpus = corpusOf(words);
    const ExampleQuestion question = examplesAsked(words);
    const std::string named = words.text("heads");
    const auto heads =
        named.empty() ? std::vector<LayerHead>() : valueOrRaise(parseHeads(named, model->spec));
    std::optional<AblationKind> effect;
    if (const auto kind = words.maybe<std::string>("effect")) {
        if (const auto possible = checkNextTokenEffect(*model); !possible)
            raise(possible.error());
        effect = *kind == "mean" ? AblationKind::Mean : AblationKind::Zero;
    }
    Watch watch(std::move(progress));
    return finish<Table>(watch, [&]() -> Result<Table> {
        const auto text = exampleSequences(*model, corpus);
        if (!text)
            return text.error();
        const Progress told = watch.progress();
        const Progress scanning = partOf(told, 0.0, effect ? kScanning : 1.0);
        const auto scan = scanCorpus(model, text->sequences, {}, scanning, watch.stop());
        if (!scan)
            return scan.error();
        const auto rows = exampleRows(model, text->sequences, *scan, heads, question, effect,
                                      partOf(told, kScanning, 1.0), watch.stop());
        if (!rows)
            return rows.error();
        return exampleTable(*rows, text->name, provenanceOf(*model));
    });
}

using Reads = Table (*)(const OpenModel&, const Words&, py::object);

void bind(py::module_& module, const char* name, Reads reads) {
    module.def(
        name,
        [reads](const OpenModel& open, py::dict words, py::object progress) {
            return reads(open, Words(std::move(words)), std::move(progress));
        },
        py::arg("model"), py::arg("words"), py::arg("progress"));
}

} // namespace

void bindHeads(py::module_& module) {
    bind(module, "scores", scores);
    bind(module, "trust", trust);
    bind(module, "examples", examples);
}

} // namespace headscope::python
