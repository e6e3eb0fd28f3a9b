#include "ui/document/pruning_command.h"

#include "core/base/text.h"
#include "ui/tables/head_text.h"

#include <QStringList>

#include <algorithm>

namespace headscope::ui {
namespace {

/// "gradient,random:10"
QString ordersText(const PruningCommand& command) {
    QStringList orders;
    int random = 0;
    for (const OrderSpec& order : command.question.orders) {
        if (order.kind == OrderKind::Random)
            ++random;
        else if (order.kind == OrderKind::OwnList)
            orders << QStringLiteral("list:") + command.list_file;
        else
            orders << toQString(order.name());
    }
    if (random > 0)
        orders << QStringLiteral("random:%1").arg(random);
    return orders.join(QLatin1Char(','));
}

QString protectedText(const HeadSet& heads) {
    QStringList names;
    for (const LayerHead head : heads)
        names << toQString(headText(head));
    return names.join(QLatin1Char(','));
}

} // namespace

QString commandLine(const PruningCommand& command) {
    QStringList words{QStringLiteral("headscope-cli"), QStringLiteral("prune"), command.model};
    const auto add = [&words](const char* option, const QString& value) {
        words << QString::fromLatin1(option) << value;
    };
    if (command.transposed)
        words << QStringLiteral("--flip-square");
    if (!command.calibration_file.isEmpty())
        add("--calibrate", command.calibration_file);
    if (!command.test_file.isEmpty())
        add("--test", command.test_file);
    const PruningTextQuestion& texts = command.texts;
    add("--calibrate-tokens", QString::number(texts.calibration_tokens));
    add("--test-tokens", QString::number(texts.test_tokens));
    add("--length", QString::number(texts.length));
    add("--seed", QString::number(texts.seed));
    const PruningQuestion& question = command.question;
    add("--orders", ordersText(command));
    add("--points", QString::number(question.points));
    add("--unit", toQString(pruningUnitName(question.unit)));
    add("--least", QString::number(question.limits.least_per_layer));
    if (!question.limits.protected_heads.empty())
        add("--protect", protectedText(question.limits.protected_heads));
    add("--replace", toQString(replacementName(question.replacement)));
    add("--compensate", toQString(compensationName(question.compensation)));
    add("--tolerance", toQString(headscope::numberText(command.tolerance)));
    std::ranges::transform(words, words.begin(), [](const QString& word) {
        return toQString(shellWord(word.toStdString()));
    });
    return words.join(QLatin1Char(' '));
}

} // namespace headscope::ui
