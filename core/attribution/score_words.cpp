#include "core/attribution/score_words.h"

#include "core/base/text.h"
#include "core/engine/head_mask.h"

namespace headscope {

namespace {

/// Sets what the score is compared with.
Result<void> readContrast(const std::string& against, std::size_t positions,
                          ScoreQuestion& question) {
    if (against == "others")
        return {};
    question.contrast = against == "none" ? ScoreContrast::Nothing : ScoreContrast::Key;
    if (against == "none")
        return {};
    const auto number = parseNumber<long>(against);
    if (!number)
        return Error{ErrorCode::InvalidArgument,
                     "A score is compared with others, none or the position of a key, not with "
                     "\"" +
                         against + "\"."};
    const auto other = positionFromEnd(*number, positions);
    if (!other)
        return other.error();
    if (*other == question.key)
        return Error{ErrorCode::InvalidArgument,
                     "The score of position " + std::to_string(question.key) +
                         " cannot be compared with itself; name another key."};
    question.other = *other;
    return {};
}

} // namespace

Result<ScoreQuestion> readScoreQuestion(const StreamRun& run, const ScoreWords& words) {
    ScoreQuestion question;
    const auto head = parseHead(words.head, run.spec());
    if (!head)
        return head.error();
    question.head = *head;
    const auto query = positionFromEnd(words.query.value_or(-1), run.positions());
    if (!query)
        return query.error();
    question.query = *query;
    const auto key = words.key ? positionFromEnd(*words.key, run.positions())
                               : Result<std::size_t>(strongestKey(run, *head, *query));
    if (!key)
        return key.error();
    question.key = *key;
    if (auto contrast = readContrast(words.against, run.positions(), question); !contrast)
        return contrast.error();
    return question;
}

Result<TracePlace> readTracePlace(const StreamRun& run, std::string_view text) {
    const std::size_t colon = text.find(':');
    const auto position = colon == std::string_view::npos
                              ? std::optional<long>()
                              : parseNumber<long>(text.substr(colon + 1));
    if (!position)
        return Error{ErrorCode::InvalidArgument,
                     "Heads that a trace follows are named with the positions at which they wrote, "
                     "such as 3.5:7, not \"" +
                         std::string(text) + "\"."};
    const auto head = parseHead(text.substr(0, colon), run.spec());
    if (!head)
        return head.error();
    const auto counted = positionFromEnd(*position, run.positions());
    if (!counted)
        return counted.error();
    return TracePlace{{WriterKind::Head, *head}, *counted};
}

Result<std::size_t> positionFromEnd(long position, std::size_t positions) {
    const long counted = position < 0 ? position + static_cast<long>(positions) : position;
    if (counted >= 0 && static_cast<std::size_t>(counted) < positions)
        return static_cast<std::size_t>(counted);
    return Error{ErrorCode::InvalidArgument, "There is no position " + std::to_string(position) +
                                                 ": the prompt has " + std::to_string(positions) +
                                                 " tokens."};
}

} // namespace headscope
