#include "core/heads/asked_types.h"

#include "core/heads/head_type.h"

#include <utility>

namespace headscope {

namespace {

/// Why a type cannot be measured on a text of the user's own: what it is read from instead.
std::string_view whatItNeeds(InputKind input) {
    if (input == InputKind::Weights)
        return "It is read from the weights, and not from sequences of your own.";
    if (input == InputKind::Names)
        return "It is read from prompts of the indirect-object task, and not from other sequences.";
    if (input == InputKind::Needles)
        return "It is read from sentences that come again in a text, and not from sequences of "
               "your own.";
    if (input == InputKind::Ordinals)
        return "It is read from the words of series such as days and numbers, and not from "
               "sequences of your own.";
    return "It is read from repeated random tokens, and not from sequences of your own.";
}

std::string whyUnmeasured(const HeadScores& scores, const HeadType& type, const ModelSpec& spec) {
    std::string why = std::string(type.key) + " cannot be measured: ";
    if (const auto reason = scores.unread.find(type.id); reason != scores.unread.end())
        return why + reason->second;
    if (type.looks_ahead && spec.causal)
        return why + "Heads of a causal network cannot look ahead.";
    return why.append(whatItNeeds(type.input));
}

} // namespace

Result<AskedScores> askedTypes(const HeadScores& scores, std::span<const std::string> keys,
                               const ModelSpec& spec) {
    AskedScores asked{onlyTypes(scores, keys), {}};
    for (const std::string& key : keys)
        if (const auto id = headTypeByKey(key); id && !scores.has(*id))
            asked.notes.push_back(whyUnmeasured(scores, headType(*id), spec));
    if (asked.scores.types.empty() && !asked.notes.empty())
        return Error{ErrorCode::Unsupported, asked.notes.front()};
    return asked;
}

} // namespace headscope
