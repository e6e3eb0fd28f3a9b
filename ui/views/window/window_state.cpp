#include "ui/views/window/window_state.h"

#include "core/heads/head_type.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/pattern/pattern_view.h"

#include <QCoreApplication>
#include <QSettings>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
    pattern.showPage(storedChoice(pageKey(), PatternPage::Inside));
}

LastView lastView() {
    const QSettings settings;
    return {settings.value(modelKey()).toString(),
            settings.value(promptKey()).toString(),
            {settings.value(layerKey(), 0).toUInt(), settings.value(headKey(), 0).toUInt()}};
}

namespace {

struct ProjectText {
    Q_DECLARE_TR_FUNCTIONS(ProjectText)
};

// Names in files, by the order of the enumerations.
constexpr std::array<std::string_view, static_cast<std::size_t>(PatternPage::Inside) + 1>
    kPageNames{"heatmap", "all heads", "text", "lines", "why", "inside"};
constexpr std::array<std::string_view, 3> kMapNames{"attention", "value-weighted", "difference"};
constexpr std::array<std::string_view, 3> kFirstKeyNames{"automatic", "hidden", "shown"};
constexpr std::array<std::string_view, 2> kDirectionNames{"reads", "read by"};
constexpr std::array<std::string_view, 3> kScaleNames{"linear", "root", "logarithmic"};

template <class Choice>
void put(Project& project, const char* key, Choice choice,
         std::span<const std::string_view> names) {
    project.view[key] = names[static_cast<std::size_t>(choice)];
}

/// `choice` becomes what the project says, where it says something that this version knows.
template <class Choice>
void takeChoice(const Project& project, const char* key, Choice& choice,
                std::span<const std::string_view> names) {
    const auto found = project.view.find(key);
    if (found == project.view.end())
        return;
    const auto place = std::ranges::find(names, found->second);
    if (place != names.end())
        choice = static_cast<Choice>(place - names.begin());
}

/// How patterns are shown.
struct DrawnView {
    PatternSettings settings;
    TokenDirection direction{};
    PatternPage page{};
};

DrawnView drawnView(PatternView& pattern) {
    return {pattern.settings(), pattern.controls().direction(), pattern.page()};
}

void putView(Project& project, PatternView& pattern) {
    const DrawnView shown = drawnView(pattern);
    put(project, "page", shown.page, kPageNames);
    put(project, "direction", shown.direction, kDirectionNames);
    put(project, "map", shown.settings.map, kMapNames);
    put(project, "first key", shown.settings.first_key, kFirstKeyNames);
    if (shown.settings.scale)
        put(project, "scale", *shown.settings.scale, kScaleNames);
    project.view["rescale rows"] = shown.settings.rescale_rows ? "yes" : "no";
    project.view["own scale"] = shown.settings.own_scale ? "yes" : "no";
}

bool isYes(const Project& project, const char* key) {
    const auto found = project.view.find(key);
    return found != project.view.end() && found->second == "yes";
}

/// What a project says of it; the rest is as in `shown`.
DrawnView viewIn(const Project& project, DrawnView shown) {
    takeChoice(project, "map", shown.settings.map, kMapNames);
    takeChoice(project, "first key", shown.settings.first_key, kFirstKeyNames);
    shown.settings.scale.reset();
    if (project.view.contains("scale")) {
        ValueScale scale{};
        takeChoice(project, "scale", scale, kScaleNames);
        shown.settings.scale = scale;
    }
    shown.settings.rescale_rows = isYes(project, "rescale rows");
    shown.settings.own_scale = isYes(project, "own scale");
    takeChoice(project, "direction", shown.direction, kDirectionNames);
    takeChoice(project, "page", shown.page, kPageNames);
    return shown;
}

void applyView(const Project& project, PatternView& pattern) {
    const DrawnView shown = viewIn(project, drawnView(pattern));
    pattern.setSettings(shown.settings);
    pattern.controls().setDirection(shown.direction);
    pattern.showPage(shown.page);
}

/// Each once.
std::vector<LayerHead> presentHeads(const ModelSpec& spec, const std::vector<LayerHead>& heads) {
    std::set<LayerHead> seen;
    std::vector<LayerHead> present;
    std::ranges::copy_if(heads, std::back_inserter(present), [&](LayerHead head) {
        return spec.hasHead(head) && seen.insert(head).second;
    });
    return present;
}

HeadMask presentMask(const ModelSpec& spec, const HeadMask& mask) {
    HeadMask present;
    for (const auto& [head, kind] : mask.heads())
        if (spec.hasHead(head))
            present.set(head, kind);
    return present;
}

void applyHeads(const Project& project, Document& document) {
    const ModelSpec& spec = document.model()->spec;
    std::vector<LayerHead> ablated;
    for (const auto& [head, kind] : project.mask.heads())
        ablated.push_back(head);
    document.ablation().ablateOnly(presentHeads(spec, ablated), project.ablation_kind,
                                   ProjectText::tr("open the project"));
    std::vector<AblationStep> steps = project.undo_steps;
    for (AblationStep& step : steps)
        step.mask = presentMask(spec, step.mask);
    document.ablation().setUndoSteps(steps);
    std::vector<LayerHead> chosen = presentHeads(spec, project.chosen);
    if (!spec.hasHead(project.selected))
        return;
    if (std::ranges::find(chosen, project.selected) == chosen.end())
        chosen = {project.selected};
    document.selection().choose(chosen, project.selected);
}

} // namespace

