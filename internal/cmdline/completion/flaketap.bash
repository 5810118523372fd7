# Completion of flaketap for bash: source <(flaketap completion bash)

_flaketap() {
    local line=${COMP_LINE:0:COMP_POINT} cur cut word says path
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cur=${words[${#words[@]}-1]}
    cut=${cur%"${cur##*[=:]}"} # bash replaces what stands behind these alone
    COMPREPLY=()
    while IFS=$'\t' read -r word says; do
        case $word in
            :files | :folders)
                compopt -o filenames 2>/dev/null
                while IFS= read -r path; do
                    COMPREPLY+=("$path")
                done < <(if [[ $word == :files ]]; then compgen -f -- "${cur#"$cut"}"; else compgen -d -- "${cur#"$cut"}"; fi)
                ;;
            :*) ;;
            *) [[ $word == "$cur"* ]] && COMPREPLY+=("${word#"$cut"}") ;;
        esac
    done < <("$1" completion candidates -- "${words[@]:1}" 2>/dev/null)
}

complete -F _flaketap flaketap
