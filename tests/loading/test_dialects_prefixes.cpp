#include "tests/loading/dialect_check.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_dialects_prefixes {

using namespace headscope;
using namespace headscope::test;

/// Dumps of a state_dict, under whatever the training script put before the names.
class TestDialectsPrefixes : public QObject {
    Q_OBJECT

private slots:
    void wrapped_data();
    void wrapped();
    void twoModels();
    void wrappedBlocks_data();
    void wrappedBlocks();
    void wrappersThatTellModelsApart();
};

void TestDialectsPrefixes::wrapped_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("own");     // what the names begin with
    QTest::addColumn<QString>("written"); // what they begin with in the dump
    QTest::addColumn<bool>("flat");       // one dataset "a.b.c" in place of groups
    const auto rows = [](const char* fixture, const char* own, const char* written) {
        for (const bool flat : {false, true})
            QTest::addRow("%s, '%s' for '%s'%s", fixture, written, own, flat ? ", flat" : "")
                << QString::fromLatin1(fixture) << QString::fromLatin1(own)
                << QString::fromLatin1(written) << flat;
    };
    for (const char* wrapper :
         {"state_dict.", "model.", "params.", "module.", "_orig_mod.", "module._orig_mod.",
          "_orig_mod.module.", "state_dict.model.", "state_dict.module._orig_mod."})
        for (const char* fixture : {"gpt2", "llama", "bert"})
            rows(fixture, "", wrapper);
    // The base network alone, without the head that carries its name.
    rows("gpt2", "transformer.", "");
    rows("gpt2", "transformer.", "module.");
    rows("gpt2", "transformer.", "state_dict.model.");
    rows("bert", "bert.", "model.");
}

void TestDialectsPrefixes::wrapped() {
    QFETCH(QString, fixture);
    QFETCH(QString, own);
    QFETCH(QString, written);
    QFETCH(bool, flat);
    ModelVariant variant(fixture.toStdString());
    variant.naming = flat ? Naming::FlatDots : Naming::Groups;
    for (FileTensor& tensor : variant.tensors)
        if (tensor.name.starts_with(own.toStdString()))
            tensor.name.replace(0, static_cast<std::size_t>(own.size()), written.toStdString());
        else
            tensor.name.insert(0, written.toStdString());
    const auto model = variant.loaded();
    QCOMPARE(differsFrom(fixtureReference(fixture.toStdString()), model), std::string());
    QVERIFY(model->report.ignored.empty());
}

/// Averaged weights beside the trained ones: the file names the other as ignored.
void TestDialectsPrefixes::twoModels() {
    ModelVariant variant("gpt2");
    const std::vector<FileTensor> plain = variant.tensors;
    for (FileTensor& tensor : variant.tensors)
        tensor.name.insert(0, "model.");
    for (FileTensor tensor : plain) {
        tensor.name.insert(0, "optimizer.");
        tensor.values.assign(tensor.values.size(), 0.0f);
        if (tensor.name.find("ln_f") != std::string::npos)
            variant.tensors.push_back(std::move(tensor));
    }
    const auto model = variant.loaded();
    QCOMPARE(differsFrom(fixtureReference("gpt2"), model), std::string());
    QCOMPARE(model->report.ignored.size(), std::size_t{2});
}

void TestDialectsPrefixes::wrappedBlocks_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("block");   // after this of names, up to the next dot
    QTest::addColumn<QString>("wrapper"); // follows
    QTest::addColumn<QString>("before");  // all names
    for (const auto& [fixture, block] : {std::pair("gpt2", "transformer.h."),
                                         {"llama", "model.layers."},
                                         {"bert", "bert.encoder.layer."}})
        for (const char* wrapper :
             {"_orig_mod.", "_checkpoint_wrapped_module.", "_fsdp_wrapped_module.", "module.",
              "_fsdp_wrapped_module._checkpoint_wrapped_module.", "_fpw_module._orig_mod."})
            for (const char* before : {"", "module.", "_fsdp_wrapped_module.", "state_dict."})
                QTest::addRow("%s, %s after '%s'", fixture, wrapper, before)
                    << QString::fromLatin1(fixture) << QString::fromLatin1(block)
                    << QString::fromLatin1(wrapper) << QString::fromLatin1(before);
}

/// Each block is wrapped by itself, and the last part of every name as well.
void TestDialectsPrefixes::wrappedBlocks() {
    QFETCH(QString, fixture);
    QFETCH(QString, block);
    QFETCH(QString, wrapper);
    QFETCH(QString, before);
    ModelVariant variant(fixture.toStdString());
    for (FileTensor& tensor : variant.tensors) {
        tensor.name.insert(tensor.name.rfind('.') + 1, wrapper.toStdString());
        if (tensor.name.starts_with(block.toStdString())) {
            const auto dot = tensor.name.find('.', static_cast<std::size_t>(block.size()));
            tensor.name.insert(dot + 1, wrapper.toStdString());
        }
        tensor.name.insert(0, before.toStdString());
    }
    const auto model = variant.loaded();
    QCOMPARE(differsFrom(fixtureReference(fixture.toStdString()), model), std::string());
    QVERIFY(model->report.ignored.empty());
    QVERIFY(model->report.used.front().tensor.find(wrapper.toStdString()) != std::string::npos);
    QCOMPARE(std::ranges::count_if(model->report.notes,
                                   [](const std::string& note) {
                                       return note.starts_with(
                                           "Modules that are put around others");
                                   }),
             1);
}

/// Without "module." two models would be one.
void TestDialectsPrefixes::wrappersThatTellModelsApart() {
    ModelVariant variant("gpt2");
    for (FileTensor tensor : std::vector(variant.tensors)) {
        tensor.name.insert(std::string_view("transformer.").size(), "module.");
        tensor.values.assign(tensor.values.size(), 0.0f);
        if (tensor.name.find("ln_f") != std::string::npos)
            variant.tensors.push_back(std::move(tensor));
    }
    QVERIFY(variant.refusal().find("transformer.module.ln_f") != std::string::npos);
}

const headscope::test::TestRegistration<TestDialectsPrefixes> registration;

} // namespace test_dialects_prefixes

#include "test_dialects_prefixes.moc"
