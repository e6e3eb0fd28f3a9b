#include "core/export/formats/gguf_tokens.h"

#include "core/tokenizer/from_ggml.h"

#include <cstdint>
#include <utility>

namespace headscope {

bool addGgufTokens(const std::string& tokenizer_json, std::vector<GgufEntry>& metadata) {
    const auto lists = ggmlOf(tokenizer_json);
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
        for (const auto& [key, id] :
             {std::pair("bos_token_id", lists->bos), std::pair("eos_token_id", lists->eos)})
            if (id)
                add(key, static_cast<std::uint32_t>(*id));
        add("add_bos_token", lists->add_bos.value_or(false));
        add("add_eos_token", lists->add_eos.value_or(false));
    }
    metadata.push_back({"tokenizer.huggingface.json", tokenizer_json});
    return lists.has_value();
}

} // namespace headscope
