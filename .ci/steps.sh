# The steps that .ci/run and tests/nightly/run share. Sourced, never run, after app/prepare.sh.

step() {
    printf '\n=== %s (%d min %02d s so far)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60))
}

# What was compiled once is not compiled again; precompiled headers ask for the sloppiness.
keep_what_is_compiled() {
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
}

# slowest_tests FILE: the twenty that took longest, from what ctest wrote for JUnit.
slowest_tests() {
    sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9.]*\)".*/\2 s  \1/p' "$1" | sort -rn | sed -n 1,20p
}

# tidy FILE…: each file of core and app is read alone, with the headers that it includes itself, so that a
# missing one is an error. Those of the window are read several at a time, as the preset puts them
# together: Qt's headers take most of the time.
tidy() {
    local build=$PWD/build/tidy units=() together=() file
    cmake --preset tidy >/dev/null
    for file in "$@"; do
        if [[ $file == ui/* ]]; then
            together+=("${file%.*}.cpp")
        else
            units+=("$file")
        fi
    done
    if ((${#together[@]})); then
        mapfile -O "${#units[@]}" -t units < <(printf '%s\n' "${together[@]}" |
            grep -rlFf - "$build/ui" --include='unity_*.cxx')
    fi
    ((${#units[@]})) || return 0
    printf '%s\0' "${units[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" 2>&1 |
        { grep -v -E '^[0-9]+ warnings? generated|^Suppressed |^Use -header-filter' || true; }
}

# sanitize CTEST-ARGUMENT…: core and command line with clang under the sanitizers, with these of their tests.
sanitize() {
    configure_and_build sanitize-core all
    ctest --preset sanitize-core --parallel "$(nproc)" "$@"
}

# sanitize_rooms ROOM…: the same of these rooms alone, without what takes too long for each change. The command
# line's tests start a program for each question, which takes long there.
sanitize_rooms() {
    local labels all targets
    labels="($(IFS='|' && echo "$*"))"
    cmake --preset sanitize-core >/dev/null
    all=$(ninja -C build/sanitize-core -t targets all)
    mapfile -t targets < <(sed -n -E "s/^(tests_${labels}(_.*)?): phony\$/\1/p" <<<"$all" | grep -v '^tests_cli')
    ((${#targets[@]})) || return 0
    configure_and_build sanitize-core "${targets[@]}"
    ctest --preset sanitize-core --parallel "$(nproc)" \
        --label-regex "^${labels}\$" --label-exclude '^cli$' --exclude-regex "^test_($endless|$calculating)\$"
}

# These only calculate, for many minutes under the sanitizers, with code that others run there too,
readonly endless='backward_slopes|false_positives|float64|judge|sample_scores|score_parts|support_table|sweep'\
'|planted_models|token_dependence'
# and these for half a minute or longer.
readonly calculating='ablation|ablation_effect|activation_patching|asked_types|bad_tensors|basis|batch|choice_task'\
'|compensation|composition|controls|converted_bos|edge_attribution|effect_verdict|folded_weights'\
'|function_checks|function_parts|generate|gradient_sweep|head_similarity|head_writing|known_start'\
'|logit_attribution|logit_lens|measure_trust|orders|part_removal|path_patching|published_checks'\
'|query_dimensions|random_model|row_products|score_signals|score_trace|smaller_model'\
'|smaller_model_forms|tokenizer_texts|verify|weight_tensor|weight_types|word_meters'
