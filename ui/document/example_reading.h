#pragma once

#include "core/base/table.h"
#include "core/engine/head_mask.h"
#include "core/export/headvis_folder.h"
#include "core/heads/corpus_scan.h"
#include "core/heads/examples.h"
#include "core/interventions/example_rows.h"
#include "core/model/model.h"
#include "core/model/prompt.h"
#include "core/pruning/passages.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace headscope::ui {

class Document;

/// Which text examples are looked for in.
struct ExampleText {
    NamedText text;
    std::size_t length = 64; ///< tokens of a sequence
    std::size_t most_tokens = 0;
    QString file = {}; ///< that holds it; empty: it is bundled or pasted
    bool is_pasted = false;
};

/// Examples of what the selected head does, from a text that is scanned once for all heads, or from
/// a folder that holds some. What was scanned is kept in the user's cache, so that a scan that was
/// stopped goes on and one of the same text is there at once. Lives on the GUI thread.
class ExampleReading : public QObject {
    Q_OBJECT

public:
    explicit ExampleReading(Document& document, QObject* parent = nullptr);

    void scan(ExampleText text);
    void openFolder(const QString& folder);
    /// Which examples are shown.
    void setQuestion(const ExampleQuestion& question);
    /// Reads for the selected head; does nothing before a scan.
    void read();
    /// Measures the effects on the examples that are shown, by the ablation chosen in the document.
    void measureEffects();

    /// The list of the head that was read last; null: none yet.
    const ExampleList* list() const { return list_ ? &*list_ : nullptr; }
    LayerHead head() const { return head_; }
    const std::optional<NextTokenEffect>* effect(const HeadExample& example) const;
    AblationKind effectKind() const { return effect_kind_; } ///< of the effects
    bool canMeasureEffects() const; ///< a text of this model was scanned that predicts tokens

    /// "the bundled text, 4,096 tokens in 64 sequences"; empty: nothing yet.
    QString source() const;
    /// What shows the same examples, with the effects where all of them are measured.
    Repetition repetition() const;
    QString error() const { return error_; }
    /// The provenance of what is shown, for files.
    Provenance provenance() const;
    bool isWhole() const; ///< all of the text was scanned, or a folder is open
    bool isScanning() const { return scanner_.isBusy(); }

    JobRunner* scanner() { return &scanner_; }
    JobRunner* reader() { return &reader_; }
    JobRunner* tester() { return &tester_; }

signals:
    void listChanged();
    void effectsChanged();
    void stateChanged();

private:
    struct Corpus;
    struct Part;
    static Result<std::shared_ptr<const Corpus>>
    readCorpus(const std::shared_ptr<const Model>& model, const ExampleText& text, BosMode bos);
    static Result<void> scanKept(const std::shared_ptr<const Corpus>& corpus,
                                 const Progress& progress, const std::stop_token& stop,
                                 const std::function<void(const Part&)>& publish);
    void forget();
    void take(const Part& part);
    void fail(const Error& error);

    Document& document_;
    ExampleQuestion question_;
    std::shared_ptr<const Corpus> corpus_; ///< null: none is scanned
    ExampleText asked_;                    ///< of the corpus, without the text itself
    BosMode bos_ = BosMode::Auto;          ///< likewise
    CorpusScan scan_;
    std::shared_ptr<const HeadvisFolder> folder_; ///< null: none is open
    QString folder_path_;
    std::optional<ExampleList> list_;
    LayerHead head_;
    std::map<std::pair<LayerHead, std::size_t>, std::optional<NextTokenEffect>> effects_;
    AblationKind effect_kind_ = AblationKind::Zero;
    QString error_;
    JobRunner scanner_;
    JobRunner reader_;
    JobRunner tester_;
};

} // namespace headscope::ui
