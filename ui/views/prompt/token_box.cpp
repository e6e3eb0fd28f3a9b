#include "ui/views/prompt/token_box.h"

#include "ui/document/attribution_reading.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"

#include <QLineEdit>

#include <utility>

namespace headscope::ui {
namespace {

constexpr int kTokenLetters = 20;

std::optional<TokenId> tokenIn(const QVariant& item) {
    return item.isValid() ? std::optional(item.value<TokenId>()) : std::nullopt;
}

} // namespace

TokenBox::TokenBox(QWidget* parent) : QComboBox(parent) {
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setCompleter(nullptr);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kTokenLetters);
    addItem(QString());
    connect(this, &QComboBox::activated, this,
            [this](int index) { choose(tokenIn(itemData(index))); });
    connect(lineEdit(), &QLineEdit::returnPressed, this, &TokenBox::takeTyped);
}

void TokenBox::setNoneText(const QString& text) {
    setItemText(0, text);
    setEditText(shownText());
}

void TokenBox::offer(std::shared_ptr<const Model> model,
                     const std::vector<Prediction>& predictions) {
    model_ = std::move(model);
    while (count() > 1)
        removeItem(1);
    for (const Prediction& prediction : predictions) {
        addItem(tokenText(*model_, prediction.id), QVariant::fromValue(prediction.id));
        setItemData(count() - 1, asTip(percentText(prediction.probability)), Qt::ToolTipRole);
    }
    setToken(token_);
}

void TokenBox::setToken(std::optional<TokenId> token) {
    token_ = token;
    setCurrentIndex(token ? findData(QVariant::fromValue(*token)) : 0);
    setEditText(shownText());
}

QString TokenBox::shownText() const {
    return token_ && model_ ? tokenText(*model_, *token_) : itemText(0);
}

void TokenBox::choose(std::optional<TokenId> token) {
    const bool changed = token != token_;
    setToken(token);
    if (changed)
        emit tokenChosen();
}

void TokenBox::takeTyped() {
    if (!model_ || currentText() == shownText())
        return;
    if (const int item = findText(currentText(), Qt::MatchExactly | Qt::MatchCaseSensitive);
        item >= 0)
        return choose(tokenIn(itemData(item)));
    const auto token = tokenOf(*model_, currentText());
    if (token)
        choose(*token);
    else
        emit refused(toQString(token.error().message));
}

} // namespace headscope::ui
