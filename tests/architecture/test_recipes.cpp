#include "tests/support/runner.h"

#include <QDirIterator>
#include <QFile>
#include <QObject>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace test_recipes {

namespace {

const QString kRepository = QStringLiteral(HEADSCOPE_REPOSITORY);

QString contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// A section of CONTRIBUTING.md that says step by step which files change.
struct Recipe {
    QString title;
    int count = 0;      ///< how many files it says change
    QString pattern;    ///< what `git grep -liE` finds in each of them; may be empty
    QStringList listed; ///< the files of its steps
};

QString firstMatch(const char* pattern, const QString& text) {
    return QRegularExpression(QString::fromLatin1(pattern)).match(text).captured(1);
}

Recipe recipeOf(const QString& section) {
    Recipe recipe{firstMatch("^(.+)\\.\\*\\*", section),
                  firstMatch("\\bin (\\d+)\\s+files", section).toInt(),
                  firstMatch("`git grep -liE '([^']+)'`", section),
                  {}};
    static const QRegularExpression step(QStringLiteral("\n\\d+\\. `([^`]+)`"));
    for (const QRegularExpressionMatch& match : step.globalMatch(section))
        recipe.listed << match.captured(1);
    return recipe;
}

QList<Recipe> recipes(const QString& page) {
    QList<Recipe> found;
    for (const QString& section : page.split(QStringLiteral("\n**")))
        if (section.startsWith(QStringLiteral("Adding ")))
            found << recipeOf(section);
    return found;
}

/// The texts of the repository in which the pattern occurs, relative to it. What is generated, as
/// weights and translations, is none of them.
QSet<QString> filesWith(const QString& pattern) {
    const QRegularExpression wanted(pattern, QRegularExpression::CaseInsensitiveOption);
    QSet<QString> files;
    for (const char* folder : {"app", "core", "resources", "tests", "ui"}) {
        QDirIterator all(kRepository + QLatin1Char('/') + QLatin1String(folder),
                         {QStringLiteral("*.h"), QStringLiteral("*.cpp"), QStringLiteral("*.py"),
                          QStringLiteral("*.pyi"), QStringLiteral("*.md"), QStringLiteral("*.1"),
                          QStringLiteral("*.txt")},
                         QDir::Files, QDirIterator::Subdirectories);
        while (all.hasNext())
            if (const QString path = all.next(); wanted.match(contentOf(path)).hasMatch())
                files.insert(path.mid(kRepository.size() + 1));
    }
    return files;
}

QString sorted(const QSet<QString>& files) {
    QStringList names(files.begin(), files.end());
    names.sort();
    return names.join(QLatin1Char('\n'));
}

} // namespace

/// What CONTRIBUTING.md says of adding a family, a head type and an analysis is so.
class TestRecipes : public QObject {
    Q_OBJECT

private slots:
    void nameEveryFileAndCountThem_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QStringList>("listed");
        const QList<Recipe> all =
            recipes(contentOf(kRepository + QStringLiteral("/CONTRIBUTING.md")));
        QCOMPARE(all.size(), qsizetype{3});
        for (const Recipe& recipe : all)
            QTest::newRow(qPrintable(recipe.title))
                << recipe.count << recipe.pattern << recipe.listed;
    }

    void nameEveryFileAndCountThem() {
        QFETCH(int, count);
        QFETCH(QString, pattern);
        QFETCH(QStringList, listed);
        QVERIFY(count > 0);
        QCOMPARE(listed.size(), qsizetype{count});
        const QSet<QString> files(listed.begin(), listed.end());
        QCOMPARE(files.size(), listed.size());
        for (const QString& file : listed)
            QVERIFY2(QFile::exists(kRepository + QLatin1Char('/') + file), qPrintable(file));
        if (pattern.isEmpty())
            return;
        const QSet<QString> found = filesWith(pattern);
        QVERIFY2(files == found,
                 qPrintable(QStringLiteral("Listed without need:\n%1\nNot listed:\n%2")
                                .arg(sorted(files - found), sorted(found - files))));
    }

    void oneTooFewOrTooManyShows() {
        const QList<Recipe> found = recipes(QStringLiteral(
            "x\n\n**Adding a hat.** It was added in 2\nfiles: `git grep -liE 'hat-?s'` lists "
            "them.\n\n"
            "1. `core/a.h`: one, see `core/b.h`,\n   two\n2. `core/c.h`: three\n\n**Style.** z"));
        QCOMPARE(found.size(), qsizetype{1});
        QCOMPARE(found[0].title, QStringLiteral("Adding a hat"));
        QCOMPARE(found[0].count, 2);
        QCOMPARE(found[0].pattern, QStringLiteral("hat-?s"));
        QCOMPARE(found[0].listed,
                 (QStringList{QStringLiteral("core/a.h"), QStringLiteral("core/c.h")}));
        QVERIFY(filesWith(QStringLiteral("no file holds this wor[d]")).isEmpty());
        QVERIFY(filesWith(QStringLiteral("oneTooFewOr.oomany"))
                    .contains(QStringLiteral("tests/architecture/test_recipes.cpp")));
    }
};

const headscope::test::TestRegistration<TestRecipes> registration;

} // namespace test_recipes

#include "test_recipes.moc"
