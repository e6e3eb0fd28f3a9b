#include "ui/document/sample_models.h"

#include "core/model/prompt.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QStringList>

#include <algorithm>

namespace headscope::ui {
namespace {

struct Sample {
    const char* name;
    const char* summary;
    const char* prompt;
};

constexpr auto kStory = "When Mary and John went to the store, John gave a drink to";

constexpr Sample kSamples[] = {
    {"gpt2-mini-6l", QT_TRANSLATE_NOOP("SampleModels", "GPT-2, 6 layers × 8 heads"), kStory},
    {"llama-mini-gqa-4l",
     QT_TRANSLATE_NOOP("SampleModels", "Llama, 4 × 8 heads sharing 2 KV heads"), kStory},
    {"bert-mini-4l", QT_TRANSLATE_NOOP("SampleModels", "BERT, 4 × 8 heads, reads both ways"),
     "When Mary and John went to the store, John gave a drink to [MASK]."},
    {"attn-only-2l", QT_TRANSLATE_NOOP("SampleModels", "attention only, 2 × 8 heads"), kStory},
    {"induction-circuit", QT_TRANSLATE_NOOP("SampleModels", "made by hand: every score is known"),
     "A B C D E A B C"},
    {"microgpt", QT_TRANSLATE_NOOP("SampleModels", "4192 parameters, first names"), "emma"},
    {"notebook", QT_TRANSLATE_NOOP("SampleModels", "one layer, two heads, published numbers"),
     "<BOS> I like transformers <EOS>"},
};

/// "0 1 2 3 …" for a model without a tokenizer.
QString countingPrompt(const ModelSpec& spec) {
    constexpr std::size_t kLongest = 8;
    QStringList ids;
    for (std::size_t id = 0; id < std::min({spec.d_vocab, spec.n_ctx, kLongest}); ++id)
        ids << QString::number(id);
    return ids.join(QLatin1Char(' '));
}

bool expresses(const Model& model, const QString& prompt) {
    return bool(promptFromInput(model, prompt.toStdString(), BosMode::Auto));
}

} // namespace

QList<SampleModel> sampleModels() {
    const QDir folder(QCoreApplication::applicationDirPath() +
                      QStringLiteral("/../share/headscope/sample_models"));
    QList<SampleModel> found;
    for (const Sample& sample : kSamples) {
        const QString name = QString::fromLatin1(sample.name);
        const QString path = folder.filePath(name + QStringLiteral(".h5"));
        if (QFile::exists(path))
            found.append({name, QDir::cleanPath(path),
                          QCoreApplication::translate("SampleModels", sample.summary)});
    }
    return found;
}

QString firstSampleModel() {
    const QList<SampleModel> samples = sampleModels();
    return samples.isEmpty() ? QString() : samples.first().path;
}

QString defaultPrompt(const Model& model) {
    if (!model.tokenizer)
        return countingPrompt(model.spec);
    for (const Sample& sample : kSamples)
        if (model.name == sample.name)
            return QString::fromUtf8(sample.prompt);
    const QString story = QString::fromUtf8(kStory);
    return expresses(model, story) ? story : QString();
}

} // namespace headscope::ui
