#pragma once

#include "core/base/result.h"
#include "core/tokenizer/decoders/decoders.h"
#include "core/tokenizer/json/json_view.h"
#include "core/tokenizer/models/token_model.h"
#include "core/tokenizer/normalizers/aligned_text.h"
#include "core/tokenizer/pipeline/added_tokens.h"
#include "core/tokenizer/post_processors/post_processors.h"
#include "core/tokenizer/pre_tokenizers/pre_tokenizers.h"
#include "core/tokenizer/pre_tokenizers/regex.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// A part of a tokenizer (normalizer, pre-tokenizer, …) or the sentence that refuses it.
template <class Part>
using PartResult = Result<std::unique_ptr<const Part>>;

// What tokenizer.json says of each part, and who implements it. Nothing else in the tokenizer knows
// all parts of a kind.

/// From the file's `normalizer`; null does nothing.
PartResult<Normalizer> readNormalizer(const JsonView& json);
/// From the file's `pre_tokenizer`; null keeps the text whole.
PartResult<PreTokenizer> readPreTokenizer(const JsonView& json);
/// From the file's `model`.
PartResult<TokenModel> readTokenModel(const JsonView& json);
/// From the file's `post_processor`; null does nothing.
PartResult<PostProcessor> readPostProcessor(const JsonView& json);
/// From the file's `decoder`; null puts a space between the tokens.
PartResult<Decoder> readDecoder(const JsonView& json);

/// From the file's `added_tokens`; null is an empty list. A token that the model's vocabulary has
/// too must have the same id there.
Result<AddedTokens> readAddedTokens(const JsonView& list, const Vocabulary& vocabulary,
                                    const Normalizer& normalizer);
/// {"content": "<s>", "lstrip": false, …}, whose form is its content. `missing` is what a missing
/// flag means; without it that is an error.
Result<AddedToken> readAddedToken(const JsonView& json, TokenId id,
                                  std::optional<bool> missing = std::nullopt);

/// An id as tokenizer.json writes it.
Result<TokenId> readTokenId(const JsonView& number);
/// {"String": "…"} or {"Regex": "…"}.
Result<Regex> readPattern(const JsonView& pattern);
/// From {"type": "Metaspace", "replacement": …, "prepend_scheme": …, "split": …}; old files have
/// add_prefix_space in place of the scheme.
Result<Metaspace> readMetaspace(const JsonView& json);

/// Who reads {"type": "NFC", …}.
template <class Part>
struct PartReader {
    std::string_view type;
    PartResult<Part> (*read)(const JsonView& json);
};

/// Reads a part by its type; a type that nobody reads is refused by name.
template <class Part>
PartResult<Part> readPart(const JsonView& json, std::span<const PartReader<Part>> readers) {
    const auto type = json.string("type");
    if (!type)
        return type.error();
    for (const PartReader<Part>& reader : readers)
        if (reader.type == *type)
            return reader.read(json);
    return json.unsupported("the type " + json.value().member("type").shown());
}

/// Reads the parts of {"type": "Sequence", `key`: […]}, each with `read`.
template <class Part>
Result<std::vector<std::unique_ptr<const Part>>>
readSequence(const JsonView& json, std::string_view key,
             PartResult<Part> (*read)(const JsonView&)) {
    if (const auto known = json.allowOnly({"type", key}); !known)
        return known.error();
    const auto elements = json.elements(key);
    if (!elements)
        return elements.error();
    std::vector<std::unique_ptr<const Part>> steps;
    for (const JsonView& element : *elements) {
        auto step = read(element);
        if (!step)
            return step.error();
        steps.push_back(*std::move(step));
    }
    return steps;
}

/// A part made of what a file says, once the file is known to ask for nothing else.
template <class T, class Part, class... Arguments>
PartResult<Part> makePart(const Result<void>& known, Arguments&&... arguments) {
    if (!known)
        return known.error();
    return std::unique_ptr<const Part>(std::make_unique<T>(std::forward<Arguments>(arguments)...));
}

} // namespace headscope
