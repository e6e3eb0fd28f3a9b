#include "core/io/files/weight_file.h"

#include "core/base/utf8.h"
#include "core/io/file_error.h"
#include "core/io/files/open_file.h"
#include "core/io/files/tensor_reading.h"
#include "core/io/gguf/gguf_source.h"
#include "core/io/hdf5/hdf5_source.h"
#include "core/io/safetensors/safetensors_source.h"
#include "core/io/zip/keras_archive.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n"sv;
constexpr std::size_t kHeadBytes = 512;

Result<std::string> bytesAt(const InputFile& file, std::size_t offset, std::size_t count) {
    std::string bytes(count, '\0');
    const auto read = file.readAt(offset, std::as_writable_bytes(std::span(bytes)));
    if (!read)
        return read.error();
    bytes.resize(*read);
    return bytes;
}

/// Length of the JSON header as u64, little-endian, then the header, which is a JSON object. The
/// length may be wrong, as in a file that is cut short, but no text reads as one. Blanks before the
/// object are wrong, too, and for the reader to tell.
bool looksLikeSafetensors(std::string_view head) {
    const std::size_t first = head.find_first_not_of(" \t\n\r", 8);
    if (first == std::string_view::npos || head[first] != '{')
        return false;
    const std::uint64_t header_bytes = littleEndian(std::as_bytes(std::span(head.substr(0, 8))));
    return header_bytes <= std::numeric_limits<std::uint32_t>::max();
}

/// Pickle protocols 2 to 5 begin with the PROTO opcode.
bool looksLikePickle(std::string_view head) {
    return head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

bool looksLikeText(std::string_view head) {
    const bool control = std::any_of(head.begin(), head.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && "\t\n\r\f"sv.find(c) == std::string::npos;
    });
    // The head may end in the middle of a character of up to four bytes.
    const std::size_t invalid = firstInvalidUtf8(head);
    return !control && (invalid == std::string_view::npos || invalid + 4 > kHeadBytes);
}

std::optional<FileKind> binaryKind(std::string_view head) {
    if (head.starts_with(kHdf5Signature))
        return FileKind::Hdf5;
    if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv))
        return FileKind::Zip;
    if (head.starts_with("GGUF"sv))
        return FileKind::Gguf;
    // Before pickles: the length of a safetensors header may begin with the bytes of one.
    if (looksLikeSafetensors(head))
        return FileKind::Safetensors;
    if (looksLikePickle(head))
        return FileKind::Pickle;
    return std::nullopt;
}

FileKind textKind(std::string_view head) {
    if (!looksLikeText(head))
        return FileKind::Unknown;
    if (head.starts_with("version https://git-lfs"sv))
        return FileKind::LfsPointer;
    std::string lower(head);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const bool web = lower.starts_with("<!doctype html") || lower.starts_with("<html");
    return web ? FileKind::WebPage : FileKind::Text;
}

Result<bool> hasHdf5AfterUserBlock(const InputFile& file) {
    for (std::size_t offset = 512; offset < file.size(); offset *= 2) {
        const auto bytes = bytesAt(file, offset, kHdf5Signature.size());
        if (!bytes)
            return bytes.error();
        if (*bytes == kHdf5Signature)
            return true;
    }
    return false;
}

} // namespace

Result<FileKind> fileKindOf(const InputFile& file) {
    if (file.size() == 0)
        return FileKind::Empty;
    const auto head = bytesAt(file, 0, kHeadBytes);
    if (!head)
        return head.error();
    if (const auto kind = binaryKind(*head))
        return *kind;
    const auto hdf5 = hasHdf5AfterUserBlock(file);
    if (!hdf5)
        return hdf5.error();
    return *hdf5 ? FileKind::Hdf5 : textKind(*head);
}

std::string pickleRefusal(const std::filesystem::path& path) {
    return "it is a Python pickle (PyTorch .pt or .bin), which can run code when it is opened and "
           "is never read; open the .safetensors version of the model, or make one in Python: "
           "import torch, safetensors.torch as s; s.save_file({k: v.contiguous().clone() for k, v "
           "in torch.load('" +
           path.filename().string() + "', weights_only=True).items()}, 'model.safetensors')";
}

namespace {

Error refusal(FileKind kind, const std::filesystem::path& path) {
    const auto unsupported = [&](std::string_view reason) {
        return cannotOpen(ErrorCode::Unsupported, path, reason);
    };
    const auto malformed = [&](std::string_view reason) {
        return cannotOpen(ErrorCode::Malformed, path, reason);
    };
    switch (kind) {
    case FileKind::Empty:
        return malformed("it is empty (0 bytes); download or copy it again");
    case FileKind::Pickle:
        return unsupported(pickleRefusal(path));
    case FileKind::LfsPointer:
        return malformed("it is a Git LFS pointer in place of the file itself; run 'git lfs pull'");
    case FileKind::WebPage:
        return malformed("it is a web page, perhaps of a failed download; download the weight "
                         "file again");
    case FileKind::Text:
        return malformed("it is a text file and holds no weights; choose the weight file of the "
                         "model, or its folder");
    default:
        return malformed(
            "it is no HDF5, safetensors or GGUF file, nor any other weight file known by "
            "its first bytes; choose another file, or download it again");
    }
}

} // namespace

Result<std::unique_ptr<TensorSource>> openWeightFile(const std::filesystem::path& path,
                                                     std::size_t byte_budget,
                                                     const std::stop_token& stop) {
    auto file = InputFile::open(path);
    if (!file)
        return file.error();
    const auto kind = fileKindOf(*file);
    if (!kind)
        return kind.error();
    switch (*kind) {
    case FileKind::Hdf5:
        return openHdf5Source({*std::move(file), {}, {}}, byte_budget, stop);
    case FileKind::Safetensors:
        return openSafetensorsSource(*std::move(file), byte_budget);
    case FileKind::Gguf:
        return openGgufSource(*std::move(file), byte_budget, stop);
    case FileKind::Zip:
        return openKerasArchive(*std::move(file), byte_budget, stop);
    default:
        return refusal(*kind, path);
    }
}

} // namespace headscope
