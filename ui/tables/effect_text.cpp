#include "ui/tables/effect_text.h"

#include "ui/tables/head_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace headscope::ui {

namespace {

struct EffectText {
    Q_DECLARE_TR_FUNCTIONS(EffectText)
};

} // namespace

QString verdictName(EffectVerdict verdict) {
    switch (verdict) {
    case EffectVerdict::Needed:
        return EffectText::tr("Needed");
    case EffectVerdict::Secondary:
        return EffectText::tr("Secondary");
    case EffectVerdict::Interferes:
        return EffectText::tr("Interferes");
    case EffectVerdict::None:
        return EffectText::tr("No effect found");
    case EffectVerdict::Undecided:
        break;
    }
    return EffectText::tr("Undecided");
}

QString effectLabels(const AblationEffect& effect) {
    QStringList names;
    for (const HeadTypeId label : effect.question.labels)
        names << typeName(label);
    return names.isEmpty() ? EffectText::tr("no type") : names.join(QStringLiteral(", "));
}

EffectVerdict clearestVerdict(std::span<const AblationEffect> effects) {
    for (const EffectVerdict verdict : {EffectVerdict::Needed, EffectVerdict::Interferes,
                                        EffectVerdict::Secondary, EffectVerdict::Undecided})
        if (std::ranges::find(effects, verdict, &AblationEffect::verdict) != effects.end())
            return verdict;
    return EffectVerdict::None;
}

} // namespace headscope::ui
