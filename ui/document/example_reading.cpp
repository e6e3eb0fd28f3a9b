#include "ui/document/example_reading.h"

#include "core/export/analysis_calls.h"
#include "core/export/provenance.h"
#include "core/export/scan_parts.h"
#include "core/heads/sequences.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QStandardPaths>

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

constexpr int kScansEvery = 300;    ///< ms between parts that are shown
constexpr qsizetype kKeptScans = 8; ///< in the cache; the oldest go

/// Where what was scanned of a text is kept; makes the folder, and room in it.
std::filesystem::path placeInCache(const std::string& question) {
    const QString place = QStandardPaths::writableLocation(QStandardPaths::CacheLocation) +
                          QStringLiteral("/examples");
    const QDir folder(place);
    folder.mkpath(QStringLiteral("."));
    const QFileInfoList kept = folder.entryInfoList({QStringLiteral("*.parts")}, QDir::Files,
                                                    QDir::Time); // the newest first
    for (const QFileInfo& file : kept.mid(std::min(kKeptScans - 1, kept.size())))
        QFile::remove(file.filePath());
    const QByteArray key =
        QCryptographicHash::hash(QByteArray::fromStdString(question), QCryptographicHash::Sha256);
    return (place + QLatin1Char('/') + QString::fromLatin1(key.toHex().left(32)) +
            QStringLiteral(".parts"))
        .toStdString();
}

} // namespace

struct ExampleReading::Corpus {
    std::shared_ptr<const Model> model;
    std::string name; ///< what source() says
    std::vector<InputSequence> sequences;
};

/// The corpus comes first, and then what was scanned of it.
struct ExampleReading::Part {
    std::shared_ptr<const Corpus> begun = {};
    CorpusScan scanned = {};
};

ExampleReading::ExampleReading(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
    connect(&document_, &Document::modelChanged, this, &ExampleReading::forget);
    for (JobRunner* runner : {&scanner_, &tester_})
        connect(runner, &JobRunner::busyChanged, this, &ExampleReading::stateChanged);
}

void ExampleReading::forget() {
    scanner_.cancel();
    reader_.cancel();
    tester_.cancel();
    corpus_.reset();
    folder_.reset();
    scan_ = {};
    list_.reset();
    effects_.clear();
    error_.clear();
    emit listChanged();
    emit stateChanged();
}

void ExampleReading::fail(const Error& error) {
    if (error.code == ErrorCode::Cancelled)
        return;
    error_ = toQString(error.message);
    emit stateChanged();
}

Result<std::shared_ptr<const ExampleReading::Corpus>>
ExampleReading::readCorpus(const std::shared_ptr<const Model>& model, const ExampleText& text,
                           BosMode bos) {
    auto sequences =
        textSequences(*model, text.text.text, bos, std::min(text.length, model->spec.n_ctx));
    if (!sequences)
        return sequences.error();
    auto share = evenShare(*std::move(sequences), text.most_tokens);
    std::string name = corpusText(*model, text.text.name, share);
    return std::make_shared<const Corpus>(Corpus{model, std::move(name), std::move(share)});
}

Result<void> ExampleReading::scanKept(const std::shared_ptr<const Corpus>& corpus,
                                      const Progress& progress, const std::stop_token& stop,
                                      const std::function<void(const Part&)>& publish) {
    ScanPartsFile file(placeInCache(scanQuestion(*corpus->model, corpus->sequences)),
                       *corpus->model, corpus->sequences);
    // Without what was kept, or without a place to keep it, everything is scanned anew.
    auto kept = file.read();
    CorpusScan begun = kept ? *std::move(kept) : CorpusScan();
    bool keeps = bool(file.begin(begun));
    publish({corpus, begun});
    Part part;
    QElapsedTimer since_part;
    since_part.start();
    const auto scanned = scanCorpus(corpus->model, corpus->sequences, std::move(begun), progress,
                                    stop, [&](const CorpusScan& added) -> Result<void> {
                                        keeps = keeps && bool(file.add(added));
                                        append(part.scanned, added);
                                        if (since_part.elapsed() >= kScansEvery) {
                                            publish(std::exchange(part, {}));
                                            since_part.restart();
                                        }
                                        return {};
                                    });
    publish(part);
    return scanned ? Result<void>() : scanned.error();
}

void ExampleReading::scan(ExampleText text) {
    forget();
    asked_ = {{}, text.length, text.most_tokens, text.file, text.is_pasted};
    bos_ = document_.bosMode();
    scanner_.startInParts<Part>(
        [model = document_.model(), text = std::move(text),
         bos = document_.bosMode()](const Progress& progress, const std::stop_token& stop,
                                    const auto& publish) -> Result<void> {
            const auto corpus = readCorpus(model, text, bos);
            if (!corpus)
                return corpus.error();
            return scanKept(*corpus, progress, stop, publish);
        },
        [this](const Part& part) { take(part); },
        [this](const Result<void>& scanned) {
            if (!scanned)
                fail(scanned.error());
            else
                document_.history().add(tr("Scanned %1 for examples").arg(source()), repetition());
            emit stateChanged();
        });
}

