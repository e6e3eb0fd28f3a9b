#include "ui/document/tested_labels.h"

#include "ui/tables/head_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QStandardPaths>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {

namespace {

constexpr int kWaitForOthers = 2000; ///< milliseconds
constexpr double kSameScore = 1e-6;

struct TestedText {
    Q_DECLARE_TR_FUNCTIONS(TestedText)
};

QString lockOf(const QString& file) {
    return file + QStringLiteral(".lock");
}

/// Sets a file aside that cannot be read, and says so.
QString setAside(const QString& file, const Error& error) {
    const QString aside = file + QStringLiteral(".bak");
    QFile::remove(aside); // what is in it can be measured again
    return toQString(error.message) + QLatin1Char(' ') +
           TestedText::tr("It is kept as %1.").arg(QFile::rename(file, aside) ? aside : file);
}

/// Where the label is, or belongs.
template <class Labels>
auto placeOf(Labels& labels, LayerHead head, HeadTypeId type) {
    return std::ranges::lower_bound(labels, std::pair(head, type), {}, [](const LabelTrust& each) {
        return std::pair(each.score.head, each.score.type);
    });
}

bool isOf(const LabelTrust& label, LayerHead head, HeadTypeId type) {
    return label.score.head == head && label.score.type == type;
}

void addLabel(std::vector<LabelTrust>& known, const LabelTrust& label) {
    const auto place = placeOf(known, label.score.head, label.score.type);
    if (place == known.end() || !isOf(*place, label.score.head, label.score.type))
        known.insert(place, label);
    else if (areOfOneScore(*place, label))
        takeFigures(*place, label);
    else
        *place = label;
}

/// What is known, with what was measured.
void add(std::vector<LabelTests>& known, const LabelTests& measured) {
    auto place = std::ranges::find_if(known, [&](const LabelTests& each) {
        return each.square_flipped == measured.square_flipped &&
               each.thresholds == measured.thresholds;
    });
    if (place == known.end()) {
        if (known.size() >= kMostLabelTests)
            known.erase(known.begin());
        place = known.insert(known.end(), {.square_flipped = measured.square_flipped,
                                           .thresholds = measured.thresholds});
    }
    for (const LabelTrust& label : measured.labels)
        addLabel(place->labels, label);
    for (const std::string& note : measured.notes)
        if (std::ranges::find(place->notes, note) == place->notes.end())
            place->notes.push_back(note);
}

} // namespace

const LabelTrust* findLabel(const LabelTests& tests, LayerHead head, HeadTypeId type) {
    const auto place = placeOf(tests.labels, head, type);
    return place != tests.labels.end() && isOf(*place, head, type) ? &*place : nullptr;
}

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

ReadLabels readLabels(const QString& file) {
    const auto is_damaged = [](const Result<std::vector<LabelTests>>& read) {
        return !read && read.error().code != ErrorCode::Unsupported;
    };
    auto read = readLabelTests(file.toStdString());
    QLockFile lock(lockOf(file));
    if (is_damaged(read) && lock.tryLock(kWaitForOthers))
        read = readLabelTests(file.toStdString()); // another window may have written it anew
    if (read)
        return {.tests = *std::move(read)};
    const QString said = toQString(read.error().message);
    if (is_damaged(read))
        return {.said = lock.isLocked() ? setAside(file, read.error()) : said};
    return {.is_later = true,
            .said = said + QLatin1Char(' ') +
                    TestedText::tr(
                        "Labels that you test now are not kept after the window is closed.")};
}

KeptLabels keepLabels(const UnkeptLabels& labels) {
    QDir().mkpath(QFileInfo(labels.file).path());
    QLockFile lock(lockOf(labels.file));
    if (!lock.tryLock(kWaitForOthers)) {
        const bool is_held = lock.error() == QLockFile::LockFailedError;
        return {.said = (is_held ? TestedText::tr("The tested labels cannot be kept now: another "
                                                  "window writes %1.")
                                 : TestedText::tr("The tested labels cannot be kept: %1 cannot be "
                                                  "written."))
                            .arg(QDir::toNativeSeparators(labels.file))};
    }
    const std::string path = labels.file.toStdString();
    std::vector<LabelTests> all;
    QString said;
    if (auto theirs = readLabelTests(path))
        all = *std::move(theirs);
    else if (theirs.error().code == ErrorCode::Unsupported)
        return {.said = toQString(theirs.error().message)};
    else
        said = setAside(labels.file, theirs.error());
    for (const LabelTests& mine : labels.tests)
        add(all, mine);
    const auto written = writeLabelTests(path, all);
    return {bool(written), written ? said : toQString(written.error().message)};
}

QString TestedLabels::fileOf(const std::string& sha256) {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
           QStringLiteral("/labels/") + toQString(sha256) + QStringLiteral(".json");
}

bool TestedLabels::setModel(const std::string& sha256) {
    sha256_ = sha256;
    return !models_[sha256].is_read;
}

void TestedLabels::takeFile(ReadLabels read) {
    OfModel& of_model = models_[sha256_];
    of_model.is_read = true;
    of_model.is_later = read.is_later;
    const std::vector<LabelTests> measured = std::exchange(of_model.tests, std::move(read.tests));
    for (const LabelTests& each : measured) // little: there was no time for more
        add(of_model.tests, each);
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
    OfModel& of_model = models_[sha256_];
    add(of_model.tests, of_these);
    ++of_model.measured;
}

std::optional<UnkeptLabels> TestedLabels::unkept() const {
    for (const auto& [sha256, of_model] : models_)
        if (of_model.kept != of_model.measured && !of_model.is_later)
            return UnkeptLabels{sha256, fileOf(sha256), of_model.tests, of_model.measured};
    return std::nullopt;
}

void TestedLabels::setKept(const UnkeptLabels& labels) {
    models_[labels.sha256].kept = labels.measured;
}

} // namespace headscope::ui
