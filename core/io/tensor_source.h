#pragma once

#include "core/base/result.h"
#include "core/tensor/half.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

class InputFile;

/// How a tensor's numbers are stored in its file. Quantized are a few bits each, in blocks with a
/// scale.
enum class StoredType { Float64, Float32, Float16, BFloat16, Integer, Other, Quantized };

std::string_view storedTypeName(StoredType type);

/// Key of the text that holds all metadata of a GGUF file, a JSON object.
inline constexpr std::string_view kGgufMetadata = "GGUF metadata";

/// Whether a weight may be stored so.
bool isFloat(StoredType type);

/// The format that such a weight has in memory: narrow formats stay as they are.
FloatFormat formatFor(StoredType type);

/// The longest name that a reader takes from a file.
inline constexpr std::size_t kMaxTensorNameBytes = 1024;

/// One named tensor of a file. `name` uses '.' between parts whatever the file uses
/// ("transformer.h.0.attn.c_attn.weight").
struct TensorInfo {
    std::string name;
    Shape shape;
    StoredType type = StoredType::Other;
    std::size_t stored_bytes = 0;
    /// Where the file keeps a tensor whose name was translated: "h_._0/attn/c_attn/kernel:0".
    /// Empty when that is `name`.
    std::string stored_name = {};
    /// A matrix that is [in, out] in the file although its name promises [out, in]: a Keras kernel
    /// under the name of a torch weight. `shape` is that of the file.
    bool transposed = false;
    /// What the file calls numbers that are quantised or cannot be read: "Q4_K", "F8_E4M3". Empty
    /// for others.
    std::string_view format = {};

    bool isTranslated() const { return !stored_name.empty(); }
    /// For messages and reports.
    const std::string& nameInFile() const { return isTranslated() ? stored_name : name; }
};

/// For reports: "float16", "Q4_K, 4.5 bits".
std::string storedTypeText(const TensorInfo& tensor);

/// Where numbers are read to: as float32, or as the 16-bit words that some are stored as.
struct NumberTarget {
    std::span<float> floats;
    std::span<std::uint16_t> words; ///< in place of `floats`, of Float16 and BFloat16 only

    NumberTarget(std::span<float> target) : floats(target) {}
    NumberTarget(std::vector<float>& target) : floats(target) {}
    NumberTarget(std::span<std::uint16_t> target) : words(target) {}

    bool isWords() const { return !words.empty(); }
    std::size_t size() const { return floats.size() + words.size(); }
};

/// Named tensors and texts of one weight file, read lazily. Implementations never trust the file:
/// what they return has passed every guard. Not thread-safe; use one per loading thread.
class TensorSource {
public:
    virtual ~TensorSource() = default;

    /// The weight file, or the index of a model in several files. Config and tokenizer are looked
    /// for beside it.
    virtual const std::filesystem::path& path() const = 0;

    /// All files that are read: path(), or the index and its shards.
    virtual std::vector<std::filesystem::path> files() const { return {path()}; }

    /// The same files as they are open here, whole and in this order: what is hashed is what is
    /// read, whatever is at their paths by now.
    virtual std::vector<const InputFile*> openFiles() const { return {}; }

    /// What the user should know of a file that could be opened all the same; whole sentences.
    virtual std::vector<std::string> notes() const { return {}; }

    /// All tensors, sorted by name.
    virtual std::span<const TensorInfo> tensors() const = 0;

    /// Text stored beside the tensors under this key ("config", "tokenizer", "description").
    virtual std::optional<std::string> text(std::string_view key) const = 0;

    /// Reads one tensor into `target`, which must have exactly its size. Integers become the
    /// nearest float32; StoredType::Other cannot be read. Fails with ErrorCode::Cancelled soon
    /// after a stop request.
    virtual Result<void> read(const TensorInfo& tensor, NumberTarget target,
                              std::stop_token stop = {}) const = 0;

    /// Null when there is no tensor of that name.
    const TensorInfo* find(std::string_view name) const;

protected:
    /// For sources that rearrange numbers: reads the tensor as float32 and narrows what was
    /// widened.
    Result<void> readNarrowed(const TensorInfo& tensor, std::span<std::uint16_t> words,
                              const std::stop_token& stop) const;
};

/// Whether the user asked for files to be parsed by a process that is not sealed, by
/// HEADSCOPE_UNSEALED=1: on systems that allow no filter of system calls. Whoever opens one is
/// told.
bool isReaderUnsealed();

/// The memory of this machine, in bytes.
std::size_t defaultTensorBudget();

/// Opens a weight file (HDF5, safetensors, GGUF, .keras) after looking at its first bytes; a model
/// in several files by its index ("model.safetensors.index.json") or one of them; a folder by the
/// weights in it. Fails with one sentence for anything that is missing, unreadable, truncated,
/// hostile or of another kind, and when all tensors together would need more than `byte_budget`
/// bytes in memory.
Result<std::unique_ptr<TensorSource>>
openTensorSource(const std::filesystem::path& path, std::size_t byte_budget = defaultTensorBudget(),
                 const std::stop_token& stop = {});

} // namespace headscope
