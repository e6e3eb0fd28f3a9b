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

Result<std::size_t> positionFromEnd(long position, std::size_t positions) {
    const long counted = position < 0 ? position + static_cast<long>(positions) : position;
    if (counted >= 0 && static_cast<std::size_t>(counted) < positions)
        return static_cast<std::size_t>(counted);
    return Error{ErrorCode::InvalidArgument, "There is no position " + std::to_string(position) +
                                                 ": the prompt has " + std::to_string(positions) +
                                                 " tokens."};
}

} // namespace headscope
