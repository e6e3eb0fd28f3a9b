#pragma once

#include "core/base/result.h"
#include "core/io/sealed/hdf5_layout.h"
#include "core/io/sentencepiece_model.h"
#include "core/io/tensor_source.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

using Bytes = std::vector<std::byte>;
using Texts = std::map<std::string, std::string, std::less<>>;

/// More than the largest tokenizer.json there is.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;

// What a file and a dataset may be. The reader refuses the rest in the words of the file, the
// program whatever a reader says of it.

/// Tensors, texts, or files in an archive.
inline constexpr std::size_t kMostEntries = 100'000;
/// Tensors of a GGUF file.
inline constexpr std::size_t kMostGgufTensors = 1'000'000;
inline constexpr std::size_t kMaxRank = 8;
/// A deflate stream gives at most 1032 bytes for each of its own.
inline constexpr std::size_t kMaxDeflateRatio = 1032;
/// A chunk may be larger than its dataset, which may grow; up to this.
inline constexpr std::size_t kMaxSpareChunkBytes = std::size_t{16} << 20;

// What the sealed reader says of a file. It may have been taken over by the very file that it
// reads: nothing here is believed before it was checked against the file (below).
// Offsets count from the first byte of the part of the file that the reader was given.

enum class ChunkFilter : std::uint8_t { Deflate, Shuffle, Fletcher32 };

/// Where one chunk is. It is packed by all filters but those (bit i: filter i) that its writer left
/// out.
struct ChunkPlace {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint32_t skipped_filters = 0;
};

struct ContiguousStorage {
    std::uint64_t offset = 0;
};

struct ChunkedStorage {
    Shape chunk_shape;                ///< in elements, of the rank of the dataset
    std::vector<ChunkFilter> filters; ///< in the order in which the writer applied them
    std::vector<ChunkPlace> places;   ///< of all chunks, row-major over the grid of chunks
};

/// The bytes themselves, of a dataset whose description holds them: 64 kB at most.
using CompactStorage = Bytes;

/// An array of an HDF5 file.
struct DatasetDescription {
    std::string path; ///< without the leading '/'
    Shape shape;
    StoredType type = StoredType::Other;
    std::uint64_t element_bytes = 0;
    bool big_endian = false;
    bool is_signed = false;   ///< of integers
    std::uint64_t object = 0; ///< the same for two names of one array
    std::variant<CompactStorage, ContiguousStorage, ChunkedStorage> storage;
};

struct Hdf5Description {
    std::vector<DatasetDescription> datasets;
    Texts texts; ///< attributes of the root, and datasets that hold one text
};

/// A file in a zip archive: stored as it is, or deflated.
struct ZipMember {
    std::string name;
    std::uint64_t offset = 0; ///< of the stored bytes; 0 where only the name is known
    std::uint64_t stored_bytes = 0;
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;
    bool deflated = false;
};

struct ZipDescription {
    std::vector<ZipMember> members; ///< in the order of the directory of the archive
};

/// What each of some JSON texts holds, as encodeJson() gives it, or why it holds nothing.
struct JsonAnswers {
    std::vector<Result<Bytes>> texts; ///< in the order of the question
};

/// A tensor of a GGUF file.
struct DescribedTensor {
    std::string name;
    std::uint32_t format = 0; ///< in the enum ggml_type
    Shape shape;              ///< the axis that varies fastest is the last
    std::uint64_t offset = 0;
};

struct GgufAnswer {
    std::string metadata; ///< the text of a JSON object
    std::vector<DescribedTensor> tensors;
    std::uint64_t split_number = 0;
    std::uint64_t split_count = 1;
    std::uint64_t split_tensors = 0;
};

/// Why the file is not described. The reason is to be put into a sentence about the file, or about
/// one tensor where it is named.
struct Refusal {
    Error reason;
    std::string tensor;
};

/// Whether a reader may give this as its reason: UTF-8, neither empty nor long.
bool isReason(std::string_view message);

/// What the sealed reader answers.
using ReaderAnswer = std::variant<Refusal, Hdf5Description, ZipDescription, Hdf5Layout, JsonAnswers,
                                  GgufAnswer, SentencePieceModel>;

/// Whether everything that is said of a dataset can be true of a file of `file_bytes` bytes: sizes
/// that are no larger than any memory, and numbers that are inside the file and as many as the
/// shape says. After this nothing can be read past an end or unpacked beyond what the shape says.
/// Error messages are reasons.
Result<void> checkDataset(const DatasetDescription& dataset, std::size_t file_bytes);

/// Bytes of the file that hold the numbers of a dataset; of one that passed checkDataset().
std::size_t storedBytes(const DatasetDescription& dataset);

/// The same for all members of an archive of `file_bytes` bytes.
Result<void> checkArchive(const ZipDescription& archive, std::size_t file_bytes);

} // namespace headscope
