#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/token_id.h"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Typed reading of a config.json. Every getter takes synonyms: the first key that is present and
/// not null counts. The first failure is kept in error() and the getters go on with harmless
/// values, so that a family reads its keys in one go and the loader checks once.
class ConfigReader {
public:
    using Keys = std::initializer_list<std::string_view>;

    /// Larger sizes are no network but damage.
    static constexpr std::size_t kLargestSize = std::size_t{1} << 24;

    /// `source` begins every message: "attribute 'config' of gpt2.h5".
    static Result<ConfigReader> parse(std::string_view text, std::string source);
    static Result<ConfigReader> of(JsonDocument document, std::string source);

    bool has(std::string_view key) const;
    bool isNull(std::string_view key) const;

    /// A whole number in 1..kLargestSize.
    std::size_t size(Keys keys);
    /// The same in minimum..kLargestSize, or `fallback` when absent.
    std::size_t sizeOr(Keys keys, std::size_t fallback, std::size_t minimum = 1);
    /// A number above 0, or `fallback` when absent.
    double positiveOr(Keys keys, double fallback);
    /// Any number; nothing when absent.
    std::optional<double> number(std::string_view key);
    bool flagOr(Keys keys, bool fallback);
    std::string text(Keys keys);
    std::string textOr(Keys keys, std::string_view fallback);
    /// An array of texts, of numbers, or of flags; empty when absent.
    std::vector<std::string> texts(std::string_view key);
    std::vector<double> numbers(std::string_view key);
    std::vector<bool> flags(std::string_view key);
    /// An array of numbers, or one number, which is meant for all of them.
    std::vector<double> numbersOrOne(std::string_view key);
    /// {"0": [1, 3], "1": []}: arrays of whole numbers by whole number; empty when absent.
    std::map<std::size_t, std::vector<std::size_t>> numberLists(std::string_view key);
    /// A token id inside the vocabulary; ids outside it are left out with a note.
    std::optional<TokenId> token(std::string_view key, std::size_t d_vocab);

    /// A nested object, which shares errors, notes and the record of what was read.
    std::optional<ConfigReader> object(std::string_view key);

    /// What keys mean that are absent (null is not): the text of a JSON object. has() and isNull()
    /// go on telling what the config says itself.
    void assume(std::string_view json);

    /// Fails when the key is set to anything but null, false, or empty.
    void refuse(std::string_view key, std::string_view why);

    /// Counts keys as read that say nothing about the network; by globs.
    void passOver(Keys globs);

    /// Keeps the message, which continues the name of the source, unless there is one already.
    void fail(ErrorCode code, const std::string& message);
    /// For the user, not an error.
    void note(const std::string& message);

    const std::optional<Error>& error() const;
    const std::vector<std::string>& notes() const;
    const std::string& source() const;

    /// Keys that nobody read and that may matter: null values and keys that every Hugging Face
    /// config carries for training or generation are left out. Sorted.
    std::vector<std::string> unusedKeys() const;

private:
    struct State;

    ConfigReader(std::shared_ptr<State> state, JsonValue object, std::string prefix);

    /// What `take` gives for each element of an array; it gives nothing for another type.
    template <class T, class Take>
    std::vector<T> list(std::string_view key, std::string_view expected, Take take);
    /// The first key that is present and not null; all of them count as read.
    std::optional<JsonValue> find(Keys keys);
    void failValue(Keys keys, JsonValue found, std::string_view expected);
    void failMissing(Keys keys);

    std::shared_ptr<State> state_;
    JsonValue object_;   ///< owned by state_
    std::string prefix_; ///< "rope_scaling." inside that object
};

} // namespace headscope
