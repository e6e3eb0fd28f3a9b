#include "core/attribution/vocabulary_check.h"

#include <cstddef>
#include <string>

namespace headscope {

Result<void> checkVocabulary(const Model& model) {
    if (model.spec.output != OutputHead::None)
        return {};
    return Error{ErrorCode::Unsupported,
                 model.name + " has no unembedding, so there are no logits to read."};
}

Result<void> checkToken(const Model& model, TokenId token) {
    if (token >= 0 && static_cast<std::size_t>(token) < model.spec.d_vocab)
        return {};
    return Error{ErrorCode::InvalidArgument, "Token id " + std::to_string(token) +
                                                 " is outside the vocabulary of " + model.name +
                                                 ", which has ids 0 to " +
                                                 std::to_string(model.spec.d_vocab - 1) + "."};
}

} // namespace headscope
