#include "app/cli/output_option.h"

#include "app/cli/command.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>

namespace headscope::cli {

ArrayFormat requireArrayFormat(const std::filesystem::path& path) {
    static constexpr std::array<std::string_view, 3> figures{".svg", ".pdf", ".png"};
    if (std::ranges::find(figures, path.extension().string()) != figures.end())
        refuseUsage("Figures such as " + path.string() + " are made by: headscope MODEL --text S " +
                    "--head L.H --figure FILE");
    const auto format = arrayFormatOf(path);
    if (!format)
        refuseUsage("The extension of " + path.string() +
                    " is unknown; use .npz, .npy, .h5, .csv or .json.");
    return *format;
}

Result<void> checkFolder(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return Error{ErrorCode::WriteFailed,
                     path.string() + " is a folder; give the name of a file in it."};
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder, ignored))
        return Error{ErrorCode::NotFound, "Cannot write " + path.string() + ": the folder " +
                                              folder.string() +
                                              " does not exist; make it or choose another."};
    return {};
}

void printWritten(const std::filesystem::path& path) {
    std::cout << "wrote " << path.string() << ", " << byteText(std::filesystem::file_size(path));
    const ArrayFormat format = *arrayFormatOf(path);
    if (format == ArrayFormat::Npy || format == ArrayFormat::Csv)
        std::cout << ", and " << path.string() << ".json";
    std::cout << '\n';
}

} // namespace headscope::cli