Project choicesOf(const Document& document, PatternView& pattern) {
    Project choices;
    choices.bos = document.bosMode();
    choices.ablation_kind = document.ablation().kind();
    choices.thresholds = document.thresholds();
    putView(choices, pattern);
    return choices;
}

void applyChoices(const Project& choices, Document& document, PatternView& pattern) {
    document.setThresholds(choices.thresholds);
    if (!document.model() || document.model()->spec.bos_token)
        document.setBosMode(choices.bos);
    document.ablation().setKind(choices.ablation_kind);
    applyView(choices, pattern);
}

void keepSession(const Document& document, PatternView& pattern, const Project* own) {
    QSettings settings;
    if (const auto model = document.model()) {
        settings.setValue(modelKey(), QString::fromStdString(model->path.string()));
        settings.setValue(promptKey(), document.promptText());
        settings.setValue(layerKey(), static_cast<uint>(document.selection().head().layer));
        settings.setValue(headKey(), static_cast<uint>(document.selection().head().head));
    }
    const Project choices = own != nullptr ? *own : choicesOf(document, pattern);
    for (const HeadType& type : headTypes())
        settings.setValue(thresholdKey(type), choices.thresholds.of(type.id));
    settings.setValue(bosKey(), static_cast<int>(choices.bos));
    settings.setValue(sourceKey(), static_cast<int>(document.headScorer().source()));
    settings.setValue(ablationKey(), static_cast<int>(choices.ablation_kind));
    const DrawnView shown = viewIn(choices, drawnView(pattern));
    settings.setValue(pageKey(), static_cast<int>(shown.page));
    settings.setValue(directionKey(), static_cast<int>(shown.direction));
    settings.setValue(colourKey(), static_cast<int>(shown.settings.colours));
    settings.setValue(scaleKey(), shown.settings.own_scale);
    settings.setValue(firstKeyKey(), static_cast<int>(shown.settings.first_key));
    settings.setValue(rescaleKey(), shown.settings.rescale_rows);
    if (shown.settings.scale)
        settings.setValue(valueScaleKey(), static_cast<int>(*shown.settings.scale));
    else
        settings.remove(valueScaleKey());
}

Project projectOf(const Document& document, PatternView& pattern) {
    Project project = choicesOf(document, pattern);
    project.model_path = document.model()->path;
    project.model_name = document.model()->name;
    project.model_sha256 = document.model()->sha256;
    project.flip_square_matrices = document.loadOptions().flip_square_matrices;
    project.prompt = document.promptText().toStdString();
    if (document.comparison().isOn() && !document.comparison().otherModel())
        project.second_prompt = document.comparison().promptText().toStdString();
    for (const QString& prompt : document.promptHistory().prompts())
        project.earlier_prompts.push_back(prompt.toStdString());
    project.mask = document.ablation().mask();
    project.selected = document.selection().head();
    project.chosen = document.selection().chosen();
    project.locked_row = document.selection().lockedRow();
    project.notes = document.notes().notesForProject();
    return project;
}

Project contentOf(Project project) {
    project.view.clear();
    project.earlier_prompts.clear();
    project.undo_steps.clear();
    return project;
}

void applyProject(const Project& project, Document& document, PatternView& pattern) {
    document.setThresholds(project.thresholds);
    applyHeads(project, document);
    document.notes().setProjectNotes(project.notes);
    QStringList prompts{toQString(project.prompt)};
    for (const std::string& prompt : project.earlier_prompts)
        prompts << toQString(prompt);
    document.promptHistory().setProjectPrompts(prompts);
    if (project.second_prompt) {
        document.comparison().turnOn();
        document.comparison().setPromptText(toQString(*project.second_prompt));
    } else {
        document.comparison().turnOff();
    }
    applyView(project, pattern);
}

} // namespace headscope::ui
