#include "core/io/sealed/processor_share.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace headscope {

bool isShortOfProcessor(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/schedstat");
    std::string line;
    std::getline(file, line);
    return isShortOfProcessor(line);
}

bool isShortOfProcessor(std::string_view schedstat) {
    std::istringstream numbers{std::string(schedstat)};
    std::uint64_t computed = 0;
    std::uint64_t waited = 0;
    return (numbers >> computed >> waited) && waited > computed;
}

} // namespace headscope
