#compdef flaketap
# Completion of flaketap for zsh: flaketap completion zsh > "${fpath[1]}/_flaketap", or source <(flaketap completion zsh)

_flaketap() {
    local line beside
    local -a candidates
    for line in "${(@f)$("${(Q)words[1]}" completion candidates -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            :*) beside=$line ;;
            *$'\t'*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    (( $#candidates )) && _describe -V flaketap candidates
    [[ $PREFIX == --*=* ]] && compset -P '*='
    case $beside in
        :files) _files ;;
        :folders) _files -/ ;;
    esac
}

if [[ $funcstack[1] == _flaketap ]]; then
    _flaketap "$@"
else
    compdef _flaketap flaketap
fi
