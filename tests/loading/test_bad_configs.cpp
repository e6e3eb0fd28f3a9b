#include "core/loading/load_model.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

namespace test_bad_configs {

using namespace headscope;
using headscope::test::ModelVariant;

namespace {

QString refusalOf(const ModelVariant& variant) {
    return QString::fromStdString(variant.refusal());
}

/// A change to a config that must be refused, and what the message must say.
void row(const char* name, const char* model, const char* patch, const char* expected) {
    QTest::addRow("%s", name) << QString::fromUtf8(model) << QString::fromUtf8(patch)
                              << QString::fromUtf8(expected);
}

} // namespace

class TestBadConfigs : public QObject {
    Q_OBJECT

private slots:
    void notJson_data();
    void notJson();
    void missingKeys_data();
    void missingKeys();
    void refusedValues_data();
    void refusedValues();
    void contradictsTensors_data();
    void contradictsTensors();
    void noConfigAnywhere();
    void fileBesideIsNamed();
    void tooLongText();
    void deeplyNestedText();
};

void TestBadConfigs::notJson_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::addRow("empty") << QString() << QStringLiteral("is not valid JSON");
    QTest::addRow("words") << QStringLiteral("model_type: gpt2")
                           << QStringLiteral("is not valid JSON at byte 1;");
    QTest::addRow("cut off") << QStringLiteral(R"({"model_type": "gpt2", "n_la)")
                             << QStringLiteral("is not valid JSON at byte 29;");
    QTest::addRow("number too large") << QStringLiteral(R"({"n_layer": 1e999})")
                                      << QStringLiteral("holds a number that is out of range;");
    QTest::addRow("a list") << QStringLiteral("[1, 2]")
                            << QStringLiteral("is an array, expected a JSON object");
    QTest::addRow("a number") << QStringLiteral("12")
                              << QStringLiteral("is 12, expected a JSON object");
}

void TestBadConfigs::notJson() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    ModelVariant variant("gpt2");
    variant.config_text = text.toStdString();
    const QString message = refusalOf(variant);
    QVERIFY2(message.startsWith(QStringLiteral("attribute 'config' of gpt2.h5 ") + expected),
             qPrintable(message));
}

void TestBadConfigs::missingKeys_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("key");
    const auto rows = [](const char* model, std::initializer_list<const char*> keys) {
        for (const char* key : keys)
            QTest::addRow("%s %s", model, key)
                << QString::fromUtf8(model) << QString::fromUtf8(key);
    };
    rows("gpt2", {"model_type", "n_layer", "n_embd", "n_head", "vocab_size", "n_positions"});
    rows("llama", {"model_type", "num_hidden_layers", "hidden_size", "num_attention_heads",
                   "intermediate_size", "vocab_size"});
    rows("bert", {"model_type", "num_hidden_layers", "hidden_size", "num_attention_heads",
                  "intermediate_size", "vocab_size", "max_position_embeddings"});
    rows("microgpt", {"n_layer", "n_embd", "n_head", "vocab_size", "block_size"});
    rows("notebook", {"d_model", "n_head", "vocab_size", "n_positions"});
}

void TestBadConfigs::missingKeys() {
    QFETCH(QString, model);
    QFETCH(QString, key);
    ModelVariant variant(model.toStdString());
    QVERIFY(variant.config.contains(key.toStdString()));
    variant.config.erase(key.toStdString());
    const QString message = refusalOf(variant);
    const QString start = QStringLiteral("attribute 'config' of ") + model +
                          QStringLiteral(".h5 lacks the key '") + key + QStringLiteral("'");
    QVERIFY2(message.startsWith(start), qPrintable(message));
    QVERIFY2(message.endsWith(QStringLiteral("; add it to the config.")), qPrintable(message));
}

