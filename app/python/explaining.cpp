#include "app/python/explaining.h"

#include "app/python/open_model.h"
#include "app/python/questions.h"
#include "app/python/waiting.h"
#include "core/attribution/score_tables.h"
#include "core/attribution/score_words.h"
#include "core/export/graphml.h"
#include "core/export/provenance.h"
#include "core/interventions/part_removal.h"
#include "core/interventions/question_words.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace headscope::python {

namespace {

/// What is explained: an entry of a head's scores, or of a trace a logit.
struct Asked {
    ScoreWords cell;
    std::optional<LogitWords> logit; ///< of a trace that begins there
    bool as_ids = false;
};

Asked askedOf(const Words& words) {
    Asked asked;
    asked.cell.head = words.text("head");
    asked.cell.query = words.maybe<long>("query");
    asked.cell.key = words.maybe<long>("key");
    asked.cell.against = words.text("against");
    if (const py::object token = words.at("token"); !token.is_none()) {
        const TokenWord word = wordOf(token);
        asked.as_ids = word.is_id;
        asked.logit = LogitWords{word.text, {}, asked.cell.query};
        if (const py::object against = words.at("against_token"); !against.is_none())
            asked.logit->against = wordOf(against).text;
    }
    return asked;
}

Result<Trace> trace(const StreamRun& run, const Asked& asked, TraceQuestion question,
                    const std::vector<std::string>& followed, const std::stop_token& stop) {
    for (const std::string& text : followed) {
        const auto place = readTracePlace(run, text);
        if (!place)
            return place.error();
        question.followed.push_back(*place);
    }
    if (asked.logit) {
        const auto target = readLogitTarget(run, *asked.logit, asked.as_ids);
        if (!target)
            return target.error();
        question.root = *target;
    } else {
        const auto cell = readScoreQuestion(run, asked.cell);
        if (!cell)
            return cell.error();
        question.root = *cell;
    }
    return traceBack(run, question, stop);
}

Result<PartRemoval> removal(const StreamRun& run, const ScoreQuestion& cell,
                            const std::string& part, const std::stop_token& stop) {
    const auto question = parseRemoval(part, cell, run);
    if (!question)
        return question.error();
    return removePart(run, *question, stop);
}

/// A run that is explained, and what is noted with it.
struct Explained {
    std::shared_ptr<const StreamRun> run;
    Provenance provenance;
};

Explained explainedOf(const OpenModel& open, const Words& words, Watch& watch) {
    const Prompt prompt =
        valueOrRaise(promptOf(*open.model, words.at("prompt"), words.text("bos")));
    const HeadMask mask =
        valueOrRaise(maskOf(*open.model, words.text("ablate"), words.text("ablation")));
    auto run = finish<StreamRun>(watch, [&] {
        return StreamRun::read(open.model, {prompt.ids, mask}, watch.stop());
    });
    return {std::make_shared<const StreamRun>(std::move(run)),
            provenanceOf(*open.model, prompt, mask)};
}

/// Of the cell: what `show` names.
Table explainCell(const Explained& explained, const Asked& asked, const Words& words,
                  Watch& watch) {
    const StreamRun& run = *explained.run;
    const Model& model = run.model();
    const Provenance& provenance = explained.provenance;
    const std::string show = words.text("show");
    const ScoreQuestion cell = valueOrRaise(readScoreQuestion(run, asked.cell));
    if (show == "signals") {
        const auto worded = words.count("signals");
        const auto signals =
            finish<ScoreSignals>(watch, [&] { return scoreSignals(run, cell, worded); });
        return signalsTable(signals, model, provenance);
    }
    if (show == "dimensions") {
        const auto found =
            finish<ScoreDimensions>(watch, [&] { return scoreDimensions(run, cell); });
        return dimensionsTable(found, model, provenance);
    }
    if (show == "keys") {
        const auto found = finish<QueryDimensions>(
            watch, [&] { return queryDimensions(run, cell.head, cell.query); });
        return queryDimensionsTable(found, model, provenance);
    }
    if (show == "removal") {
        const std::string part = words.text("remove");
        const auto found =
            finish<PartRemoval>(watch, [&] { return removal(run, cell, part, watch.stop()); });
        return removalTable(found, model, provenance);
    }
    const auto parts = finish<ScoreParts>(watch, [&] { return takeScoreApart(run, cell); });
    return scoreTable(parts, model, provenance);
}

Table why(const OpenModel& open, const Words& words) {
    const Asked asked = askedOf(words);
    Watch watch(py::none{});
    const Explained explained = explainedOf(open, words, watch);
    if (words.text("show") != "trace")
        return explainCell(explained, asked, words, watch);
    TraceQuestion question;
    question.least_share = words.read<double>("least");
    question.most_nodes = words.count("nodes");
    question.least_followed = words.read<double>("follow_from");
    const auto followed = words.read<std::vector<std::string>>("follow");
    const Trace found = finish<Trace>(
        watch, [&] { return trace(*explained.run, asked, question, followed, watch.stop()); });
    if (const auto graph = words.maybe<std::string>("graphml"))
        if (auto written = writeGraphMl(*graph, traceGraph(found, explained.provenance)); !written)
            raise(written.error());
    return traceTable(found, *open.model, explained.provenance);
}

} // namespace

void bindExplaining(py::module_& module) {
    module.def(
        "why",
        [](const OpenModel& open, py::dict words) { return why(open, Words(std::move(words))); },
        py::arg("model"), py::arg("words"));
}

} // namespace headscope::python
