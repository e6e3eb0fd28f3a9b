#include "ui/document/tested_labels.h"

#include "ui/tables/head_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QStandardPaths>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace headscope::ui {

namespace {

constexpr std::size_t kMostThresholds = 4; ///< of one model that are kept
constexpr std::chrono::milliseconds kWaitForOthers{2000};
constexpr double kSameScore = 1e-6;

struct TestedText {
    Q_DECLARE_TR_FUNCTIONS(TestedText)
};

/// Sets a file aside that cannot be read, and says so.
QString setAside(const QString& file, const Error& error) {
    const QString aside = file + QStringLiteral(".bak");
    QFile::remove(aside); // what is in it can be measured again
    return toQString(error.message) + QLatin1Char(' ') +
           TestedText::tr("It is kept as %1.").arg(QFile::rename(file, aside) ? aside : file);
}

} // namespace

bool areOfOneScore(const LabelTrust& one, const LabelTrust& other) {
    return one.score.head == other.score.head && one.score.type == other.score.type &&
           std::fabs(one.score.score - other.score.score) <= kSameScore;
}

void takeFigures(LabelTrust& label, const LabelTrust& from) {
    if (from.effect) {
        label.effect = from.effect;
        label.beside = from.beside;
    }
    if (!from.sets.empty())
        label.sets = from.sets;
    if (!std::isnan(from.stable_share)) {
        label.stable_share = from.stable_share;
        label.resamples = from.resamples;
    }
}

QString TestedLabels::setModel(const std::string& sha256) {
    sha256_ = sha256;
    file_ = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
            QStringLiteral("/labels/") + toQString(sha256) + QStringLiteral(".json");
    if (models_.contains(sha256))
        return {};
    OfModel& of_model = models_[sha256];
    auto kept = readLabelTests(file_.toStdString());
    if (kept) {
        of_model.tests = *std::move(kept);
        return {};
    }
    of_model.is_later = kept.error().code == ErrorCode::Unsupported;
    if (!of_model.is_later)
        return setAside(file_, kept.error());
    return toQString(kept.error().message) + QLatin1Char(' ') +
           TestedText::tr("Labels that you test now are not kept after the window is closed.");
}

const LabelTests* TestedLabels::find(bool square_flipped, const Thresholds& thresholds) const {
    const auto of_model = models_.find(sha256_);
    if (of_model == models_.end())
        return nullptr;
    const auto found = std::ranges::find_if(of_model->second.tests, [&](const LabelTests& each) {
        return each.square_flipped == square_flipped && each.thresholds == thresholds;
    });
    return found == of_model->second.tests.end() ? nullptr : &*found;
}

void TestedLabels::take(bool square_flipped, const Thresholds& thresholds,
                        const LabelTests& tests) {
    LabelTests of_these = tests;
    of_these.square_flipped = square_flipped;
    of_these.thresholds = thresholds;
    add(models_[sha256_], of_these);
    is_kept_ = false;
}

void TestedLabels::add(OfModel& of_model, const LabelTests& tests) const {
    auto known = std::ranges::find_if(of_model.tests, [&](const LabelTests& each) {
        return each.square_flipped == tests.square_flipped && each.thresholds == tests.thresholds;
    });
    if (known == of_model.tests.end()) {
        if (of_model.tests.size() == kMostThresholds)
            of_model.tests.erase(of_model.tests.begin());
        of_model.tests.push_back(tests);
        return;
    }
    for (const LabelTrust& label : tests.labels) {
        const auto place = std::ranges::find_if(known->labels, [&](const LabelTrust& each) {
            return each.score.head == label.score.head && each.score.type == label.score.type;
        });
        if (place == known->labels.end())
            known->labels.push_back(label);
        else if (areOfOneScore(*place, label))
            takeFigures(*place, label);
        else
            *place = label;
    }
    for (const std::string& note : tests.notes)
        if (std::ranges::find(known->notes, note) == known->notes.end())
            known->notes.push_back(note);
}

QString TestedLabels::keep() {
    const auto of_model = models_.find(sha256_);
    if (file_.isEmpty() || of_model == models_.end() || of_model->second.is_later ||
        of_model->second.tests.empty()) {
        is_kept_ = true;
        return {};
    }
    QDir().mkpath(QFileInfo(file_).path());
    QLockFile lock(file_ + QStringLiteral(".lock"));
    if (!lock.tryLock(static_cast<int>(kWaitForOthers.count()))) {
        const bool is_held = lock.error() == QLockFile::LockFailedError;
        return (is_held ? TestedText::tr("The tested labels cannot be kept now: another window "
                                         "writes %1.")
                        : TestedText::tr("The tested labels cannot be kept: %1 cannot be written."))
            .arg(QDir::toNativeSeparators(file_));
    }
    OfModel all;
    QString said;
    if (auto theirs = readLabelTests(file_.toStdString()))
        all.tests = *std::move(theirs);
    else if (theirs.error().code == ErrorCode::Unsupported)
        return toQString(theirs.error().message);
    else
        said = setAside(file_, theirs.error());
    for (const LabelTests& mine : of_model->second.tests)
        add(all, mine);
    const auto written = writeLabelTests(file_.toStdString(), all.tests);
    is_kept_ = bool(written);
    return written ? said : toQString(written.error().message);
}

} // namespace headscope::ui
