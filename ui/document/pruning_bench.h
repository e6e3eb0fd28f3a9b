#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"
#include "core/pruning/pruning_curve.h"
#include "core/pruning/verdict.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace headscope::ui {

/// Which texts heads are chosen by and judged on, and how they are cut.
struct PruningTextQuestion {
    NamedText calibration = bundledCalibration();
    NamedText test = bundledTest();
    std::size_t length = 128; ///< tokens of a passage
    std::size_t calibration_tokens = 4096;
    std::size_t test_tokens = 4096;
    std::uint64_t seed = 0;
};

struct PruningTexts {
    PassageSet calibration;
    PassageSet test;
    PassageOptions calibration_options; ///< what a recipe says of the calibration text
};

/// Both in passages. Fails as readPassages() does, and where they share a passage.
Result<PruningTexts> readPruningTexts(const Model& model, const PruningTextQuestion& question);

class Document;

/// A cut of one order: what the table of tokens, the costs and the files are about.
struct ChosenPoint {
    OrderSpec order;
    std::size_t units = 0;

    bool operator==(const ChosenPoint&) const = default;
};

/// What is measured in the pruning window: two texts, the curves on them as far as they are known,
/// the verdict on them, and the one cut that the user looks at. Follows the model of the document.
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
    /// Null while they are read and when that fails.
    std::shared_ptr<const PruningTexts> texts() const { return texts_; }
    QString textsError() const { return texts_error_; }
    JobRunner& reader() { return reader_; }

    /// Takes up what is known from an earlier measurement that differs in orders and points only.
    /// There must be texts.
    void measure(const PruningQuestion& question);
    void stop() { worker_.cancel(); }
    State state() const { return state_; }
    QString error() const { return error_; }
    JobRunner& worker() { return worker_; }
    /// Null where nothing is known; without curves when only the whole network is.
    std::shared_ptr<const PruningResult> result() const { return result_; }
    /// That the result was measured on.
    std::shared_ptr<const PruningTexts> measuredTexts() const { return measured_texts_; }
    std::shared_ptr<const Model> model() const;

    double tolerance() const { return tolerance_; }
    void setTolerance(double tolerance);
    /// On the curves that are whole; nothing while there is none, and while it is measured.
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
    PruningParts knownParts(const PruningQuestion& question) const;
    void begin(const PruningQuestion& question, const PruningParts& known);
    void take(const Part& part);
    void finish(Result<PruningResult> result);
    void setState(State state);
    void judge();

    Document& document_;
    PruningTextQuestion text_question_;
    std::shared_ptr<const PruningTexts> texts_;
    QString texts_error_;
    State state_ = State::Empty;
    QString error_;
    std::shared_ptr<PruningResult> result_;
    std::shared_ptr<const PruningTexts> measured_texts_;
    double tolerance_ = 0.01;
    std::optional<Verdict> verdict_;
    std::optional<ChosenPoint> by_verdict_;
    std::optional<ChosenPoint> by_user_;
    JobRunner reader_;
    JobRunner worker_;
};

} // namespace headscope::ui
