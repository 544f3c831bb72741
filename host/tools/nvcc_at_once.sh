#!/bin/bash
# As `NVCC ARGUMENTS`, which makes a library of one file for one architecture, in two thirds of the time: what the GPU
# and what the host gets of the file is compiled at the same time, and no code of several files is linked, as there is
# none.
#
# usage: nvcc_at_once.sh NVCC ARGUMENTS...     with -o LIBRARY and -MF DEPENDENCIES among them
#
# The steps are those of `nvcc --dryrun`, as the shell reads them. nvcc takes one after another, since cudafe++ makes up
# a name for the file which cicc reads: here it is there before both. What the steps say is printed in nvcc's order, up
# to the first that fails. Where they are other ones than expected, as for several architectures or -rdc=true, nvcc does
# all.

nvcc=$1
shift
for ((i = 1; i < $#; ++i)); do
    next=$((i + 1))
    case ${!i} in
        -o) library=${!next} ;;
        -MF) dependencies=${!next} ;;
    esac
done
folder=$library.steps
mkdir -p "$folder"
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

by_nvcc() {
    rm -rf "$folder"
    exec "$nvcc" "$@"
}

# Sorts the lines of a dry run; fails at one that is not expected, and at a second one of a kind.
declare -A steps
add() {
    [[ -z ${steps[$1]} ]] && steps[$1]=$2
}
read_steps() {
    local line
    while IFS= read -r line; do
        line=${line%' > '*'_stdout 2>'*'_stderr'}
        case $line in
            '#$ '[A-Z_]*=*)
                [[ $line =~ ^'#$ '(PATH|LD_LIBRARY_PATH|CICC_PATH|NVVMIR_LIBRARY_DIR)= ]] && export "${line:3}" ;;
            '#$ rm '* | '#$ -- '* | '#$ nvlink '* | '#$ fatbinary '*' -link '* | '#$ '*'/crt/link.stub"'*) ;;
            *' --device-c'*) return 1 ;;
            '#$ '*'-D__CUDA_ARCH__='*' -E -x c++ '*) add device_text "${line:3}" || return ;;
            '#$ '*' -E -x c++ '*) add host_text "${line:3}" || return ;;
            '#$ cudafe++ '*) add cudafe "${line:3}" || return ;;
            '#$ "$CICC_PATH/cicc" '*) add cicc "${line:3}" || return ;;
            '#$ ptxas '*) add ptxas "${line:3}" || return ;;
            '#$ fatbinary '*) add fatbinary "${line:3}" || return ;;
            '#$ '*' -c -x c++ '*) add compile "${line:3}" || return ;;
            '#$ '*' -Wl,--start-group '*) add link "${line:3}" || return ;;
            '#$ '*) return 1 ;;
            *) printf '%s\n' "$line" >>"$folder/nvcc.err" ;;
        esac
    done
    [[ ${#steps[@]} -eq 8 ]]
}

# The name is in the file to which cudafe++ would write it. Each part may include what the other does not.
change_steps() {
    [[ ${steps[cudafe]} =~ ' --gen_module_id_file --module_id_file_name "'([^\"]+)'"' ]] || return
    printf '_%08x_6_plugin' $$ >"${BASH_REMATCH[1]}"
    steps[cudafe]=${steps[cudafe]/ --gen_module_id_file/}
    for part in host device; do
        steps[${part}_text]+=$(printf ' -MMD -MP -MT %q -MF %q' "$library" "$folder/$part.d")
    done
    [[ ${steps[link]} =~ '"'[^\"]+'_dlink.o" ' ]] && steps[link]=${steps[link]/"${BASH_REMATCH[0]}"/}
}

take() {
    eval "${steps[$1]}" >"$folder/$1.out" 2>"$folder/$1.err"
    local status=$?
    echo $status >"$folder/$1.status"
    return $status
}

tell() {
    local status=1
    [[ -s $folder/$1.out ]] && cat "$folder/$1.out"
    [[ -s $folder/$1.err ]] && cat "$folder/$1.err" >&2
    read -r status <"$folder/$1.status"
    [[ $status == 0 ]] || exit "$status"
}

said=$(TMPDIR=$folder "$nvcc" --dryrun "$@" 2>&1) && read_steps <<<"$said" && change_steps || by_nvcc "$@"
[[ -e $folder/nvcc.err ]] && cat "$folder/nvcc.err" >&2
{ take device_text && take cicc && take ptxas && take fatbinary; } &
take host_text && take cudafe
wait
shopt -s nullglob
cat /dev/null "$folder"/*.d >"$dependencies"  # neither is there of a file that includes what is not
for step in device_text host_text cudafe cicc ptxas fatbinary; do tell $step; done
for step in compile link; do
    take $step
    tell $step
done
exit 0
