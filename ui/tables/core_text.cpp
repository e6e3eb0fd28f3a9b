#include "ui/tables/core_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <array>
#include <vector>

namespace headscope::ui {
namespace {

constexpr const char* kContext = "CoreText";

/// As core writes them, with %1 and %2 for names and numbers. Of two that fit, the first is meant.
constexpr std::array kTexts{
    QT_TRANSLATE_NOOP("CoreText", "%1, about %2 left"),
    QT_TRANSLATE_NOOP("CoreText", "layer %1 of %2"),
    QT_TRANSLATE_NOOP("CoreText", "opening %1"),
    QT_TRANSLATE_NOOP("CoreText", "ready"),
    QT_TRANSLATE_NOOP("CoreText", "hashing the file"),
    QT_TRANSLATE_NOOP("CoreText", "writing %1"),
    QT_TRANSLATE_NOOP("CoreText", "written"),
    QT_TRANSLATE_NOOP("CoreText", "scoring heads"),
    QT_TRANSLATE_NOOP("CoreText", "scoring heads, sequence %1 of %2"),
    QT_TRANSLATE_NOOP("CoreText", "what heads do with names"),
    QT_TRANSLATE_NOOP("CoreText", "looking for examples, sequence %1 of %2"),
    QT_TRANSLATE_NOOP("CoreText", "reading examples"),
    QT_TRANSLATE_NOOP("CoreText", "reading examples, sequence %1 of %2"),
    QT_TRANSLATE_NOOP("CoreText", "examples of head %1"),
    QT_TRANSLATE_NOOP("CoreText", "reading weights"),
    QT_TRANSLATE_NOOP("CoreText", "reading depth %1"),
    QT_TRANSLATE_NOOP("CoreText", "reading %1"),
    QT_TRANSLATE_NOOP("CoreText", "ablating %1 and heads near it, sequence %2"),
    QT_TRANSLATE_NOOP("CoreText", "token %1 of %2"),
    QT_TRANSLATE_NOOP("CoreText", "prompt %1 of %2"),
    QT_TRANSLATE_NOOP("CoreText", "thumbnails"),
    QT_TRANSLATE_NOOP("CoreText", "the whole model"),
    QT_TRANSLATE_NOOP("CoreText", "gradients of the gates"),
    QT_TRANSLATE_NOOP("CoreText", "gradients of the KL"),
    QT_TRANSLATE_NOOP("CoreText", "queries, keys and values"),
    QT_TRANSLATE_NOOP("CoreText", "statistics of all heads"),
    QT_TRANSLATE_NOOP("CoreText", "%1: %2 removed"),
    QT_TRANSLATE_NOOP("CoreText", "comparing the smaller model with the masked one"),
    QT_TRANSLATE_NOOP("CoreText", "embedding and unembedding"),
    QT_TRANSLATE_NOOP("CoreText", "eigenvalues of layer %1"),
    QT_TRANSLATE_NOOP("CoreText", "copying accuracy"),
    QT_TRANSLATE_NOOP("CoreText", "composition of layer %1"),
    QT_TRANSLATE_NOOP("CoreText", "positions in layer %1"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 ablations"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 steps"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 patches"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 circuits"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 edges"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 changed layers"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 runs"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 paths"),
    QT_TRANSLATE_NOOP("CoreText", "%1 random sequence of %2, repeated, seed %3"),
    QT_TRANSLATE_NOOP("CoreText", "%1 random sequences of %2, repeated, seed %3"),
    QT_TRANSLATE_NOOP("CoreText", "%1 random sequence of %2, none twice, seed %3"),
    QT_TRANSLATE_NOOP("CoreText", "%1 random sequences of %2, none twice, seed %3"),
    QT_TRANSLATE_NOOP("CoreText", "%1 bundled sentences"),
    QT_TRANSLATE_NOOP("CoreText", "%1 indirect-object prompts, seed %2"),
    QT_TRANSLATE_NOOP("CoreText", "the weights"),
    QT_TRANSLATE_NOOP("CoreText", "this prompt of %1"),
    QT_TRANSLATE_NOOP("CoreText", "1 token"),
    QT_TRANSLATE_NOOP("CoreText", "%1 tokens"),
    QT_TRANSLATE_NOOP("CoreText", "with BOS (id %1)"),
    QT_TRANSLATE_NOOP("CoreText", "without BOS"),
};

struct Known {
    const char* text = nullptr;
    QRegularExpression pattern; ///< with what stands for %1, %2 and %3 captured
};

Known knownAs(const char* text) {
    static const QRegularExpression place(QStringLiteral("\\\\%\\d"));
    QString pattern = QRegularExpression::escape(QLatin1String(text));
    pattern.replace(place, QStringLiteral("(.+)"));
    return {text, QRegularExpression(QRegularExpression::anchoredPattern(pattern))};
}

const std::vector<Known>& knownTexts() {
    static const std::vector<Known> known = [] {
        std::vector<Known> all;
        all.reserve(kTexts.size());
        for (const char* text : kTexts)
            all.push_back(knownAs(text));
        return all;
    }();
    return known;
}

} // namespace

QString coreText(const QString& text) {
    for (const Known& known : knownTexts()) {
        const auto match = known.pattern.match(text);
        if (!match.hasMatch())
            continue;
        QString translated = QCoreApplication::translate(kContext, known.text);
        for (const QString& part : match.capturedTexts().mid(1))
            translated = translated.arg(coreText(part));
        return translated;
    }
    return text;
}

} // namespace headscope::ui