void TestBadConfigs::refusedValues_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("expected");
    row("unknown model_type", "gpt2", R"({"model_type": "mamba"})",
        "has model_type 'mamba', which is no family that can be opened");
    row("model_type is a number", "gpt2", R"({"model_type": 2})",
        "has 'model_type' = 2, expected a text;");
    row("size is a text", "gpt2", R"({"n_embd": "48"})",
        "has 'n_embd' = \"48\", expected a whole number from 1 to 16777216;");
    row("size is zero", "gpt2", R"({"n_head": 0})", "has 'n_head' = 0, expected a whole number");
    row("size is negative", "gpt2", R"({"n_layer": -3})", "has 'n_layer' = -3, expected");
    row("size is broken", "gpt2", R"({"n_layer": 2.5})", "has 'n_layer' = 2.5, expected");
    row("size is a list", "gpt2", R"({"n_layer": [[3]]})", "has 'n_layer' = an array, expected");
    row("absurd width", "gpt2", R"({"n_embd": 99999999999})",
        "has 'n_embd' = 99999999999, expected");
    row("absurd depth", "gpt2", R"({"n_layer": 16000000})",
        "has 16000000 layers, expected at most 10000;");
    row("eps is zero", "gpt2", R"({"layer_norm_epsilon": 0})",
        "has 'layer_norm_epsilon' = 0, expected a number above 0;");
    row("flag is a number", "gpt2", R"({"scale_attn_weights": 1})",
        "has 'scale_attn_weights' = 1, expected true or false;");
    row("heads do not divide", "gpt2", R"({"n_head": 5})",
        "has a width of 48 and 5 heads, expected a number of heads that divides the width;");
    row("unknown activation", "gpt2", R"({"activation_function": "mish"})",
        "asks for the activation 'mish', expected one of gelu, gelu_python, gelu_new, ");
    row("cross-attention", "gpt2", R"({"add_cross_attention": true})",
        "has 'add_cross_attention' = true, and cross-attention is not supported.");
    row("heads cut out of another family", "llama", R"({"pruned_heads": {"0": [1]}})",
        "has 'pruned_heads' = an object, and weights with heads cut out are not supported for "
        "this family;");
    row("head that is not there cut out", "gpt2", R"({"pruned_heads": {"0": [4]}})",
        "has pruned_heads in layer 0, expected some of 4 heads in one of 3 layers;");
    row("all heads cut out", "bert", R"({"pruned_heads": {"1": [0, 1, 2, 3]}})",
        "has pruned_heads in layer 1, expected some of 4 heads");
    row("heads cut out of no layer", "bert", R"({"pruned_heads": {"3": [0]}})",
        "has pruned_heads in layer 3, expected");
    row("pruned_heads of words", "gpt2", R"({"pruned_heads": {"first": [0]}})",
        "has 'pruned_heads' = an object, expected arrays of whole numbers by layer");
    row("quantised", "llama", R"({"quantization_config": {"bits": 4}})",
        "has 'quantization_config' = an object, and quantised weights are not supported;");
    row("KV heads do not divide", "llama-gqa", R"({"num_key_value_heads": 3})",
        "has 8 query heads and 3 key-value heads, expected a number of query heads that is a "
        "multiple");
    row("more KV heads than heads", "llama-gqa", R"({"num_key_value_heads": 16})",
        "has 8 query heads and 16 key-value heads");
    row("odd rotary size", "llama", R"({"head_dim": 13})",
        "has 13 rotated dimensions per head, expected an even number");
    row("more rotated than a head has", "gptj", R"({"rotary_dim": 18})",
        "has 18 rotated dimensions per head, expected an even number for rotary positions, and no "
        "more than the 16 of a head;");
    row("unknown rotary type", "llama", R"({"rope_parameters": {"rope_type": "warped"}})",
        "asks for rotary embeddings of the type 'warped', expected default, linear, dynamic, ntk, "
        "yarn, longrope or llama3;");
    row("old spelling of the type", "llama",
        R"({"rope_parameters": null, "rope_scaling": {"type": "warped", "factor": 2.0}})",
        "asks for rotary embeddings of the type 'warped'");
    row("more than the head rotated", "phi",
        R"({"rope_parameters": {"partial_rotary_factor": 1.5}})",
        "rotates 1.5 of each head, expected at most 1;");
    row("longrope without factors", "phi3", R"({"rope_parameters": {"rope_type": "longrope"}})",
        "has 0 numbers in 'short_factor', expected 6 above 0, one for each rotated pair;");
    row("longrope with a negative factor", "phi3",
        R"({"rope_parameters": {"rope_type": "su", "short_factor": [1, 1, 1, -1, 1, 1]}})",
        "has 6 numbers in 'short_factor', expected 6 above 0");
    row("factors are texts", "phi3",
        R"({"rope_parameters": {"rope_type": "longrope", "short_factor": ["1"]}})",
        "has 'rope_parameters.short_factor' = an array, expected an array of numbers;");
    row("dynamic base of two dimensions", "phi",
        R"({"rope_parameters": {"rope_type": "dynamic", "partial_rotary_factor": 0.15}})",
        "scales the base of rotary embeddings of 2 dimensions, expected more than 2;");
    row("rotary by layer type", "llama",
        R"({"rope_parameters": {"full_attention": {"rope_theta": 10.0}}})",
        "has rotary parameters for each layer type, expected one set");
    row("too few layer types", "gemma2", R"({"layer_types": ["full_attention"]})",
        "has 1 layer_types, expected one for each of the 4 layers;");
    row("unknown layer type", "qwen2", R"({"layer_types": ["full_attention", "linear_attention"]})",
        "has a layer of the type 'linear_attention', expected full_attention or "
        "sliding_attention.");
    row("layer types are numbers", "qwen2", R"({"layer_types": [1, 2]})",
        "has 'layer_types' = an array, expected an array of texts;");
    row("too few attention layers", "gpt_neo", R"({"attention_layers": ["global", "local"]})",
        "has 2 attention_layers, expected 'global' or 'local' for each of the 4 layers;");
    row("bidirectional Gemma", "gemma", R"({"use_bidirectional_attention": true})",
        "has 'use_bidirectional_attention' = true, and bidirectional Gemmas are not supported.");
    row("normalised residual", "bloom", R"({"apply_residual_connection_post_layernorm": true})",
        "has 'apply_residual_connection_post_layernorm' = true, and a residual stream of");
    row("only padding", "roberta", R"({"max_position_embeddings": 2})",
        "has 2 max_position_embeddings, of which the first 2 are padding;");
    row("relative RoBERTa", "roberta", R"({"position_embedding_type": "relative_key_query"})",
        "has position_embedding_type 'relative_key_query', expected 'absolute';");
    row("groups of ALBERT", "albert", R"({"num_hidden_groups": 3})",
        "has 'num_hidden_groups' other than 1; layers that share weights are supported only");
    row("layers within layers", "albert", R"({"inner_group_num": 2})",
        "has 'inner_group_num' other than 1;");
    row("OLMo of nothing", "olmo", R"({"clip_qkv": 0.0})",
        "has 'clip_qkv' = 0.0, expected a number above 0;");
    row("Command-R7B with norms of queries", "cohere2", R"({"use_qk_norm": true})",
        "has 'use_qk_norm' = true, and norms of queries and keys are not of this family.");
    row("MPT without ALiBi", "mpt", R"({"attn_config": {"alibi": false}})",
        "has attention without ALiBi,");
    row("MPT clipped below 0", "mpt", R"({"attn_config": {"clip_qkv": -6}})",
        "has 'attn_config.clip_qkv' = -6, expected a number above 0;");
    row("MPT of one key", "mpt", R"({"attn_config": {"attn_type": "multiquery_attention"}})",
        "has an 'attn_type' other than multihead_attention");
    row("Gemma 3 without its text", "gemma2", R"({"model_type": "gemma3"})",
        "lacks the key 'text_config';");
    row("Hunyuan of several choices", "hunyuan_v1_moe", R"({"moe_topk": [3, 2]})",
        "chooses several numbers of experts in 'moe_topk', expected one for all layers;");
    row("Hunyuan of other experts in each layer", "hunyuan_v1_moe", R"({"num_experts": [5, 4]})",
        "has 'num_experts' = an array, expected a whole number");
    row("clipped IQuest-Coder", "iquestcoder", R"({"clip_qkv": 8.0})",
        "has 'clip_qkv' = 8.0, and clipped");
    row("IQuest-Coder with windows", "iquestcoder", R"({"use_sliding_window": true})",
        "has 'use_sliding_window' = true, and this family has no windows");
    row("three bases of Granite", "granite_swa", R"({"layer_rope_theta": [1.0, 2.0, 3.0]})",
        "has several numbers in 'layer_rope_theta' for layers of one type, expected one");
    row("too few bases of Granite", "granite_swa", R"({"layer_rope_theta": [1.0]})",
        "has 1 numbers in 'layer_rope_theta', expected one for each of the 3 layers;");
    row("Compass with norms of queries", "cohere_compass_text", R"({"use_qk_norm": true})",
        "has 'use_qk_norm' = true, and norms of queries and keys are not of this family.");
    row("another MLP of Mellum", "mellum", R"({"mlp_layer_types": ["sparse", "dense", "wide"]})",
        "has an MLP of the type 'wide', expected dense or sparse.");
    row("too few MLPs of Mellum", "mellum", R"({"mlp_layer_types": ["sparse"]})",
        "has 1 mlp_layer_types, expected one for each of the 3 layers; correct the config.");
    row("PaliGemma", "gemma", R"({"model_type": "paligemma"})",
        "has model_type 'paligemma', which is no family that can be opened, since its prompts see "
        "what stands behind, too;");
    row("more experts chosen than there are", "mixtral", R"({"num_experts_per_tok": 6})",
        "chooses 6 of 5 experts, expected no more than there are; correct the config.");
    row("experts without end", "qwen3_moe", R"({"num_experts": 16777216})",
        "has 16777216 experts in each of 3 layers, expected at most 100000 in all; correct the "
        "config.");
    row("another gate of GPT-OSS", "gpt_oss", R"({"swiglu_alpha": 1.5})",
        "has 'swiglu_alpha' = 1.5, expected 1.702; open a model without it.");
    row("experts in uneven groups", "glm4_moe", R"({"n_group": 3})",
        "chooses 3 of 8 experts in 2 of 3 groups, expected groups of as many experts each, two at "
        "least, that are enough to choose from; correct the config.");
    row("experts in groups that are too small", "glm4_moe", R"({"topk_group": 1})",
        "chooses 3 of 8 experts in 1 of 4 groups, expected groups of as many experts each,");
    row("groups of one expert each", "glm4_moe", R"({"n_group": 8, "topk_group": 4})",
        "chooses 3 of 8 experts in 4 of 8 groups, expected groups of as many experts each,");
    row("ERNIE 4.5 with biases", "ernie4_5_moe", R"({"use_bias": true})",
        "has 'use_bias' = true, and biases of experts that all positions share are not supported");
    row("ERNIE 4.5 with a large least sum", "ernie4_5_moe", R"({"moe_norm_min": 0.5})",
        "divides the weights of experts by 'moe_norm_min' at least, expected next to nothing;");
    row("Hunyuan 3 with biases", "hy_v3", R"({"mlp_bias": true})",
        "has 'mlp_bias' = true, and biases of experts that all positions share are not supported");
    row("two magnitudes", "phimoe-held", R"({"rope_parameters": {"long_mscale": 1.3}})",
        "has 'short_mscale' = 0.7 and 'long_mscale' = 1.3, expected one number;");
    row("noise below nothing", "phimoe", R"({"router_jitter_noise": -0.1})",
        "has 'router_jitter_noise' = -0.1, expected 0 or more; correct the config.");
    row("one expert for SparseMixer", "phimoe",
        R"({"num_local_experts": 1, "num_experts_per_tok": 1})",
        "chooses 2 of 1 experts, expected no more than there are; correct the config.");
    row("another router of Cohere", "cohere2_moe", R"({"expert_selection_fn": "tanh"})",
        "weighs experts by 'tanh', expected softmax or sigmoid.");
    row("another combination of experts", "cohere2_moe",
        R"({"shared_expert_combination_strategy": "product"})",
        "combines experts by 'product', expected average or sum.");
    row("DBRX with another norm", "dbrx",
        R"({"ffn_config": {"moe_normalize_expert_weights": 2.0}})",
        "has 'moe_normalize_expert_weights' = 2, expected 1 or null.");
    row("DBRX without experts", "dbrx", R"({"ffn_config": null})", "lacks the key 'ffn_config';");
    row("gated heads", "glm4_moe", R"({"model_type": "afmoe"})",
        "has model_type 'afmoe', which is no family that can be opened, since what its heads give "
        "is multiplied by gates;");
    row("no expert chosen", "qwen3_moe", R"({"num_experts_per_tok": 0})",
        "has 'num_experts_per_tok' = 0, expected a whole number from 1 to");
    row("too few no_rope_layers", "smollm3", R"({"no_rope_layers": [1, 0]})",
        "has 2 no_rope_layers, expected one for each of the 3 layers; correct the config.");
    row("Nomic BERT stretched", "nomic_bert", R"({"rotary_scaling_factor": 2})",
        "has 'rotary_scaling_factor' = 2, and rotary positions that are stretched by the length of "
        "the prompt are not supported");
    row("Nomic BERT with another gate", "nomic_bert", R"({"activation_function": "geglu"})",
        "has activation_function 'geglu', expected 'swiglu'.");
    row("CodeGen that is not in quarters", "codegen", R"({"n_head": 2})",
        "has 2 heads, expected a multiple of 4, in as many parts the file holds queries, keys and "
        "values; correct the config.");
    row("MPNet of other buckets", "mpnet", R"({"relative_attention_num_buckets": 16})",
        "has 16 relative_attention_num_buckets, expected 32, which is what the family computes "
        "with.");
    row("unknown activation of a head", "modernbert", R"({"classifier_activation": "sine"})",
        "asks for the activation 'sine', expected one of ");
    row("another mixture of experts", "llama", R"({"model_type": "mixtral2"})",
        "has model_type 'mixtral2', which is no family that can be opened (the nearest name is "
        "'mixtral'); open a model of a family that resources/models.md lists, or, if this one "
        "computes what "
        "that family does, write its model_type into the config.");
    for (const std::string name : {"canine", "unheard_of", "x"})
        row(name.c_str(), "llama", nlohmann::json{{"model_type", name}}.dump().c_str(),
            ("has model_type '" + name +
             "', which is no family that can be opened; open a model of a family that "
             "resources/models.md "
             "lists.")
                .c_str());
    row("GIT", "llama", R"({"model_type": "git"})",
        "has model_type 'git', which is no family that can be opened, since it reads images;");
    row("T5", "llama", R"({"model_type": "t5"})",
        "has model_type 't5', which is no family that can be opened, since it has an encoder and a "
        "decoder that attends to it; open a model of a family that resources/models.md lists.");
    row("a name inside another", "llama", R"({"model_type": "amba"})",
        "has model_type 'amba', which is no family that can be opened; open a model");
    row("keys chosen by an indexer", "llama", R"({"model_type": "deepseek_v32"})",
        "has model_type 'deepseek_v32', which is no family that can be opened, since an indexer "
        "chooses which keys each of its queries sees");
    row("two attentions in a layer", "llama", R"({"model_type": "longcat_flash"})",
        "has model_type 'longcat_flash', which is no family that can be opened, since its layers "
        "have two attentions");
    row("experts with a norm", "llama", R"({"model_type": "axk1"})",
        "has model_type 'axk1', which is no family that can be opened, since what its experts give "
        "is normalised");
    row("keys shared by latent heads", "deepseek_v3", R"({"num_key_value_heads": 2})",
        "has 4 heads and 2 key-value heads, expected as many, since latent attention");
    row("a part of what is rotated", "deepseek_v3",
        R"({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}})",
        "rotates 2 dimensions of each head, expected the 4 of qk_rope_head_dim");
    row("another router of DeepSeek", "deepseek_v3", R"({"scoring_func": "softmax"})",
        "has scoring_func 'softmax', expected sigmoid");
    row("another choice of DeepSeek", "deepseek_v3", R"({"topk_method": "greedy"})",
        "has topk_method 'greedy', expected noaux_tc");
    row("experts in every other layer", "deepseek_v3", R"({"moe_layer_freq": 2})",
        "has experts in some of the later layers only, by moe_layer_freq, expected 1");
    row("another choice of DeepSeek-V2", "deepseek_v2", R"({"topk_method": "noaux_tc"})",
        "has topk_method 'noaux_tc', expected greedy or group_limited_greedy");
    row("another router of DeepSeek-V2", "deepseek_v2", R"({"scoring_func": "sigmoid"})",
        "has scoring_func 'sigmoid', expected softmax");
    row("divided weights of DeepSeek-V2", "deepseek_v2", R"({"norm_topk_prob": true})",
        "has 'norm_topk_prob' = true, and weights of experts that are divided by their sum");
    row("biases of experts", "deepseek_v2", R"({"mlp_bias": true})",
        "has 'mlp_bias' = true, and biases of experts that all positions share are not supported");
    row("rotary factor below zero", "llama3-rope", R"({"rope_parameters": {"factor": -8.0}})",
        "has 'rope_parameters.factor' = -8.0, expected a number above 0;");
    row("rotary bands swapped", "llama3-rope", R"({"rope_parameters": {"low_freq_factor": 9.0}})",
        "has a rotary high_freq_factor that is not above its low_freq_factor;");
    row("rope is a text", "llama", R"({"rope_parameters": "llama3"})",
        "has 'rope_parameters' = \"llama3\", expected an object;");
    row("relative positions", "bert", R"({"position_embedding_type": "relative_key"})",
        "has position_embedding_type 'relative_key', expected 'absolute';");
    row("BERT as decoder", "bert", R"({"is_decoder": true})",
        "has 'is_decoder' = true, and BERT as a decoder is not supported.");
    row("ERNIE without tasks", "ernie", R"({"use_task_id": true, "task_type_vocab_size": 0})",
        "has 'task_type_vocab_size' = 0, expected a whole number from 1 to ");
    row("ERNIE as decoder", "ernie", R"({"is_decoder": true})", "has 'is_decoder' = true, and");
    row("relative Megatron", "megatron-bert", R"({"position_embedding_type": "relative_key"})",
        "has position_embedding_type 'relative_key', expected 'absolute';");
    row("I-BERT of integers", "ibert", R"({"quant_mode": true})",
        "has 'quant_mode' = true, and arithmetic of integers is not supported.");
    row("adaptive softmax", "xlm", R"({"asm": true})",
        "has 'asm' = true, and adaptive softmaxes are not supported.");
    row("causal XLM", "xlm", R"({"causal": true})",
        "has 'causal' = true, and causal attention is not supported in this family.");
    row("XLM as decoder", "xlm", R"({"is_encoder": false})",
        "has 'is_encoder' = false, and decoders of this family are not supported.");
    row("XLM with languages", "xlm", R"({"use_lang_emb": true})",
        "has use_lang_emb and n_langs above 1, and embeddings of languages are not supported.");
    row("FlauBERT with languages", "flaubert", R"({"n_langs": 2})",
        "has use_lang_emb and n_langs above 1, and embeddings of languages are not supported.");
    row("absolute GTE", "gte", R"({"position_embedding_type": "absolute"})",
        "has position_embedding_type 'absolute', expected 'rope';");
    row("GTE with long prompts", "gte", R"({"logn_attention_scale": true})",
        "has 'logn_attention_scale' = true, and scores that are scaled by the length of the prompt "
        "are not supported.");
    row("GTE stretched by its own rule", "gte", R"({"rope_parameters": {"rope_type": "ntk"}})",
        "scales its rotary embeddings by this family's own 'ntk', which is not supported.");
    row("the same in old configs", "gte",
        R"({"rope_parameters": null, "rope_scaling": {"type": "ntk", "factor": 8.0}})",
        "scales its rotary embeddings by this family's own 'ntk', which is not supported.");
    row("RoFormer with turned values", "roformer", R"({"rotary_value": true})",
        "has 'rotary_value' = true, and values that are turned by their position are not "
        "supported.");
    row("narrow RoFormer", "roformer", R"({"embedding_size": 16})",
        "has an embedding_size other than its hidden_size;");
    row("decoder without windows", "modernbert-decoder", R"({"local_attention": 1})",
        "has 'local_attention' = 1, expected a whole number from 2 to");
    row("old scaling of ModernBERT", "modernbert",
        R"({"rope_parameters": null, "rope_scaling": {"type": "linear", "factor": 2.0}})",
        "has 'rope_scaling' = an object, and scaled positions are supported under "
        "'rope_parameters' only.");
    row("BOS is a list", "gpt2", R"({"bos_token_id": [0]})",
        "has 'bos_token_id' = an array, expected a token id;");
}

