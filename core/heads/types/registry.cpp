#include "core/heads/types/registry.h"

#include <algorithm>
#include <array>

namespace headscope {

std::span<const HeadType> headTypes() {
    static const std::array all{kPreviousType,
                                kInductionType,
                                kDuplicateType,
                                kCurrentType,
                                kSinkType,
                                kDormantType,
                                kWritesNothingType,
                                kNextType,
                                kRareType,
                                kSubjectVerbType,
                                kVerbObjectType,
                                kAdverbType,
                                kCoreferenceType,
                                kWordClassType,
                                kPunctuationType,
                                kQuotationType,
                                kNameMoverType,
                                kNegativeNameMoverType,
                                kSInhibitionType,
                                kDuplicateNameType,
                                kCopyingType,
                                kCopyingWeightsType,
                                kPreviousWeightsType,
                                kInductionWeightsType,
                                kPositionalType,
                                kLocalType,
                                kLongRangeType,
                                kDiffuseType};
    return all;
}

const HeadType& headType(HeadTypeId id) {
    return *std::ranges::find(headTypes(), id, &HeadType::id);
}

std::optional<HeadTypeId> headTypeByKey(std::string_view key) {
    const auto found = std::ranges::find(headTypes(), key, &HeadType::key);
    if (found == headTypes().end())
        return std::nullopt;
    return found->id;
}

} // namespace headscope
