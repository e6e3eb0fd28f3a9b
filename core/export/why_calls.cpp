#include "core/export/why_calls.h"

#include "core/base/text.h"
#include "core/export/calls/call_draft.h"
#include "core/export/calls/python_text.h"

#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr const char* kWhyResult = "why"; ///< what Python calls it

std::string contrastWord(const ScoreQuestion& cell) {
    switch (cell.contrast) {
    case ScoreContrast::OtherKeys:
        return "others";
    case ScoreContrast::Nothing:
        return "none";
    case ScoreContrast::Key:
        break;
    }
    return std::to_string(cell.other);
}

/// `why` of the cell, as all of its ways begin.
Result<CallDraft> whyDraft(const ExplainedCell& explained) {
    const ScoreQuestion& cell = explained.cell;
    CallDraft draft("why", explained.loaded);
    draft.prompt(explained.prompt);
    if (auto worded = draft.mask(explained.mask); !worded)
        return worded.error();
    draft.option("--head", headWord(cell.head));
    draft.option("--query", cell.query);
    draft.option("--key", cell.key);
    draft.option("--against", contrastWord(cell));
    draft.argument(pythonHead(cell.head));
    draft.keyword("query", std::to_string(cell.query));
    draft.keyword("key", std::to_string(cell.key));
    draft.keyword("against", pythonText(contrastWord(cell)));
    return draft;
}

/// "3.5", "mlp 2", "embedding"
std::string writerWord(const StreamWriter& writer) {
    return writer.kind == WriterKind::Head ? headWord(writer.of) : writerText(writer);
}

/// "3.5:7": a head where it wrote.
std::string placeWord(const TracePlace& place) {
    return headWord(place.writer.of) + ':' + std::to_string(place.position);
}

} // namespace

Result<Call> scorePartsCall(const ExplainedCell& explained) {
    auto draft = whyDraft(explained);
    if (!draft)
        return draft.error();
    return std::move(*draft).withPython(kWhyResult, "why");
}

Result<Call> scoreSignalsCall(const ExplainedCell& explained, std::size_t worded) {
    auto draft = whyDraft(explained);
    if (!draft)
        return draft.error();
    draft->option("--signals", worded);
    draft->keyword("signals", std::to_string(worded));
    return std::move(*draft).withPython(kWhyResult, "why");
}

Result<Call> scoreDimensionsCall(const ExplainedCell& explained, bool all_keys) {
    auto draft = whyDraft(explained);
    if (!draft)
        return draft.error();
    draft->flag("--dimensions");
    draft->keyword("dimensions", "True");
    if (all_keys) {
        draft->flag("--all-keys");
        draft->keyword("all_keys", "True");
    }
    return std::move(*draft).withPython(kWhyResult, "why");
}

Result<Call> weightTokensCall(const ExplainedCell& explained) {
    if (!explained.mask.empty())
        return Error{ErrorCode::Unsupported,
                     "Tokens can be removed only in the whole model; restore "
                     "all heads to see which tokens this weight depends on."};
    const ScoreQuestion& cell = explained.cell;
    CallDraft draft("tokens", explained.loaded);
    draft.prompt(explained.prompt);
    draft.option("--weight", headWord(cell.head) + ':' + std::to_string(cell.query) + ':' +
                                 std::to_string(cell.key));
    draft.keyword("weight", '(' + pythonHead(cell.head) + ", " + std::to_string(cell.query) + ", " +
                                std::to_string(cell.key) + ')');
    return std::move(draft).withPython("tokens", "token_dependence");
}

Result<Call> traceCall(const ExplainedCell& explained, const TraceQuestion& trace) {
    auto draft = whyDraft(explained);
    if (!draft)
        return draft.error();
    draft->flag("--trace");
    draft->option("--least", numberText(trace.least_share));
    draft->option("--nodes", trace.most_nodes);
    draft->option("--follow-from", numberText(trace.least_followed));
    std::vector<std::string> places;
    for (const TracePlace& place : trace.followed)
        places.push_back(placeWord(place));
    if (!places.empty())
        draft->option("--follow", join(places, ","));
    draft->keyword("trace", "True");
    draft->keyword("least", numberText(trace.least_share));
    draft->keyword("nodes", std::to_string(trace.most_nodes));
    draft->keyword("follow_from", numberText(trace.least_followed));
    if (!places.empty())
        draft->keyword("follow", "[\"" + join(places, "\", \"") + "\"]");
    return std::move(*draft).withPython("trace", "why");
}

Result<Call> removalCall(const ExplainedCell& explained, const RemovalQuestion& question,
                         std::optional<std::size_t> rank) {
    const RemovalQuestion usual;
    if (question.random_directions != usual.random_directions || question.seed != usual.seed)
        return Error{ErrorCode::Unsupported,
                     "headscope-cli why draws other random directions than these."};
    auto draft = whyDraft(explained);
    if (!draft)
        return draft.error();
    const auto* writer = std::get_if<StreamWriter>(&question.part);
    const std::string part = rank     ? "direction " + std::to_string(*rank)
                             : writer ? writerWord(*writer)
                                      : removedPartText(question.part);
    const std::string removed = std::string(headSideName(question.side)) + ':' + part;
    draft->option("--remove", removed);
    draft->keyword("remove", pythonText(removed));
    return std::move(*draft).withPython(kWhyResult, "why");
}

} // namespace headscope
