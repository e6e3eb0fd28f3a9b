#include "core/ask/analyses/declared.h"
#include "core/ask/analyses/reading.h"
#include "core/attribution/score_tables.h"
#include "core/attribution/score_words.h"
#include "core/export/graphml.h"
#include "core/interventions/part_removal.h"
#include "core/interventions/question_words.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {

namespace {

/// Rows that fit the screen of a terminal beside each other.
constexpr std::size_t kShownParts = 8;
constexpr const char* kOthers = "others"; ///< what a score is compared with by default

/// A run that is explained, and what is noted with it.
struct Explained {
    const Asking& asking;
    const StreamRun& run;
    const Provenance& provenance;
};

std::optional<long> positionOf(const Asked& asked, const std::string& key) {
    return asked.has(key) ? std::optional<long>(asked.position(key)) : std::nullopt;
}

ScoreWords cellOf(const Asked& asked) {
    ScoreWords cell;
    cell.head = asked.has("head") ? asked.text("head") : "";
    cell.query = positionOf(asked, "query");
    cell.key = positionOf(asked, "key");
    cell.against = asked.text("against");
    return cell;
}

Result<LogitTarget> logitOf(const Explained& explained) {
    const Asked& asked = explained.asking.asked;
    const GivenToken& token = asked.tokens("token").front();
    LogitWords words{token.text, std::nullopt, positionOf(asked, "query")};
    if (asked.has("against_token"))
        words.against = asked.tokens("against_token").front().text;
    return readLogitTarget(explained.run, words, token.is_id);
}

Result<TraceQuestion> traceQuestion(const Explained& explained) {
    const Asked& asked = explained.asking.asked;
    TraceQuestion question;
    question.least_share = asked.number("least");
    question.most_nodes = asked.count("nodes");
    if (asked.has("follow_from"))
        question.least_followed = asked.number("follow_from");
    for (const std::string& text : asked.texts("follow")) {
        const auto place = readTracePlace(explained.run, text);
        if (!place)
            return place.error();
        question.followed.push_back(*place);
    }
    if (asked.has("token")) {
        const auto target = logitOf(explained);
        if (!target)
            return target.error();
        question.root = *target;
        return question;
    }
    const auto cell = readScoreQuestion(explained.run, cellOf(asked));
    if (!cell)
        return cell.error();
    question.root = *cell;
    return question;
}

Result<Answer> trace(const Explained& explained) {
    const auto question = traceQuestion(explained);
    if (!question)
        return question.error();
    const auto trace = traceBack(explained.run, *question, explained.asking.stop);
    if (!trace)
        return trace.error();
    const Asked& asked = explained.asking.asked;
    if (asked.has("graphml"))
        if (auto written =
                writeGraphMl(asked.text("graphml"), traceGraph(*trace, explained.provenance));
            !written)
            return written.error();
    return Answer{traceTable(*trace, explained.run.model(), explained.provenance)};
}

Result<Answer> dimensionsOf(const Explained& explained, const ScoreQuestion& cell) {
    const auto& [asking, run, provenance] = explained;
    if (asking.asked.is("all_keys")) {
        const auto dimensions = queryDimensions(run, cell.head, cell.query);
        if (!dimensions)
            return dimensions.error();
        return Answer{queryDimensionsTable(*dimensions, run.model(), provenance)};
    }
    const auto dimensions = scoreDimensions(run, cell);
    if (!dimensions)
        return dimensions.error();
    return Answer{dimensionsTable(*dimensions, run.model(), provenance)};
}

Result<Answer> signalsOf(const Explained& explained, const ScoreQuestion& cell) {
    const std::size_t worded = explained.asking.asked.count("signals");
    const auto signals = scoreSignals(explained.run, cell, worded);
    if (!signals)
        return signals.error();
    Answer answer{signalsTable(*signals, explained.run.model(), explained.provenance)};
    answer.shown.push_back(answer.table);
    auto& rows = answer.shown.front().rows;
    rows.resize(std::min(rows.size(), worded));
    return answer;
}

Result<Answer> removalOf(const Explained& explained, const ScoreQuestion& cell) {
    const auto question = parseRemoval(explained.asking.asked.text("remove"), cell, explained.run);
    if (!question)
        return question.error();
    const auto removal = removePart(explained.run, *question, explained.asking.stop);
    if (!removal)
        return removal.error();
    return Answer{removalTable(*removal, explained.run.model(), explained.provenance)};
}

Result<Answer> partsOf(const Explained& explained, const ScoreQuestion& cell) {
    const auto parts = takeScoreApart(explained.run, cell);
    if (!parts)
        return parts.error();
    const Provenance& provenance = explained.provenance;
    Answer answer{scoreTable(*parts, explained.run.model(), provenance),
                  {sideTable(*parts, HeadSide::Key, kShownParts, provenance),
                   sideTable(*parts, HeadSide::Query, kShownParts, provenance),
                   pairsTable(*parts, kShownParts, provenance)}};
    Table& first = answer.shown.front();
    first.caption = answer.table.caption + "\n\n" + first.caption;
    return answer;
}

bool asksForSignals(const Asked& asked) {
    return asked.has("signals") && asked.count("signals") > 0;
}

Result<Answer> explainCell(const Explained& explained) {
    const Asked& asked = explained.asking.asked;
    const auto cell = readScoreQuestion(explained.run, cellOf(asked));
    if (!cell)
        return cell.error();
    if (asked.is("dimensions"))
        return dimensionsOf(explained, *cell);
    if (asksForSignals(asked))
        return signalsOf(explained, *cell);
    return asked.has("remove") ? removalOf(explained, *cell) : partsOf(explained, *cell);
}

Result<Answer> explain(const Asking& asking) {
    const auto asked = runOf(asking);
    if (!asked)
        return asked.error();
    const auto run =
        StreamRun::read(asking.model, {asked->prompt.ids, asked->ablated}, asking.stop);
    if (!run)
        return run.error();
    const Explained explained{asking, *run, asked->provenance};
    return asking.asked.is("trace") ? trace(explained) : explainCell(explained);
}

std::vector<Rule> whyRules() {
    return {
        {[](const Asked& asked) { return asked.has("head") == asked.has("token"); },
         "Give either {head}, whose look is explained, or {token}, whose logit is."},
        {[](const Asked& asked) { return asked.has("against_token") && !asked.has("token"); },
         "{against_token} needs {token}."},
        {[](const Asked& asked) {
             return asked.has("token") && (asked.has("key") || asked.text("against") != kOthers);
         },
         "{key} and {against} belong to {head}; {against_token} is what a logit is compared with."},
        {[](const Asked& asked) { return asked.has("token") && !asked.is("trace"); },
         "{token} needs {trace}; attribute shows the parts of a logit."},
        {[](const Asked& asked) {
             return asked.has("token") && asked.has("against_token") &&
                    asked.tokens("token").front().is_id !=
                        asked.tokens("against_token").front().is_id;
         },
         "One token is named by its text and one by its id; name both in one way."},
        {[](const Asked& asked) { return asked.has("graphml") && !asked.is("trace"); },
         "{graphml} writes what {trace} finds; give both."},
        {[](const Asked& asked) {
             return !asked.is("trace") &&
                    (asked.has("follow_from") || !asked.texts("follow").empty());
         },
         "{follow} and {follow_from} belong to {trace}."},
        {[](const Asked& asked) {
             return int{asked.is("dimensions")} + int{asked.is("trace")} +
                        int{asksForSignals(asked)} + int{asked.has("remove")} >
                    1;
         },
         "Choose one of {signals}, {dimensions}, {trace} and {remove}."},
    };
}

constexpr const char* kWhyHelp =
    R"(Why a head looks there: an attention score as the sum of what query and key read.

``query`` and ``key`` are positions, from the end where negative; by default the last, and
the key with the largest weight. ``against``: what the score is compared with: "others" (the
mean of the other keys), "none", or the position of another key, "3". A row for each pair of writers;
values are in units of the score, before the softmax. In place of that

* ``signals=N``: along the singular directions of the head's QK form, N of them with words
* ``dimensions``: along the dimensions of the head; with ``all_keys`` against every key
* ``trace``: walks back to the heads it came from, and on; a row for each edge. With
  ``token`` it begins at a logit, or with ``against_token`` at a difference of two.
  ``least``: the smallest share that is shown; ``follow_from``: the share from which heads
  are followed, by default ``least``; ``follow``: heads that are in any case, with the position
  at which they wrote: ``["0.0:-4"]``; ``graphml``: a file for the graph
* ``remove``: takes a part out of what the head reads ("key:3.5", "query:mlp 2",
  "key:embedding", "key:direction 1") and measures that

>>> m = headscope.open(headscope.sample("induction-circuit"))
>>> t = m.why("A B C D A B C", (1, 0))
>>> bool(abs(t["value"].sum() + t.fields["distance"] - t.fields["difference"]) < 1e-3)
True)";

