#include "core/base/text.h"
#include "tests/trust/planted_model.h"

#include <string>

namespace headscope::test {

namespace {

std::string lookText(const PlantedHead& head) {
    switch (head.look) {
    case Look::Back:
        return "−" + std::to_string(head.back);
    case Look::First:
        return "position 0";
    case Look::BosToken:
        return "the token BOS";
    case Look::Same:
        return "the same token";
    case Look::AfterSame:
        return "what came after the same token";
    case Look::All:
        return "all alike";
    case Look::Near:
        return "four near tokens";
    case Look::FirstTokens:
        return "the first tokens";
    case Look::SomeTokens:
        return "some tokens";
    case Look::Chance:
        return "chance, strength " + fixedText(head.strength, 1);
    case Look::Marks:
        return "marks";
    case Look::LastMark:
        return "the last mark";
    case Look::Rarest:
        return "the rarest token";
    }
    return {};
}

std::string movesText(Moves moves) {
    switch (moves) {
    case Moves::Unread:
        return "unread";
    case Moves::ToLogits:
        return "to the logits";
    case Moves::Against:
        return "against the logits";
    case Moves::ToPrevious:
        return "for induction";
    case Moves::Nothing:
        return "writes nothing";
    }
    return {};
}

} // namespace

std::string plantedText(const PlantedHead& head) {
    return "looks at " + lookText(head) + ", share " + fixedText(head.share, 2) +
           (head.rests ? ", the rest on position 0" : ", the rest spread") +
           (head.half ? ", half of the vocabulary" : "") + ", size " + fixedText(head.size, 2) +
           ", " + movesText(head.moves);
}

std::string plantedText(const PlantedShape& shape) {
    std::string text = std::to_string(shape.d_vocab) + " tokens ";
    text += shape.one_hot_tokens ? "one-hot" : "in " + std::to_string(shape.d_code) + " dimensions";
    text += shape.one_hot_positions ? ", one-hot positions" : ", waves of positions";
    if (shape.norm)
        text += *shape.norm == NormKind::LayerNorm ? ", LayerNorm" : ", RMSNorm";
    text += ", " + std::to_string(shape.n_kv_heads) + " KV heads";
    text += shape.turned ? ", turned" : "";
    text += shape.noise > 0.0 ? ", noise " + fixedText(shape.noise, 2) : "";
    text += shape.mlp ? ", MLP" : "";
    return text + (shape.tokenizer ? ", words" : "");
}

} // namespace headscope::test
