#include "core/heads/types/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace headscope {

std::span<const HeadType> headTypes() {
    static const std::array all{
        kPreviousType,    kInductionType,      kDuplicateType,       kCurrentType,
        kSinkType,        kDormantType,        kWritesNothingType,   kNextType,
        kRareType,        kSubjectVerbType,    kVerbObjectType,      kAdverbType,
        kCoreferenceType, kWordClassType,      kPunctuationType,     kQuotationType,
        kSubwordType,     kRetrievalType,      kNameMoverType,       kNegativeNameMoverType,
        kSInhibitionType, kDuplicateNameType,  kCopyingType,         kCopySuppressionType,
        kSuccessorType,   kCopyingWeightsType, kPreviousWeightsType, kInductionWeightsType,
        kPositionalType,  kLocalType,          kLongRangeType,       kDiffuseType};
    return all;
}

const HeadType& headType(HeadTypeId id) {
    return *std::ranges::find(headTypes(), id, &HeadType::id);
}

std::string scoreName(const HeadScore& score) {
    const HeadType& type = headType(score.type);
    std::string name(type.name);
    if (!type.variant_is_offset || std::isnan(score.variant))
        return name;
    const long offset = std::lround(score.variant);
    return name + (offset < 0 ? " −" : " +") + std::to_string(std::abs(offset));
}

std::optional<HeadTypeId> headTypeByKey(std::string_view key) {
    const auto found = std::ranges::find(headTypes(), key, &HeadType::key);
    if (found == headTypes().end())
        return std::nullopt;
    return found->id;
}

} // namespace headscope