std::vector<AnalysisParameter> whyParameters() {
    return {
        askPrompt(),
        askHead("head", "4.1: the head"),
        askPosition("query", "The position that looks, counted from the end where negative; by "
                             "default the last"),
        askPosition("key", "The position it looks at; by default the one with the largest weight"),
        withDefault(std::string(kOthers),
                    askText("against", "What the score is compared with: others (the mean of the "
                                       "other keys, weighted by attention), none, or the position "
                                       "of another key")),
        askAblation(),
        withoutDefault(askCount("signals", 0,
                                "Along the singular directions of the head's QK form instead; the "
                                "first N with words")),
        askFlag("dimensions", "Along the dimensions of the head instead"),
        beside("dimensions",
               askFlag("all_keys", "With --dimensions, against every key that the query sees, "
                                   "each by itself, and before and after rotary positions")),
        askFlag("trace", "Walk back to the heads it came from, and on"),
        askFile("graphml", "With --trace, write the graph to this file, too, for Gephi, yEd or "
                           "networkx"),
        askText("remove", "key:3.5, query:mlp 2, key:embedding, key:direction 1: take this part, "
                          "or what is along this direction of --signals, out of what the head "
                          "reads, there alone, and measure beside what was predicted"),
        askToken("token", "With --trace, begin at the logit of this token at --query"),
        askToken("against_token", "And at the difference to the logit of this one"),
        beside("trace",
               between(0.001, 1.0,
                       askNumber("least", 0.1,
                                 "Of a trace, the smallest share of the beginning that is shown "
                                 "and followed"))),
        beside("trace",
               between(2, 200, askCount("nodes", 20, "Of a trace, how many nodes at most"))),
        withoutDefault(between(0.0, 2.0,
                               askNumber("follow_from", 0.0,
                                         "Of a trace, the share from which heads are followed; by "
                                         "default --least"))),
        askTexts("follow", "3.5:7,2.1:4: follow these heads, where they wrote, in any case"),
    };
}

} // namespace

Analysis whyAnalysis() {
    return {"why",
            "why",
            "Why a head looks there: one attention score as the sum of what the query and the key "
            "read, exactly, and traced back to where it came from",
            kWhyHelp,
            whyParameters(),
            whyRules(),
            explain};
}

} // namespace headscope