void TestBadConfigs::refusedValues() {
    QFETCH(QString, model);
    QFETCH(QString, patch);
    QFETCH(QString, expected);
    ModelVariant variant(model.toStdString());
    variant.config.merge_patch(nlohmann::json::parse(patch.toStdString()));
    const QString message = refusalOf(variant);
    const QString start = QStringLiteral("attribute 'config' of ") + model + QStringLiteral(".h5 ");
    QVERIFY2(message.startsWith(start + expected), qPrintable(message));
}

void TestBadConfigs::contradictsTensors_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("expected");
    row("vocabulary", "gpt2", R"({"vocab_size": 96})",
        "gpt2.h5: the tensor 'transformer.wte.weight' is [97, 48], expected [d_vocab, d_model] = "
        "[96, 48] by the config; correct the config or the tensor.");
    row("context", "bert", R"({"max_position_embeddings": 65})",
        "bert.h5: the tensor 'bert.embeddings.position_embeddings.weight' is [64, 48], expected "
        "[n_ctx, d_model] = [65, 48] by the config; correct the config or the tensor.");
    row("width of the MLP", "llama", R"({"intermediate_size": 81})",
        "llama.h5: the tensor 'model.layers.0.mlp.gate_proj.weight' is [80, 48], expected [d_mlp, "
        "d_model] = [81, 48] by the config; correct the config or the tensor.");
    row("number of KV heads", "llama-gqa", R"({"num_key_value_heads": 4})",
        "llama-gqa.h5: the tensor 'model.layers.0.self_attn.k_proj.weight' is [16, 64], expected "
        "[n_kv_heads·d_head, d_model] = [32, 64] by the config; correct the config or the tensor.");
    row("number of heads", "notebook", R"({"n_head": 4})",
        "notebook.h5: the tensor 'W_Q' is [2, 16, 8], expected [n_heads, d_model, d_head] = [4, "
        "16, 8] by the config; correct the config or the tensor.");
    row("heads cut out of the config only", "gpt2", R"({"pruned_heads": {"1": [0]}})",
        "gpt2.h5: the tensor 'transformer.h.1.attn.c_attn.weight' is [48, 144], expected [d_model, "
        "(n_heads + 2·n_kv_heads)·d_head] = [48, 108] by the config; correct the config or the "
        "tensor.");
    row("another latent", "deepseek_v3", R"({"kv_lora_rank": 11})",
        "deepseek_v3.h5: the tensor 'model.layers.0.self_attn.kv_a_proj_with_mqa.weight' is [14, "
        "16], expected [d_kv + d_shared, d_model] = [15, 16] by the config; correct the config or "
        "the tensor.");
    row("other heads of values", "deepseek_v3-dense", R"({"v_head_dim": 8})",
        "deepseek_v3-dense.h5: the tensor 'model.layers.0.self_attn.kv_b_proj.weight' is [64, 10], "
        "expected [n_heads·(d_head − d_shared + d_head_v), d_kv] = [56, 10] by the config; correct "
        "the config or the tensor.");
}

