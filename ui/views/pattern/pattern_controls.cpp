#include "ui/views/pattern/pattern_controls.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pattern/outline_box.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/elided_text.h"

#include <QActionGroup>
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>

namespace headscope::ui {
namespace {

constexpr int kLeastZoom = 60; ///< pixels

QToolButton* controlButton(const char* name, const QString& text, const QString& tip,
                           QWidget* parent) {
    auto* button = new ElidedButton(parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setText(text);
    button->setToolTip(asTip(tip));
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace

PatternControls::PatternControls(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    makePages();
    makeDirections();
    makeSides();
    makeMaps();
    makeFirstKey();
    zoom_ = controlButton("resetZoom", tr("Reset zoom"),
                          tr("Show the whole pattern (double click, or 0)"), this);
    zoom_->setMinimumWidth(kLeastZoom);
    connect(zoom_, &QToolButton::clicked, this, &PatternControls::zoomResetRequested);
    layOut();
    showSettings();
    showPageControls();
    showSides();
    connect(&document_.comparison(), &Comparison::changed, this, &PatternControls::showSides);
}

void PatternControls::makePages() {
    page_switch_ = new QWidget(this);
    auto* row = new QHBoxLayout(page_switch_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    pages_ = new QButtonGroup(this);
    const std::tuple<PatternPage, const char*, QString, QString> pages[] = {
        {PatternPage::Heatmap, "oneHeadButton", tr("Heatmap"),
         tr("The pattern of the selected head")},
        {PatternPage::AllHeads, "allHeadsButton", tr("All heads"),
         tr("The patterns of all heads side by side")},
        {PatternPage::Text, "textButton", tr("Text"),
         tr("The prompt as text, tinted by where the chosen heads look")},
        {PatternPage::Lines, "linesButton", tr("Lines"),
         tr("Lines from each token to those that the chosen heads look at")},
        {PatternPage::Why, "whyButton", tr("Why"),
         tr("Why the selected head looks from one token to another, and where that came from")},
        {PatternPage::Inside, "insideButton", tr("Inside"),
         tr("What the selected head computes for one token, step by step, with every number")}};
    for (const auto& [page, name, text, tip] : pages) {
        QToolButton* button = controlButton(name, text, tip, page_switch_);
        button->setCheckable(true);
        pages_->addButton(button, static_cast<int>(page));
        row->addWidget(button);
    }
    pages_->button(static_cast<int>(PatternPage::Heatmap))->setChecked(true);
    row->addStretch(1);
    connect(pages_, &QButtonGroup::idToggled, this, [this](int, bool is_on) {
        if (!is_on)
            return;
        showPageControls();
        emit pageChanged();
    });
}

void PatternControls::makeDirections() {
    directions_ = new QButtonGroup(this);
    const std::tuple<TokenDirection, const char*, QString, QString> directions[] = {
        {TokenDirection::Reads, "readsButton", tr("Reads"),
         tr("Tint the tokens that the token under the pointer looks at")},
        {TokenDirection::ReadBy, "readByButton", tr("Read by"),
         tr("Tint the tokens that look at the token under the pointer")}};
    for (const auto& [direction, name, text, tip] : directions) {
        QToolButton* button = controlButton(name, text, tip, page_switch_);
        button->setCheckable(true);
        directions_->addButton(button, static_cast<int>(direction));
        page_switch_->layout()->addWidget(button);
    }
    directions_->button(static_cast<int>(TokenDirection::Reads))->setChecked(true);
    connect(directions_, &QButtonGroup::idToggled, this, [this](int, bool is_on) {
        if (is_on)
            emit directionChanged();
    });
}

void PatternControls::makeSides() {
    sides_ = new QButtonGroup(this);
    const std::tuple<Side, const char*, QString> sides[] = {
        {Side::A, "sideA", tr("Show the prompt above (Ctrl+B for the next)")},
        {Side::B, "sideB", tr("Show what it is compared with (Ctrl+B for the next)")},
        {Side::Difference, "sideDifference",
         tr("Show B less A at the tokens of A (Ctrl+B for the next)")}};
    for (const auto& [side, name, tip] : sides) {
        QToolButton* button = controlButton(name, sideName(side), tip, page_switch_);
        button->setCheckable(true);
        sides_->addButton(button, static_cast<int>(side));
        page_switch_->layout()->addWidget(button);
    }
    connect(sides_, &QButtonGroup::idClicked, this,
            [this](int side) { document_.showSide(static_cast<Side>(side)); });
}

void PatternControls::showSides() {
    sides_->button(static_cast<int>(document_.comparison().side()))->setChecked(true);
    for (QAbstractButton* button : sides_->buttons())
        button->setVisible(document_.comparison().isOn());
}

void PatternControls::showPageControls() {
    const bool is_heatmap = page() == PatternPage::Heatmap;
    outline_->setEnabled(is_heatmap);
    zoom_->setEnabled(is_heatmap);
    colours_->setEnabled(is_heatmap || page() == PatternPage::AllHeads);
    for (QAbstractButton* button : directions_->buttons())
        button->setVisible(page() == PatternPage::Text);
}

void PatternControls::makeMaps() {
    map_ = new QComboBox(this);
    map_->setObjectName(QStringLiteral("patternMap"));
    map_->setAccessibleName(tr("Map"));
    map_->setToolTip(tr("Attention: where the head looks, A[q, k]. Value-weighted: what reaches "
                        "the query from each key, A[q, k]·‖v_k W_O‖ (Kobayashi et al. 2020), each "
                        "row divided by its sum; a key with a small value fades. Difference: "
                        "attention with the ablated heads less attention of the whole model."));
    for (const PatternMap map :
         {PatternMap::Attention, PatternMap::Difference, PatternMap::ValueWeighted})
        map_->addItem(patternMapName(map), static_cast<int>(map));
    connect(map_, &QComboBox::currentIndexChanged, this, [this] {
        PatternSettings changed = settings_;
        changed.map = static_cast<PatternMap>(map_->currentData().toInt());
        change(changed);
    });
    outline_ = new OutlineBox(document_, this);
    connect(outline_, &QComboBox::currentIndexChanged, this, &PatternControls::outlineChanged);
    colours_ = new QComboBox(this);
    colours_->setObjectName(QStringLiteral("colourMap"));
    colours_->setAccessibleName(tr("Colours"));
    colours_->setToolTip(tr("Colours of the weights"));
    for (const ColourMap map : sequentialColourMaps())
        colours_->addItem(colourMapName(map), static_cast<int>(map));
    connect(colours_, &QComboBox::currentIndexChanged, this, [this] {
        PatternSettings changed = settings_;
        changed.colours = static_cast<ColourMap>(colours_->currentData().toInt());
        change(changed);
    });
}

template <class Choice>
void PatternControls::addChoices(
    QMenu* menu, Choice PatternSettings::*field,
    std::initializer_list<std::tuple<const char*, QString, Choice>> choices) {
    auto* group = new QActionGroup(menu);
    for (const auto& [name, text, choice] : choices) {
        QAction* action = menu->addAction(text);
        action->setObjectName(QString::fromLatin1(name));
        action->setCheckable(true);
        group->addAction(action);
        checks_.append(
            {action, [this, field, choice = choice] { return settings_.*field == choice; }});
        connect(action, &QAction::triggered, this, [this, field, choice = choice] {
            PatternSettings changed = settings_;
            changed.*field = choice;
            change(changed);
        });
    }
}

void PatternControls::addSwitch(QMenu* menu, const char* name, const QString& text,
                                const QString& tip, bool PatternSettings::*field) {
    QAction* action = menu->addAction(text);
    action->setObjectName(QString::fromLatin1(name));
    action->setCheckable(true);
    action->setToolTip(asTip(tip));
    checks_.append({action, [this, field] { return settings_.*field; }});
    connect(action, &QAction::triggered, this, [this, field](bool on) {
        PatternSettings changed = settings_;
        changed.*field = on;
        change(changed);
    });
}

void PatternControls::makeFirstKey() {
    first_key_ = controlButton("firstKey", tr("Hide first key"), QString(), this);
    first_key_->setCheckable(true);
    first_key_->setPopupMode(QToolButton::MenuButtonPopup);
    auto* menu = new QMenu(first_key_);
    menu->setToolTipsVisible(true);
    menu->addSection(tr("First key"));
    addChoices<FirstKey>(
        menu, &PatternSettings::first_key,
        {{"firstKeyAutomatic", tr("Hide It &Where It Holds More Than Half"), FirstKey::Automatic},
         {"firstKeyHidden", tr("&Hide It"), FirstKey::Hidden},
         {"firstKeyShown", tr("&Show It"), FirstKey::Shown}});
    addSwitch(menu, "rescaleRows", tr("&Rescale Rows to What Is Left"),
              tr("Without the first key: each row divided by the sum of what it gives to others"),
              &PatternSettings::rescale_rows);
    menu->addSection(tr("Colour scale"));
    addChoices<std::optional<ValueScale>>(
        menu, &PatternSettings::scale,
        {{"scaleAutomatic", tr("&Automatic: Finer Without the First Key"), std::nullopt},
         {"scaleLinear", tr("&Linear"), ValueScale::Linear},
         {"scaleSquareRoot", tr("S&quare Root"), ValueScale::SquareRoot},
         {"scaleLogarithmic", tr("Lo&garithmic"), ValueScale::Logarithmic}});
    addSwitch(menu, "ownScale", tr("&Own Scale"),
              tr("Stretch the colours to the largest weight of this head. Off: the same scale 0 to "
                 "1 for every head, so that pictures can be compared."),
              &PatternSettings::own_scale);
    first_key_->setMenu(menu);
    connect(first_key_, &QToolButton::clicked, this, &PatternControls::toggleFirstKey);
}

void PatternControls::layOut() {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    for (QWidget* widget : {static_cast<QWidget*>(map_), static_cast<QWidget*>(outline_),
                            static_cast<QWidget*>(colours_), static_cast<QWidget*>(first_key_),
                            static_cast<QWidget*>(zoom_)})
        layout->addWidget(widget);
    for (QComboBox* box : {map_, static_cast<QComboBox*>(outline_), colours_})
        letShrink(box);
    layout->addStretch(1);
}

void PatternControls::change(const PatternSettings& settings) {
    if (settings == settings_)
        return;
    settings_ = settings;
    showSettings();
    emit settingsChanged();
}

void PatternControls::setSettings(const PatternSettings& settings) {
    change(settings);
}

void PatternControls::showSettings() {
    const QSignalBlocker quiet_map(map_);
    const QSignalBlocker quiet_colours(colours_);
    map_->setCurrentIndex(qMax(0, map_->findData(static_cast<int>(settings_.map))));
    colours_->setCurrentIndex(qMax(0, colours_->findData(static_cast<int>(settings_.colours))));
    for (const auto& [action, is_on] : checks_)
        action->setChecked(is_on());
}

void PatternControls::showFirstKey(bool hidden, double share) {
    const bool automatic = settings_.first_key == FirstKey::Automatic;
    first_key_hidden_ = hidden;
    first_key_->setChecked(hidden);
    first_key_->setEnabled(settings_.map != PatternMap::Difference && !document_.shown().other);
    first_key_->setToolTip(asTip(
        tr("The first key holds %1 of the attention shown, and is %2%3. Click to %4; the arrow "
           "offers rescaling and other colour scales.")
            .arg(percentText(share), hidden ? tr("hidden") : tr("shown"),
                 automatic ? tr(" (by itself, as it holds more or less than half)") : QString(),
                 hidden ? tr("show it") : tr("hide it"))));
}

void PatternControls::toggleFirstKey() {
    PatternSettings changed = settings_;
    // The button itself has changed already when it was clicked.
    changed.first_key = first_key_hidden_ ? FirstKey::Shown : FirstKey::Hidden;
    change(changed);
}

PatternPage PatternControls::page() const {
    return static_cast<PatternPage>(pages_->checkedId());
}

void PatternControls::showPage(PatternPage page) {
    pages_->button(static_cast<int>(page))->setChecked(true);
}

TokenDirection PatternControls::direction() const {
    return static_cast<TokenDirection>(directions_->checkedId());
}

void PatternControls::setDirection(TokenDirection direction) {
    directions_->button(static_cast<int>(direction))->setChecked(true);
}

} // namespace headscope::ui
