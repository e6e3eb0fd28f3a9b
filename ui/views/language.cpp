#include "ui/views/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace headscope::ui {
namespace {

bool install(const QString& language, const QString& name, const QString& folder) {
    auto* texts = new QTranslator(QCoreApplication::instance());
    if (texts->load(QLocale(language), name, QStringLiteral("_"), folder))
        return QCoreApplication::installTranslator(texts);
    delete texts;
    return false;
}

} // namespace

void speakFirstOf(const QStringList& languages) {
    for (const QString& language : languages) {
        if (language == QStringLiteral("C") || QLocale(language).language() == QLocale::English)
            return;
        if (install(language, QStringLiteral("headscope"), QStringLiteral(":/translations"))) {
            // What Qt says itself, such as the buttons of its dialogs; not installed everywhere.
            install(language, QStringLiteral("qtbase"),
                    QLibraryInfo::path(QLibraryInfo::TranslationsPath));
            return;
        }
    }
}

} // namespace headscope::ui
