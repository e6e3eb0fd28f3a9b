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
    QT_TRANSLATE_NOOP("CoreText", "sentences that come earlier in a text"),
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
    QT_TRANSLATE_NOOP("CoreText", "%1 sentences that come again, seed %2"),
    QT_TRANSLATE_NOOP("CoreText", "%1 ordinals"),
    QT_TRANSLATE_NOOP("CoreText", "the weights"),
    QT_TRANSLATE_NOOP("CoreText", "this prompt of %1"),
    QT_TRANSLATE_NOOP("CoreText", "1 token"),
    QT_TRANSLATE_NOOP("CoreText", "%1 tokens"),
    QT_TRANSLATE_NOOP("CoreText", "with BOS (id %1)"),
    QT_TRANSLATE_NOOP("CoreText", "without BOS"),
    QT_TRANSLATE_NOOP("CoreText", "%1 of %2 labels"),
    QT_TRANSLATE_NOOP("CoreText", "pattern"),
    QT_TRANSLATE_NOOP("CoreText", "specific"),
    QT_TRANSLATE_NOOP("CoreText", "writes"),
    QT_TRANSLATE_NOOP("CoreText", "needed"),
    QT_TRANSLATE_NOOP("CoreText", "transfers"),
    QT_TRANSLATE_NOOP("CoreText", "stable"),
    QT_TRANSLATE_NOOP("CoreText", "passed"),
    QT_TRANSLATE_NOOP("CoreText", "failed"),
    QT_TRANSLATE_NOOP("CoreText", "undecided"),
    QT_TRANSLATE_NOOP("CoreText", "untested"),
    QT_TRANSLATE_NOOP("CoreText", "not asked"),
    QT_TRANSLATE_NOOP("CoreText", "cause"),
    QT_TRANSLATE_NOOP("CoreText", "secondary"),
    QT_TRANSLATE_NOOP("CoreText", "correlate: pattern only"),
    QT_TRANSLATE_NOOP("CoreText", "interferer"),
    QT_TRANSLATE_NOOP("CoreText", "description"),
    QT_TRANSLATE_NOOP("CoreText",
                      "Whether the head attends, or its weights act, as the type says."),
    QT_TRANSLATE_NOOP("CoreText",
                      "Whether its score is larger than on input without what the type looks for."),
    QT_TRANSLATE_NOOP("CoreText", "Whether the head adds anything to the residual stream."),
    QT_TRANSLATE_NOOP(
        "CoreText",
        "Whether the model does worse without the head, on what the type is read from."),
    QT_TRANSLATE_NOOP("CoreText", "Whether the label holds on other input of this kind."),
    QT_TRANSLATE_NOOP(
        "CoreText",
        "Whether the label holds whichever sequences are drawn: in nine of ten resamples."),
    QT_TRANSLATE_NOOP("CoreText", "The model needs the head where it has this pattern."),
    QT_TRANSLATE_NOOP(
        "CoreText", "The model is worse without the head, but not clearly more than without others "
                    "near it, or only where the other heads with this label are ablated, too."),
    QT_TRANSLATE_NOOP(
        "CoreText",
        "Only the pattern is there: the model does not need the head for what the label says."),
    QT_TRANSLATE_NOOP("CoreText", "The model does better without the head."),
    QT_TRANSLATE_NOOP("CoreText", "The head was tested, and the figures leave it open."),
    QT_TRANSLATE_NOOP("CoreText", "Only the pattern was measured: the head was not ablated."),
    QT_TRANSLATE_NOOP("CoreText",
                      "The label says how attention is spread, that the head rests or writes "
                      "little, or what its weights could do, and claims no cause."),
    QT_TRANSLATE_NOOP(
        "CoreText",
        "Its score is %1; the type counts from %2 on, and a head that attends evenly has %3."),
    QT_TRANSLATE_NOOP("CoreText", "Its score is %1; the type counts from %2 on."),
    QT_TRANSLATE_NOOP("CoreText", "This type has no control."),
    QT_TRANSLATE_NOOP("CoreText", "No control was measured."),
    QT_TRANSLATE_NOOP("CoreText", "Its score is %1, and %2; the difference is at least %3 (95 %)."),
    QT_TRANSLATE_NOOP("CoreText", "%1 with the second copy in random order"),
    QT_TRANSLATE_NOOP("CoreText", "%1 with the tokens in random order"),
    QT_TRANSLATE_NOOP("CoreText", "%1 in random order"),
    QT_TRANSLATE_NOOP("CoreText", "%1 two tokens back"),
    QT_TRANSLATE_NOOP("CoreText", "%1 on the token before"),
    QT_TRANSLATE_NOOP("CoreText", "%1 on the second position"),
    QT_TRANSLATE_NOOP("CoreText", "%1 two tokens ahead"),
    QT_TRANSLATE_NOOP("CoreText", "%1 on the most common token"),
    QT_TRANSLATE_NOOP("CoreText", "%1 from the beginning of a word, on the word before"),
    QT_TRANSLATE_NOOP("CoreText", "%1 on the other name"),
    QT_TRANSLATE_NOOP("CoreText", "%1 on the first mention"),
    QT_TRANSLATE_NOOP("CoreText", "%1 with three different names"),
    QT_TRANSLATE_NOOP("CoreText", "%1 with that sentence in random order where it comes first"),
    QT_TRANSLATE_NOOP("CoreText", "%1 on the word itself, the one before or two after"),
    QT_TRANSLATE_NOOP("CoreText", "It writes nothing, wherever it looks."),
    QT_TRANSLATE_NOOP("CoreText", "What it writes was not measured."),
    QT_TRANSLATE_NOOP("CoreText", "It writes at least as much as the mean of its layer's heads."),
    QT_TRANSLATE_NOOP("CoreText", "It writes %1 % of the mean of its layer's heads."),
    QT_TRANSLATE_NOOP("CoreText", "The head was not ablated."),
    QT_TRANSLATE_NOOP("CoreText", "It is read from weights, and not from input."),
    QT_TRANSLATE_NOOP("CoreText", "It was not read on other input."),
    QT_TRANSLATE_NOOP(
        "CoreText",
        "It holds on %1 of %2 sets of other input, and has its least score, %3, on %4."),
    QT_TRANSLATE_NOOP(
        "CoreText", "It holds on %1 of %2 sets of other input, and shows nothing to judge on %3."),
    QT_TRANSLATE_NOOP(
        "CoreText", "It holds on %1 of 1 set of other input, and has its least score, %2, on %3."),
    QT_TRANSLATE_NOOP("CoreText",
                      "It holds on %1 of 1 set of other input, and shows nothing to judge on %2."),
    QT_TRANSLATE_NOOP("CoreText", "Not tested on other input: %1"),
    QT_TRANSLATE_NOOP("CoreText", "It is read from weights, which are the same each time."),
    QT_TRANSLATE_NOOP("CoreText", "It was not read on resamples."),
    QT_TRANSLATE_NOOP("CoreText", "It holds in %1 % of %2 resamples."),
    QT_TRANSLATE_NOOP("CoreText", "It holds in %1 % of 1 resample."),
    QT_TRANSLATE_NOOP("CoreText", "tokens of the lower half of the vocabulary"),
    QT_TRANSLATE_NOOP("CoreText", "tokens of the upper half of the vocabulary"),
    QT_TRANSLATE_NOOP("CoreText", "tokens of a bundled text"),
    QT_TRANSLATE_NOOP("CoreText", "tokens of your text"),
    QT_TRANSLATE_NOOP("CoreText", "repeats of %1"),
    QT_TRANSLATE_NOOP("CoreText", "sequences of %1"),
    QT_TRANSLATE_NOOP("CoreText", "bundled sentences %1 to %2"),
    QT_TRANSLATE_NOOP("CoreText", "sentences that come again, %1 to %2"),
    QT_TRANSLATE_NOOP("CoreText", "ordinals %1 to %2"),
    QT_TRANSLATE_NOOP("CoreText", "prompts of templates %1 and %2"),
    QT_TRANSLATE_NOOP("CoreText", "prompts of template %1"),
    QT_TRANSLATE_NOOP("CoreText", "of the model’s %1 labels, about %2 are expected to be chance "
                                  "(Benjamini–Hochberg, %3 tests)"),
    QT_TRANSLATE_NOOP("CoreText", "of the model’s %1 labels, fewer than %2 are expected to be "
                                  "chance (Benjamini–Hochberg, %3 tests)"),
};

struct Known {
    const char* text = nullptr;
    QRegularExpression pattern; ///< with what replaces %1 and so on captured
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
