# Shared by app/run, tests/run and .ci/run: the Debian packages Headscope is built from, and how to
# get them. Sourced, never run.

readonly headscope_build_packages=(
    # tools
    build-essential cmake ninja-build pkg-config
    # core
    libhdf5-dev libopenblas-dev nettle-dev libpcre2-dev libutf8proc-dev nlohmann-json3-dev libcli11-dev
    libminizip-dev libsentencepiece-dev libseccomp-dev libtbb-dev libxsimd-dev zlib1g-dev
    libprotobuf-dev # which Debian 13's sentencepiece.pc asks for
    libabsl-dev     # which sid's sentencepiece_processor.h includes
    # the Python module
    pybind11-dev python3-dev
    # window and tests
    qt6-base-dev qt6-svg-dev libqcustomplot-dev
    qt6-tools-dev qt6-l10n-tools # lrelease, and how CMake finds it
)
# The plugins are what Qt loads at run time, the font is what it draws with, the daemon is what tests
# let two windows speak over.
readonly headscope_packages=(
    "${headscope_build_packages[@]}" qt6-qpa-plugins fonts-dejavu-core dbus-daemon python3-numpy
)
# What tests/cluster/run spreads work with.
readonly headscope_cluster_packages=(
    slurmctld slurmd slurm-client slurm-wlm-basic-plugins parallel iproute2 procps bc
)

fail() {
    echo "headscope: $*" >&2
    exit 1
}

as_root() {
    if ((EUID == 0)); then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# Installs those of the named packages that are missing; asks for no rights when none is.
install_packages() {
    local package missing=()
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        fail "this script installs packages with apt-get, which this system does not have; on" \
            "another system install what app/prepare.sh lists and run" \
            "'cmake --preset release && cmake --build --preset release'."
    fi
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed* ]] ||
            missing+=("$package")
    done
    ((${#missing[@]})) || return 0

    if ((EUID != 0)) && ! command -v sudo >/dev/null; then
        fail "these packages are missing, and installing them needs root or sudo:" \
            "${missing[*]}."
    fi
    echo "Installing, with what they need: ${missing[*]}"
    as_root apt-get update -qq ||
        fail "apt-get could not refresh its package lists; check the network and" \
            "/etc/apt/sources.list."
    as_root apt-get install -qq --yes --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "apt-get could not install ${missing[*]}; its own message above says why."
}

# minutes_for COUNT SECONDS: what takes so many seconds of one slow processor each, on all of this machine
minutes_for() {
    local minutes=$((($1 * $2 + 30 * $(nproc)) / (60 * $(nproc))))
    ((minutes > 1)) && echo "about $minutes minutes" || echo "a minute or so"
}

# configure_and_build PRESET TARGET…, in the repository root
configure_and_build() {
    local preset=$1 steps
    shift
    cmake --preset "$preset" ||
        fail "CMake could not configure the preset '$preset'; its message above says what it misses."
    steps=$(cmake --build --preset "$preset" --target "$@" -- -n | grep -c '^\[' || true)
    ((steps < 5)) || echo "headscope: $steps steps to build, $(minutes_for "$steps" 3)."
    export NINJA_STATUS='[%f/%t, %e s] '
    cmake --build --preset "$preset" --parallel "$(nproc)" --target "$@" ||
        fail "the build of the preset '$preset' stopped; the first error above says where."
}
