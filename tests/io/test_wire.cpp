#include "core/io/sealed/wire.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <random>

namespace test_wire {

using namespace headscope;

namespace {

Hdf5Description everyKindOfDataset() {
    Hdf5Description file;
    file.datasets.push_back({.path = "a/compact",
                             .shape = {2},
                             .type = StoredType::Integer,
                             .element_bytes = 1,
                             .is_signed = true,
                             .object = 800,
                             .storage = CompactStorage{std::byte{1}, std::byte{255}}});
    file.datasets.push_back({.path = "contiguous",
                             .shape = {3, 4},
                             .type = StoredType::Float32,
                             .element_bytes = 4,
                             .big_endian = true,
                             .object = 1'000'000'000'000,
                             .storage = ContiguousStorage{2048}});
    file.datasets.push_back(
        {.path = "chunked",
         .shape = {5},
         .type = StoredType::BFloat16,
         .element_bytes = 2,
         .storage = ChunkedStorage{
             {4},
             {ChunkFilter::Shuffle, ChunkFilter::Deflate},
             {{.offset = 96, .bytes = 11, .skipped_filters = 2}, {.offset = 4096, .bytes = 8}}}});
    file.texts = {{"config", "{}"}, {"description", std::string("zero\0inside", 11)}};
    return file;
}

std::vector<ReaderAnswer> everyAnswer() {
    return {Refusal{{ErrorCode::Unsupported, "it is a virtual dataset"}, "a/b"},
            everyKindOfDataset(),
            ZipDescription{{{.name = "model.weights.h5",
                             .offset = 77,
                             .stored_bytes = 5'000'000'000,
                             .bytes = 5'000'000'001,
                             .crc32 = 0xDEADBEEF,
                             .deflated = true}}},
            Hdf5Layout{9000, {{0, {std::byte{137}, std::byte{72}}}, {96, {}}}, {{{4096, 24}}, {}}},
            Hdf5Description(),
            ZipDescription(),
            Hdf5Layout(),
            JsonAnswers{{Bytes{std::byte{7}, std::byte{0}},
                         Error{ErrorCode::Malformed, "is not valid JSON at byte 1"}, Bytes()}},
            JsonAnswers(),
            GgufAnswer{R"({"general.architecture":"llama"})",
                       {{"a", 12, {256, 3}, 4096}, {"b", 0, {}, 5000}},
                       1,
                       3,
                       17},
            GgufAnswer(),
            SentencePieceModel{{{"<unk>", 0.0f, 2}, {"▁a", -1.5f, 1}},
                               {{3, std::uint64_t{2}}, {44, " ⁇ "}},
                               {{2, std::string("\0\x01", 2)}},
                               {{3, std::uint64_t{0}}}},
            SentencePieceModel()};
}

} // namespace

class TestWire : public QObject {
    Q_OBJECT

private slots:
    /// Equal bytes of an answer and of what was understood: nothing is lost on the way.
    void answersArriveWhole() {
        for (const ReaderAnswer& answer : everyAnswer()) {
            const Bytes sent = encodeAnswer(answer);
            const auto received = decodeAnswer(sent);
            QVERIFY(received);
            QCOMPARE(received->index(), answer.index());
            QVERIFY(encodeAnswer(*received) == sent);
        }
    }

    void valuesArrive() {
        const auto received = decodeAnswer(encodeAnswer(everyKindOfDataset()));
        const auto& file = std::get<Hdf5Description>(*received);
        QCOMPARE(file.datasets.size(), 3u);
        QCOMPARE(file.datasets[0].path, std::string("a/compact"));
        QVERIFY(file.datasets[0].is_signed && !file.datasets[0].big_endian);
        QVERIFY(file.datasets[1].big_endian && !file.datasets[1].is_signed);
        QCOMPARE(file.datasets[1].shape, (Shape{3, 4}));
        QCOMPARE(std::get<ContiguousStorage>(file.datasets[1].storage).offset, 2048u);
        const auto& chunks = std::get<ChunkedStorage>(file.datasets[2].storage);
        QCOMPARE(chunks.filters, (std::vector{ChunkFilter::Shuffle, ChunkFilter::Deflate}));
        QCOMPARE(chunks.places[0].skipped_filters, 2u);
        QCOMPARE(chunks.places[1].offset, 4096u);
        QCOMPARE(file.texts.at("description").size(), 11u);
    }

