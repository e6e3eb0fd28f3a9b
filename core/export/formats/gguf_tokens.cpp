#include "core/export/formats/gguf_tokens.h"

#include "core/tokenizer/from_ggml.h"

#include <cstdint>
#include <utility>

namespace headscope {

bool addGgufTokens(const GgufTokenizer& tokenizer, std::vector<GgufEntry>& metadata) {
    const auto lists = ggmlOf(tokenizer.json);
    const auto add = [&](const char* key, GgufEntry::Value value) {
        metadata.push_back({std::string("tokenizer.ggml.") + key, std::move(value)});
    };
    if (lists) {
        add("model", lists->model);
        add("pre", lists->pre_tokenizer);
        add("tokens", lists->tokens);
        std::vector<std::int32_t> types;
        for (const GgmlTokenType type : lists->types)
            types.push_back(static_cast<std::int32_t>(type));
        add("token_type", std::move(types));
        add("merges", lists->merges);
        if (lists->eos)
            add("eos_token_id", static_cast<std::uint32_t>(*lists->eos));
        add("add_eos_token", lists->add_eos.value_or(false));
    }
    if (const auto bos = tokenizer.bos ? tokenizer.bos : lists ? lists->bos : std::nullopt)
        add("bos_token_id", static_cast<std::uint32_t>(*bos));
    add("add_bos_token", tokenizer.bos.has_value());
    metadata.push_back({"tokenizer.huggingface.json", tokenizer.json});
    return lists.has_value();
}

} // namespace headscope