void ExampleReading::take(const Part& part) {
    if (part.begun)
        corpus_ = part.begun;
    if (part.scanned.size() > 0)
        append(scan_, part.scanned);
    read();
    emit stateChanged();
}

void ExampleReading::openFolder(const QString& folder) {
    forget();
    reader_.start(
        [path = folder.toStdString()](const Progress&, const std::stop_token&) {
            return HeadvisFolder::open(path);
        },
        [this, folder](Result<HeadvisFolder> opened) {
            if (!opened)
                return fail(opened.error());
            folder_ = std::make_shared<const HeadvisFolder>(*std::move(opened));
            folder_path_ = folder;
            read();
            emit stateChanged();
        });
}

void ExampleReading::setQuestion(const ExampleQuestion& question) {
    question_ = question;
    tester_.cancel();
    read();
}

void ExampleReading::read() {
    const LayerHead head = document_.selection().head();
    const auto done = [this, head](Result<ExampleList> list) {
        if (folder_) // which may hold no examples of one head; an end of the scan stays said
            error_.clear();
        list_.reset();
        if (list)
            list_ = *std::move(list);
        else
            fail(list.error());
        if (head != std::exchange(head_, head))
            tester_.cancel();
        emit listChanged();
    };
    if (folder_)
        return reader_.start(
            [folder = folder_, head, question = question_](
                const Progress&, const std::stop_token&) { return folder->read(head, question); },
            done);
    if (scan_.size() == 0 || !scan_.heads().contains(head))
        return;
    reader_.start(
        [corpus = corpus_, scan = scan_[head],
         question = question_](const Progress&, const std::stop_token&) -> Result<ExampleList> {
            return exampleList(*corpus->model, corpus->sequences, scan, question);
        },
        done);
}

bool ExampleReading::canMeasureEffects() const {
    return corpus_ && corpus_->model->spec.predictsNextToken();
}

void ExampleReading::measureEffects() {
    if (!canMeasureEffects() || !list_)
        return;
    struct Measured {
        std::size_t sequence = 0;
        std::optional<NextTokenEffect> effect = {};
    };
    effect_kind_ = document_.ablation().kind();
    effects_.clear();
    tester_.startInParts<Measured>(
        [corpus = corpus_, examples = list_->examples, head = head_,
         kind = effect_kind_](const Progress& progress, const std::stop_token& stop,
                              const auto& publish) -> Result<void> {
            for (std::size_t i = 0; i < examples.size(); ++i) {
                report(progress, static_cast<double>(i) / static_cast<double>(examples.size()),
                       "example " + std::to_string(i + 1));
                const std::size_t sequence = examples[i].sequence;
                const auto effect = nextTokenEffect(corpus->model, corpus->sequences[sequence],
                                                    examples[i].row.query, head, kind, stop);
                if (!effect)
                    return effect.error();
                publish(Measured{sequence, *effect});
            }
            return {};
        },
        [this, head = head_](const Measured& measured) {
            effects_[{head, measured.sequence}] = measured.effect;
            emit effectsChanged();
        },
        [this](const Result<void>& measured) {
            if (!measured)
                fail(measured.error());
        });
}

const std::optional<NextTokenEffect>* ExampleReading::effect(const HeadExample& example) const {
    const auto found = effects_.find({head_, example.sequence});
    return found == effects_.end() ? nullptr : &found->second;
}

QString ExampleReading::source() const {
    if (folder_)
        return tr("%1, of %2").arg(folder_path_, toQString(folder_->modelName()));
    if (!corpus_)
        return {};
    return toQString(corpus_->name);
}

Repetition ExampleReading::repetition() const {
    if (folder_)
        return notRepeated(tr("These examples come from a folder; no command reads it."));
    if (!corpus_ || !isWhole())
        return notRepeated(tr("No text is scanned to its end yet."));
    if (asked_.is_pasted)
        return notRepeated(tr("A pasted text is no file that a command could read; save it and "
                              "choose the file."));
    const bool has_effects =
        list_ && !list_->examples.empty() &&
        std::ranges::all_of(list_->examples,
                            [this](const HeadExample& example) { return effect(example); });
    return Calls{examplesCall(loadedModel(document_),
                              {asked_.file.toStdString(), asked_.length, asked_.most_tokens, bos_},
                              head_, question_,
                              has_effects ? std::optional(effect_kind_) : std::nullopt)};
}

Provenance ExampleReading::provenance() const {
    Provenance provenance = provenanceOf(*document_.model());
    if (!folder_)
        return provenance;
    provenance.model_name = folder_->modelName();
    provenance.model_family.clear();
    provenance.model_sha256.clear();
    provenance.note = "read from the HeadVis folder " + folder_path_.toStdString();
    return provenance;
}

bool ExampleReading::isWhole() const {
    if (folder_)
        return true;
    return corpus_ && scannedSequences(scan_) == corpus_->sequences.size();
}

} // namespace headscope::ui
