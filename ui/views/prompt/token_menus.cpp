#include "ui/views/prompt/token_menus.h"

#include "core/model/prompt.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/prompt/prompt_strip.h"
#include "ui/views/prompt/prompt_text.h"
#include "ui/widgets/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QMenu>

#include <utility>

namespace headscope::ui {
namespace {

struct TokenMenus {
    Q_DECLARE_TR_FUNCTIONS(TokenMenus)
};

void addCopy(QMenu& menu, const char* name, const QString& text, const QString& copied) {
    menu.addAction(text, &menu, [copied] { QApplication::clipboard()->setText(copied); })
        ->setObjectName(QLatin1String(name));
}

void openTokenMenu(PromptStrip& strip, qsizetype chip, QPoint global) {
    const std::shared_ptr<const RunResult> run = strip.run();
    const Model& model = *run->full->model;
    const TokenId id = run->prompt.ids[static_cast<std::size_t>(chip)];
    QMenu menu(&strip);
    menu.setObjectName(QStringLiteral("tokenMenu"));
    addCopy(menu, "copyToken", TokenMenus::tr("&Copy ‹%1›").arg(asCaption(shownToken(model, id))),
            toQString(tokenPiece(model, id)));
    addCopy(menu, "copyTokenId", TokenMenus::tr("Copy &Id %1").arg(id), QString::number(id));
    menu.addSeparator();
    menu.addAction(strip.current() == chip ? TokenMenus::tr("Un&lock Its Row")
                                           : TokenMenus::tr("&Lock Its Row"),
                   &strip,
                   [&strip, run, chip] {
                       if (strip.run() == run) // another may have come while the menu was open
                           emit strip.chipClicked(chip);
                   })
        ->setObjectName(QStringLiteral("lockTokenRow"));
    menu.exec(global);
}

void addAppends(QMenu& menu, const RunResult& result, const std::function<void(QString)>& append) {
    const Model& model = *result.full->model;
    if (!model.spec.predictsNextToken())
        return;
    menu.addSeparator();
    for (const Prediction& prediction : result.predictions)
        if (const QString text = toQString(typedPiece(model, prediction.id)); !text.isEmpty())
            menu.addAction(
                    TokenMenus::tr("Append ‹%1›").arg(asCaption(shownToken(model, prediction.id))),
                    &menu, [append, text] { append(text); })
                ->setObjectName(QStringLiteral("appendToken"));
}

} // namespace

void offerTokenMenu(PromptStrip& strip) {
    QObject::connect(&strip, &TokenStrip::contextMenuRequested, &strip,
                     [&strip](qsizetype chip, QPoint at) { openTokenMenu(strip, chip, at); });
}

void offerPredictionMenu(QLabel& label, ShownRun shown, std::function<void(QString)> append) {
    label.setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(&label, &QWidget::customContextMenuRequested, &label,
                     [&label, shown = std::move(shown), append = std::move(append)](QPoint at) {
                         QMenu menu(&label);
                         menu.setObjectName(QStringLiteral("predictionMenu"));
                         addCopy(menu, "copyPredictions", TokenMenus::tr("&Copy"),
                                 label.accessibleName());
                         if (const auto result = shown(); result && append)
                             addAppends(menu, *result, append);
                         menu.setToolTipsVisible(true);
                         menu.addActions(label.actions());
                         menu.exec(label.mapToGlobal(at));
                     });
}

} // namespace headscope::ui
