# fish completion for beemed-relay. It offers what 'beemed-relay help' names, so that it knows each
# command and option of the program that is installed.
function __beemed_relay_offers
    set -l typed (commandline -opc)
    set -l program $typed[1]
    set -e typed[1]
    set -l is_help
    if test "$typed[1]" = help
        set is_help yes
        set -e typed[1]
    end
    set -l commands ($program help 2>/dev/null \
        | string replace -rf '^  ([a-z][a-z -]*[a-z])  +(.*)' '$1\t$2')
    set -l group (string match -- "$typed[1] *" $commands)
    if test (count $typed) -eq 0
        string replace -r '^([a-z-]+) .*' '$1' $commands | uniq
        return
    else if test (count $typed) -eq 1 -a -n "$group"
        string replace -- "$typed[1] " '' $group
        return
    else if test -n "$is_help"
        return
    end
    set -l help ($program help $typed[1..2] 2>/dev/null; or $program help $typed[1])
    # The line about the option before the cursor, if it wants a value.
    set -l last $typed[-1]
    set -l option
    if string match -q -- '--*' $last
        set option (string match -r -- "^  (?:-[a-z], )?$last [^ ].*" $help)
    else if string match -q -- '-*' $last
        set option (string match -r -- "^  $last, --[a-z-]+ [^ ].*" $help)
    end
    switch "$option "
        case '*--log-level *'
            printf '%s\n' debug info warning error
        case '*--log-format *'
            printf '%s\n' text json
        case '*--state *'
            printf '%s\n' queued sending delivered held refused undone guarded merged
        case '*--can *'
            printf '%s\n' log log,read log,read,manage read health
        case '*--aggregate *'
            printf '%s\n' sum last max min mean count
        case '*--days *'
            printf '%s\n' civil goal
        case ' '
            string replace -rf '^  (?:-[a-z], )?(--[a-z-]+)(?: [^ ]+)? *(.*)' '$1\t$2' -- $help
    end
    # The first line of the help names the operands.
    test -n "$option"; or set option $help[1]
    if string match -qr -- ' (\[?DIR|FILE|TO|FROM)' $option
        __fish_complete_path (commandline -ct)
    end
end
complete -c beemed-relay -f -a '(__beemed_relay_offers)'
