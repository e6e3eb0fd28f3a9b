#include "core/export/formats/kept_json.h"

#include "core/base/text.h"
#include "core/heads/head_type.h"
#include "core/io/atomic_file.h"
#include "core/io/sealed_json.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFlippedSquares = "flipped";

} // namespace

Result<std::string> keptText(const KeptKind& kind, KeptJson members) {
    KeptJson json;
    json[std::string(kind.key)] = kind.version;
    for (auto& [key, value] : members.items())
        json[key] = std::move(value);
    std::string text = json.dump(2, ' ', false, KeptJson::error_handler_t::replace) + "\n";
    if (text.size() > kind.largest)
        return Error{ErrorCode::TooLarge, "A " + std::string(kind.name) + " would have " +
                                              byteText(text.size()) + ", more than the " +
                                              byteText(kind.largest) + " that it may have."};
    return text;
}

Result<void> writeKept(const fs::path& path, const KeptKind& kind, KeptJson members) {
    const auto text = keptText(kind, std::move(members));
    return text ? writeFileAtomically(path, *text) : Result<void>(cannotKeep(path, text.error()));
}

Error cannotKeep(const fs::path& path, const Error& reason) {
    return {reason.code, path.string() + " cannot be written: " + reason.message};
}

Result<JsonDocument> readKept(const fs::path& path, const KeptKind& kind) {
    const auto text = readTextFile(path, kind.largest);
    if (!text)
        return text.error();
    auto document =
        readForeignJson(*text, {.depth = 10, .values = kind.values, .unique_keys = true});
    if (!document)
        return Error{document.error().code, path.string() + " " + document.error().message + "."};
    const auto version = document->root().member(kind.key).whole();
    if (!version || *version == 0)
        return Error{ErrorCode::Malformed,
                     path.string() + " is no " + std::string(kind.name) + " of Headscope."};
    if (*version > kind.version)
        return Error{ErrorCode::Unsupported,
                     path.string() + " was written by a later version of Headscope (" +
                         std::string(kind.name) + " version " + std::to_string(*version) +
                         "); open it with that one."};
    return document;
}

KeptJson headJson(LayerHead head) {
    return KeptJson::array({head.layer, head.head});
}

std::optional<LayerHead> headFrom(const JsonValue& pair) {
    const std::vector<JsonValue> both = pair.elements();
    const auto layer = both.size() == 2 ? both[0].whole() : std::nullopt;
    const auto head = both.size() == 2 ? both[1].whole() : std::nullopt;
    if (!layer || !head)
        return std::nullopt;
    return LayerHead{static_cast<std::size_t>(*layer), static_cast<std::size_t>(*head)};
}

KeptJson headListJson(const std::vector<LayerHead>& heads) {
    KeptJson list = KeptJson::array();
    for (const LayerHead head : heads)
        list.push_back(headJson(head));
    return list;
}

std::optional<std::vector<LayerHead>> headListFrom(const JsonValue& list) {
    std::vector<LayerHead> heads;
    for (const JsonValue& pair : list.elements()) {
        const auto head = headFrom(pair);
        if (!head)
            return std::nullopt;
        heads.push_back(*head);
    }
    return list.isArray() ? std::optional(heads) : std::nullopt;
}

KeptJson thresholdsJson(const Thresholds& thresholds) {
    KeptJson moved = KeptJson::object();
    for (const HeadType& type : headTypes())
        if (thresholds.of(type.id) != Thresholds().of(type.id))
            moved[std::string(type.key)] = thresholds.of(type.id);
    return moved;
}

Thresholds thresholdsFrom(const JsonValue& moved) {
    Thresholds thresholds;
    for (const JsonMember& member : moved.members()) {
        const auto type = headTypeByKey(member.key);
        const auto value = member.value.number();
        if (type && value)
            thresholds.set(*type, std::clamp(*value, 0.0, 1.0));
    }
    return thresholds;
}

KeptJson squaresJson(bool flipped) {
    return flipped ? KeptJson(kFlippedSquares) : KeptJson(nullptr);
}

bool squaresFrom(const JsonValue& value) {
    return value.text() != nullptr && *value.text() == kFlippedSquares;
}

} // namespace headscope