void TestBadConfigs::contradictsTensors() {
    QFETCH(QString, model);
    QFETCH(QString, patch);
    QFETCH(QString, expected);
    ModelVariant variant(model.toStdString());
    variant.config.merge_patch(nlohmann::json::parse(patch.toStdString()));
    QCOMPARE(refusalOf(variant), expected);
}

void TestBadConfigs::noConfigAnywhere() {
    ModelVariant variant("gpt2");
    variant.config_inside = false;
    const auto path = variant.write();
    std::filesystem::remove(path.parent_path() / "config.json");
    const auto model = loadModel(path);
    QVERIFY(!model);
    QCOMPARE(model.error().code, ErrorCode::NotFound);
    QCOMPARE(QString::fromStdString(model.error().message),
             QStringLiteral("gpt2.h5 has no attribute 'config' and there is no config.json beside "
                            "it; put the model's config.json there."));
}

void TestBadConfigs::fileBesideIsNamed() {
    ModelVariant variant("gpt2");
    variant.config_inside = false;
    variant.config.erase("n_layer");
    QCOMPARE(refusalOf(variant),
             QStringLiteral("config.json beside gpt2.h5 lacks the key 'n_layer' or "
                            "'num_hidden_layers'; add it to the config."));
}

void TestBadConfigs::tooLongText() {
    ModelVariant variant("gpt2");
    variant.config["comment"] = std::string(5u << 20, 'x');
    variant.config_inside = false;
    const QString message = refusalOf(variant);
    QVERIFY2(message.contains(QStringLiteral("config.json")), qPrintable(message));
}

void TestBadConfigs::deeplyNestedText() {
    constexpr std::size_t depth = 500'000;
    ModelVariant variant("gpt2");
    variant.config_text = R"({"model_type": "gpt2", "n_layer": )" + std::string(depth, '[') +
                          std::string(depth, ']') + "}";
    const QString message = refusalOf(variant);
    QVERIFY2(message.contains(QStringLiteral("'n_layer' = an array")), qPrintable(message));
}

const headscope::test::TestRegistration<TestBadConfigs> registration;

} // namespace test_bad_configs

#include "test_bad_configs.moc"
