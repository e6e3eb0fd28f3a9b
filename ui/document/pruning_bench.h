#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/domains.h"
#include "core/pruning/passages.h"
#include "core/pruning/verdict.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope::ui {

/// Which texts heads are chosen by and judged on, and how they are cut.
struct PruningTextQuestion {
    NamedText calibration = bundledCalibration();
    NamedText test = bundledTest();
    /// Where both are the bundled ones: some of domainNames(); empty: all that the model can read.
    std::vector<std::string> domains = {};
    std::size_t length = 128; ///< tokens of a passage
    std::size_t calibration_tokens = 4096;
    std::size_t test_tokens = 4096;
    std::uint64_t seed = 0;

    bool isBundled() const;
};

/// All in passages. Fails as pruningDomains() and readPassages() do, and where two share a passage.
Result<PruningTexts> readPruningTexts(const std::shared_ptr<const Model>& model,
                                      const PruningTextQuestion& question,
                                      const Progress& progress = {},
                                      const std::stop_token& stop = {});

class Document;

/// A cut of one order: what the table of tokens, the costs and the files are about.
struct ChosenPoint {
    OrderSpec order;
    std::size_t units = 0;

    bool operator==(const ChosenPoint&) const = default;
};

/// What the pruning page measures: the texts, their curves as far as they are known, the verdict,
/// and the cut that the user looks at on the text that is shown. Follows the model of the document.
/// Lives on the GUI thread.
class PruningBench : public QObject {
    Q_OBJECT

public:
    enum class State {
        Empty,     ///< nothing was measured
        Measuring, ///< result() grows
        Whole,
        Stopped, ///< by the user; what was measured stays
        Failed,  ///< error() says why; what was measured stays
    };

    explicit PruningBench(Document& document, QObject* parent = nullptr);

    /// Forgets the texts, because the user is about to choose others.
    void dropTexts();
    /// Reads both again.
    void setTexts(PruningTextQuestion question);
    const PruningTextQuestion& textQuestion() const { return text_question_; }
    /// The one that is shown, of what was read; null while they are read and when that fails.
    std::shared_ptr<const PruningDomain> texts() const;
    /// All of them, likewise.
    std::shared_ptr<const PruningTexts> allTexts() const { return texts_; }
    QString textsError() const { return texts_error_; }
    JobRunner& reader() { return reader_; }

    /// Takes up what is known from an earlier measurement that differs in orders and points only.
    /// There must be texts.
    void measure(const PruningQuestion& question);
    void stop() { worker_.cancel(); }
    State state() const { return state_; }
    QString error() const { return error_; }
    JobRunner& worker() { return worker_; }
    /// On the text that is shown. Null where nothing is known; without curves when only the whole
    /// network is.
    std::shared_ptr<const PruningResult> result() const;
    /// That the result was measured on.
    std::shared_ptr<const PruningDomain> measuredTexts() const;
    /// On all texts, as far as they are measured, and those of them that the verdict is on.
    std::shared_ptr<const DomainResults> results() const { return results_; }
    const DomainResults& judged() const { return judged_; }
    std::shared_ptr<const PruningTexts> allMeasuredTexts() const { return measured_texts_; }

    /// Which text is shown: the one that the user chose; else the last one during the measurement,
    /// and the one of the verdict after it.
    std::size_t shown() const;
    void show(std::size_t text);
    std::shared_ptr<const Model> model() const;

    double tolerance() const { return tolerance_; }
    void setTolerance(double tolerance);
    /// The verdict on the complete curves; nothing while there is none, and while it is measured.
    const std::optional<Verdict>& verdict() const { return verdict_; }

    /// The point that the user chose, else the one of the verdict.
    std::optional<ChosenPoint> chosen() const;
    void choose(const ChosenPoint& point);
    /// Its curve and point in the result; null when nothing is chosen.
    const PruningCurve* chosenCurve() const;
    const CurvePoint* chosenCut() const;
    /// The heads that are removed there.
    HeadSet removed() const;

signals:
    void textsChanged();  ///< read, being read, or not readable
    void resultChanged(); ///< what is measured, the state, or the verdict
    void chosenChanged();

private:
    struct Part;
    void readTexts();
    void forget();
    bool isKnown(const PruningQuestion& question) const;
    void begin(const PruningQuestion& question);
    std::map<std::string, PruningParts> knownParts() const;
    void take(const Part& part);
    void finish(Result<DomainResults> results);
    void setState(State state);
    void judge();

    Document& document_;
    PruningTextQuestion text_question_;
    std::shared_ptr<const PruningTexts> texts_;
    QString texts_error_;
    State state_ = State::Empty;
    QString error_;
    std::shared_ptr<DomainResults> results_;
    DomainResults judged_;
    std::optional<std::size_t> shown_by_user_;
    std::size_t measuring_ = 0; ///< which text
    std::shared_ptr<const PruningTexts> measured_texts_;
    double tolerance_ = 0.01;
    std::optional<Verdict> verdict_;
    std::optional<ChosenPoint> by_verdict_;
    std::optional<ChosenPoint> by_user_;
    JobRunner reader_;
    JobRunner worker_;
};

} // namespace headscope::ui
