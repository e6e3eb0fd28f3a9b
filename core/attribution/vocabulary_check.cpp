#include "core/attribution/vocabulary_check.h"

#include "core/model/prompt.h"

#include <cstddef>
#include <string>

namespace headscope {

Result<void> checkVocabulary(const Model& model) {
    if (model.spec.output != OutputHead::None)
        return {};
    return Error{ErrorCode::Unsupported,
                 model.name + " has no unembedding, so there are no logits to read."};
}

Result<void> checkLinearReadout(const Model& model) {
    if (model.spec.output != OutputHead::MaskedLm)
        return {};
    return Error{ErrorCode::Unsupported,
                 model.name + " computes its logits from the residual stream by a masked-LM "
                              "head, which is not linear, so they are no sum over heads."};
}

Result<void> checkToken(const Model& model, TokenId token) {
    const std::string last = std::to_string(model.spec.outputs() - 1);
    if (token >= 0 && static_cast<std::size_t>(token) < model.spec.outputs())
        return {};
    if (model.spec.predictsClasses())
        return Error{ErrorCode::InvalidArgument, "There is no class " + std::to_string(token) +
                                                     ": the logits of " + model.name +
                                                     " are of classes 0 to " + last + "."};
    return Error{ErrorCode::InvalidArgument, "Token id " + idAndToken(model, token) +
                                                 " is outside the vocabulary of " + model.name +
                                                 ", which has ids 0 to " + last + "."};
}

Result<void> checkTokens(const Model& model, std::optional<TokenId> token,
                         std::optional<TokenId> against) {
    for (const auto& asked : {token, against})
        if (asked)
            if (auto checked = checkToken(model, *asked); !checked)
                return checked;
    return {};
}

Result<void> checkPosition(std::size_t positions, std::size_t position) {
    if (position < positions)
        return {};
    return Error{ErrorCode::InvalidArgument, "There is no position " + std::to_string(position) +
                                                 ": the prompt has " + std::to_string(positions) +
                                                 " tokens."};
}

} // namespace headscope
