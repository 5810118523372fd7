# Completion of flaketap for fish: flaketap completion fish > ~/.config/fish/completions/flaketap.fish

function __flaketap_candidates
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -q typed[1]; or set typed ""
    set -l prefix (string match -r -- '^--[^=]*=' $typed)
    for line in ($words[1] completion candidates -- $words[2..-1] $typed 2>/dev/null)
        switch $line
            case ':files'
                for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' $typed))
                    echo "$prefix$path"
                end
            case ':folders'
                for path in (__fish_complete_directories (string replace -r -- '^--[^=]*=' '' $typed) '')
                    echo "$prefix$path"
                end
            case ':*'
            case '*'
                echo $line
        end
    end
end

complete -c flaketap -f -a '(__flaketap_candidates)'
