// What a sealed reader that was taken over may answer: everything that is understood and passes the
// checks is read, from a file that is not at all like it.

#include "core/base/json_bytes.h"
#include "core/io/files/open_file.h"
#include "core/io/gguf/gguf_description.h"
#include "core/io/hdf5/hdf5_numbers.h"
#include "core/io/sealed/file_description.h"
#include "core/io/sealed/wire.h"
#include "core/io/sentencepiece/model_fields.h"
#include "core/io/zip/keras_archive.h"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

using namespace headscope;

namespace {

constexpr std::size_t kMostNumbers = std::size_t{1} << 20;

const InputFile& someFile() {
    static const InputFile file = *InputFile::inMemory("model.h5", [](const auto& append) {
        std::vector<std::byte> bytes(std::size_t{1} << 16);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(i * 7 >> 3);
        return append(bytes);
    });
    return file;
}

void readAll(const Hdf5Description& description) {
    for (const DatasetDescription& dataset : description.datasets) {
        if (!checkDataset(dataset, someFile().size()) || elementCount(dataset.shape) > kMostNumbers)
            continue;
        std::vector<float> numbers(elementCount(dataset.shape));
        static_cast<void>(readNumbers(someFile(), dataset, numbers, {}));
    }
}

void readAll(const ZipDescription& archive) {
    if (!checkArchive(archive, someFile().size()))
        return;
    for (const ZipMember& member : archive.members) {
        static_cast<void>(openMember(someFile(), member, kMostNumbers, {}));
        static_cast<void>(readMember(someFile(), member, kMostNumbers));
    }
}

void readAll(const Refusal&) {}

void readAll(const JsonAnswers& answers) {
    for (const Result<Bytes>& text : answers.texts)
        if (text)
            static_cast<void>(decodeJson(*text, {}, kMostNumbers));
        else
            static_cast<void>(isReason(text.error().message));
}

void readAll(const GgufAnswer& description) {
    static_cast<void>(checkedHeader(description, someFile().size()));
}

void readAll(const SentencePieceModel& model) {
    if (!hasOnlyKnownSettings(model))
        return;
    // What is written can be taken apart again, and says the same.
    const std::string file = sentencePieceFile(model);
    const auto again = parseSentencePieceModel(file);
    if (!again || sentencePieceFile(*again) != file)
        std::abort();
}

void readAll(const Hdf5Layout& layout) {
    const Hdf5Plan plan{
        {{"w", {3, 5}, WrittenType::Float32, 4, {2, 5}}, {"b", {5}, WrittenType::Float32, 4, {}}},
        {}};
    static_cast<void>(checkLayout(plan, layout));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (const auto answer = decodeAnswer(std::as_bytes(std::span(data, size))))
        std::visit([](const auto& said) { readAll(said); }, *answer);
    return 0;
}
