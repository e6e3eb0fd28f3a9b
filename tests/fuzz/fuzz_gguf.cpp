#include "core/loading/dialect.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/fuzz/fuzz_file.h"

using namespace headscope;

/// The file as it is, then as its model, with its tokenizer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto path = fuzz::write("model.gguf", {data, size});
    fuzz::openAndReadAll(path);
    auto source = openTensorSource(path, std::size_t{1} << 24);
    if (!source)
        return 0;
    const auto model = translate(*std::move(source));
    if (!model)
        return 0;
    for (const TensorInfo& tensor : model->file->tensors()) {
        std::vector<float> values(elementCount(tensor.shape));
        static_cast<void>(model->file->read(tensor, values));
    }
    if (const auto tokenizer = model->file->text("tokenizer"))
        static_cast<void>(readTokenizerJson(*tokenizer, "model.gguf"));
    return 0;
}
