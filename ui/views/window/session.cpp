#include "ui/views/window/session.h"

#include "core/heads/head_type.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/pattern/pattern_view.h"

#include <QSettings>

#include <algorithm>

namespace headscope::ui {
namespace {

QString modelKey() {
    return QStringLiteral("session/model");
}
QString promptKey() {
    return QStringLiteral("session/prompt");
}
QString layerKey() {
    return QStringLiteral("session/layer");
}
QString headKey() {
    return QStringLiteral("session/head");
}
QString bosKey() {
    return QStringLiteral("session/bos");
}
QString sourceKey() {
    return QStringLiteral("session/scoreSource");
}
QString ablationKey() {
    return QStringLiteral("session/ablation");
}
QString pageKey() {
    return QStringLiteral("view/page");
}
QString directionKey() {
    return QStringLiteral("view/direction");
}
QString colourKey() {
    return QStringLiteral("view/colourMap");
}
QString scaleKey() {
    return QStringLiteral("view/ownScale");
}

QString firstKeyKey() {
    return QStringLiteral("view/firstKey");
}
QString rescaleKey() {
    return QStringLiteral("view/rescaleRows");
}
QString valueScaleKey() {
    return QStringLiteral("view/valueScale");
}

QString thresholdKey(const HeadType& type) {
    return QStringLiteral("thresholds/") + toQString(type.key);
}

/// A stored choice, or the first one when the settings hold nonsense.
template <class Choice>
Choice storedChoice(const QString& key, Choice last) {
    const int value = QSettings().value(key, 0).toInt();
    return value >= 0 && value <= static_cast<int>(last) ? static_cast<Choice>(value) : Choice{};
}

PatternSettings storedPatternSettings() {
    PatternSettings settings;
    settings.colours = storedChoice(colourKey(), ColourMap::Greys);
    settings.own_scale = QSettings().value(scaleKey(), false).toBool();
    settings.first_key = storedChoice(firstKeyKey(), FirstKey::Shown);
    settings.rescale_rows = QSettings().value(rescaleKey(), false).toBool();
    if (QSettings().contains(valueScaleKey()))
        settings.scale = storedChoice(valueScaleKey(), ValueScale::Logarithmic);
    return settings;
}

Thresholds storedThresholds() {
    const QSettings settings;
    Thresholds thresholds;
    for (const HeadType& type : headTypes()) {
        bool ok = false;
        const double value = settings.value(thresholdKey(type)).toDouble(&ok);
        if (ok)
            thresholds.set(type.id, std::clamp(value, 0.0, 1.0));
    }
    return thresholds;
}

} // namespace

void restoreChoices(Document& document, PatternView& pattern) {
    document.setThresholds(storedThresholds());
    document.setBosMode(storedChoice(bosKey(), BosMode::No));
    document.setScoreSource(storedChoice(sourceKey(), ScoreSource::Prompt));
    document.ablation().setKind(storedChoice(ablationKey(), AblationKind::Mean));
    pattern.setSettings(storedPatternSettings());
    pattern.controls().setDirection(storedChoice(directionKey(), TokenDirection::ReadBy));
    pattern.showPage(storedChoice(pageKey(), PatternPage::Why));
}

LastView lastView() {
    const QSettings settings;
    return {settings.value(modelKey()).toString(),
            settings.value(promptKey()).toString(),
            {settings.value(layerKey(), 0).toUInt(), settings.value(headKey(), 0).toUInt()}};
}

void keepSession(const Document& document, PatternView& pattern) {
    QSettings settings;
    if (const auto model = document.model()) {
        settings.setValue(modelKey(), QString::fromStdString(model->path.string()));
        settings.setValue(promptKey(), document.promptText());
        settings.setValue(layerKey(), static_cast<uint>(document.selection().head().layer));
        settings.setValue(headKey(), static_cast<uint>(document.selection().head().head));
    }
    for (const HeadType& type : headTypes())
        settings.setValue(thresholdKey(type), document.thresholds().of(type.id));
    settings.setValue(bosKey(), static_cast<int>(document.bosMode()));
    settings.setValue(sourceKey(), static_cast<int>(document.headScorer().source()));
    settings.setValue(ablationKey(), static_cast<int>(document.ablation().kind()));
    const PatternSettings& shown = pattern.settings();
    settings.setValue(pageKey(), static_cast<int>(pattern.page()));
    settings.setValue(directionKey(), static_cast<int>(pattern.controls().direction()));
    settings.setValue(colourKey(), static_cast<int>(shown.colours));
    settings.setValue(scaleKey(), shown.own_scale);
    settings.setValue(firstKeyKey(), static_cast<int>(shown.first_key));
    settings.setValue(rescaleKey(), shown.rescale_rows);
    if (shown.scale)
        settings.setValue(valueScaleKey(), static_cast<int>(*shown.scale));
    else
        settings.remove(valueScaleKey());
}

} // namespace headscope::ui
