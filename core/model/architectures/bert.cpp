// BERT (Devlin et al. 2019): bidirectional, norms after the residual sums, masked-LM head.

#include "core/model/architectures/bert_like.h"

namespace headscope {

namespace {

std::vector<TensorRule> maskedLmHead(bool tied) {
    using enum WeightRole;
    std::vector<TensorRule> rules{
        {W_mlm, "cls.predictions.transform.dense.weight", Layout::Transposed},
        {b_mlm, "cls.predictions.transform.dense.bias"},
        {b_U, "cls.predictions.bias"},
        {b_U, "cls.predictions.decoder.bias"},
        {tied ? W_E : W_U, "cls.predictions.decoder.weight"}};
    append(rules, layerNorm(LnMlmWeight, LnMlmBias, "cls.predictions.transform.LayerNorm"));
    return rules;
}

} // namespace

Architecture describeBert(ConfigReader& config, const TensorSource& file) {
    refuseBertVariants(config);
    Architecture bert;
    bert.spec = encoderSpec();
    readBertSizes(config, bert.spec);
    bert.base_prefix = "bert.";
    bert.tensors = bertEncoder("bert.");
    bert.spec.output = OutputHead::None;
    if (hasTensorLike(file, "cls.predictions.")) {
        bert.spec.output = OutputHead::MaskedLm;
        append(bert.tensors, maskedLmHead(bert.spec.tied_unembedding));
    }
    bert.extras = bertExtras();
    bert.extras.push_back(
        {"*cls.seq_relationship.*", "next-sentence prediction; no token passes it"});
    return bert;
}

} // namespace headscope