    void cutShortAnywhere() {
        for (const ReaderAnswer& answer : everyAnswer()) {
            const Bytes sent = encodeAnswer(answer);
            for (std::size_t length = 0; length < sent.size(); ++length)
                QVERIFY(!decodeAnswer(std::span(sent).first(length)));
        }
    }

    void moreThanItsLength() {
        Bytes sent = encodeAnswer(everyKindOfDataset());
        sent.push_back(std::byte{0});
        QVERIFY(!decodeAnswer(sent));
        sent[0] = static_cast<std::byte>(std::to_integer<unsigned>(sent[0]) + 1);
        QVERIFY(!decodeAnswer(sent)); // the length is right, and a byte is left
    }

    /// A list of 2^60 datasets is not made room for.
    void absurdCounts() {
        Bytes sent = encodeAnswer(Hdf5Description());
        sent[8 + 1 + 7] = std::byte{0x10};
        QVERIFY(!decodeAnswer(sent));
    }

    /// What is small on the way and large once it is read: names without end.
    void moreEntriesThanAFileMayHave() {
        for (const std::size_t more : {std::size_t{0}, std::size_t{1}}) {
            Hdf5Description tensors;
            tensors.datasets.resize(kMostEntries + more);
            Hdf5Description texts;
            for (std::size_t i = 0; i < kMostEntries + more; ++i)
                texts.texts[std::to_string(i)] = "";
            ZipDescription members;
            members.members.resize(kMostEntries + more);
            for (const ReaderAnswer& answer :
                 {ReaderAnswer(tensors), ReaderAnswer(texts), ReaderAnswer(members)})
                QCOMPARE(decodeAnswer(encodeAnswer(answer)).has_value(), more == 0);
        }
    }

    void plansArriveWhole() {
        const Hdf5Plan plan{{{"a/w", {3, 5}, WrittenType::BFloat16, 2, {1, 5}},
                             {"t", {}, WrittenType::Text, 7, {}}},
                            {{"config", "{}"}, {"note", std::string("zero\0inside", 11)}}};
        const Bytes sent = encodePlan(plan);
        const auto received = decodePlan(sent);
        QVERIFY(received);
        QCOMPARE(received->arrays[0].chunk_shape, (Shape{1, 5}));
        QCOMPARE(received->arrays[1].type, WrittenType::Text);
        QVERIFY(encodePlan(*received) == sent);
        for (std::size_t length = 0; length < sent.size(); ++length)
            QVERIFY(!decodePlan(std::span(sent).first(length)));
    }

    void unknownKinds() {
        Bytes kind = encodeAnswer(SentencePieceModel());
        kind[8] = std::byte{7};
        QVERIFY(!decodeAnswer(kind));
        Bytes code = encodeAnswer(Refusal{{ErrorCode::Malformed, ""}, ""});
        code[9] = std::byte{200};
        QVERIFY(!decodeAnswer(code));
    }

    /// Whatever arrives is refused or is an answer that could have been sent.
    void randomChanges() {
        std::mt19937 random(11);
        for (const ReaderAnswer& answer : everyAnswer()) {
            const Bytes sent = encodeAnswer(answer);
            for (int round = 0; round < 2000; ++round) {
                Bytes changed = sent;
                for (int i = 0; i < 3; ++i)
                    changed[random() % changed.size()] = static_cast<std::byte>(random() % 256);
                if (const auto received = decodeAnswer(changed))
                    QVERIFY(encodeAnswer(*received).size() <= changed.size());
            }
        }
    }
};

const headscope::test::TestRegistration<TestWire> registration;

} // namespace test_wire

#include "test_wire.moc"
