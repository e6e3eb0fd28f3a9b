#include "core/base/names.h"
#include "core/base/text.h"
#include "tests/trust/planted_model.h"

#include <string>

namespace headscope::test {

namespace {

constexpr Names<Look, 14> kLookTexts{{{Look::Back, "−"},
                                      {Look::First, "position 0"},
                                      {Look::BosToken, "the token BOS"},
                                      {Look::Same, "the same token"},
                                      {Look::AfterSame, "what came after the same token"},
                                      {Look::All, "all alike"},
                                      {Look::Near, "four near tokens"},
                                      {Look::FirstTokens, "the first tokens"},
                                      {Look::SomeTokens, "some tokens"},
                                      {Look::Chance, "chance, strength "},
                                      {Look::Marks, "marks"},
                                      {Look::LastMark, "the last mark"},
                                      {Look::Rarest, "the rarest token"},
                                      {Look::ItsWord, "its word"}}};

constexpr Names<Moves, 5> kMovesTexts{{{Moves::Unread, "unread"},
                                       {Moves::ToLogits, "to the logits"},
                                       {Moves::Against, "against the logits"},
                                       {Moves::ToPrevious, "for induction"},
                                       {Moves::Nothing, "writes nothing"}}};

std::string lookText(const PlantedHead& head) {
    const std::string text(nameOf(kLookTexts, head.look));
    if (head.look == Look::Back)
        return text + std::to_string(head.back);
    return head.look == Look::Chance ? text + fixedText(head.strength, 1) : text;
}

} // namespace

std::string plantedText(const PlantedHead& head) {
    return "looks at " + lookText(head) + ", share " + fixedText(head.share, 2) +
           (head.rests ? ", the rest on position 0" : ", the rest spread") +
           (head.half ? ", half of the vocabulary" : "") + ", size " + fixedText(head.size, 2) +
           ", " + std::string(nameOf(kMovesTexts, head.moves));
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
