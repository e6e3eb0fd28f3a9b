#include "core/tokenizer/token_model.h"

#include "core/tokenizer/bpe_model.h"
#include "core/tokenizer/word_level_model.h"

namespace headscope {

Result<std::unique_ptr<const TokenModel>> TokenModel::read(const JsonView& model) {
    const auto type = model.optionalString("type");
    if (!type)
        return type.error();
    // Files of 2020, that of GPT-2 among them, leave out the type.
    if (*type == "BPE" || (!*type && !model.member("merges")->isNull()))
        return BpeModel::read(model);
    if (*type == "WordLevel")
        return WordLevelModel::read(model);
    return model.unsupported("the type " + model.member("type")->shown());
}

} // namespace headscope
