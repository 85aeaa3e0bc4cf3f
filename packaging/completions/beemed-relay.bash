# bash completion for beemed-relay. It offers what 'beemed-relay help' names, so that it knows each
# command and option of the program that is installed.
_beemed_relay() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}
    local -a typed=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    local words="" is_help="" help="" option="" commands files="" offer
    COMPREPLY=()
    if [ "${typed[0]}" = help ]; then
        is_help=yes
        typed=("${typed[@]:1}")
    fi
    commands=$("$program" help 2>/dev/null | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p')
    if [ ${#typed[@]} -eq 0 ]; then
        words=$(cut -d ' ' -f 1 <<< "$commands" | uniq)
    elif [ ${#typed[@]} -eq 1 ] && grep -q "^${typed[0]} " <<< "$commands"; then
        words=$(sed -n "s/^${typed[0]} //p" <<< "$commands")
    elif [ -z "$is_help" ]; then
        help=$("$program" help "${typed[@]:0:2}" 2>/dev/null || "$program" help "${typed[0]}")
        # The line about the option before the cursor, if it wants a value.
        case $last in
        --*) option=$(grep -E -e "^  (-[a-z], )?$last [^ ]" <<< "$help") ;;
        -*) option=$(grep -E -e "^  $last, --[a-z-]+ [^ ]" <<< "$help") ;;
        esac
        case "$option " in
        *" DIR "* | *" FILE "*) words=" " ;;
        *"--log-level "*) words="debug info warning error" ;;
        *"--log-format "*) words="text json" ;;
        *"--state "*) words="queued sending delivered held refused undone guarded merged" ;;
        *"--can "*) words="log log,read log,read,manage read health" ;;
        *"--aggregate "*) words="sum last max min mean count" ;;
        *"--days "*) words="civil goal" ;;
        " ") words=$(sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' <<< "$help") ;;
        esac
    fi
    # The first line of the help names the operands.
    case "${option:-${help%%$'\n'*}}" in
    *" DIR"* | *" [DIR"* | *" FILE"* | *" TO"* | *" FROM"*)
        files=yes ;;
    esac
    while IFS= read -r offer; do
        COMPREPLY+=("$offer")
    done < <([ -z "$files" ] || compgen -f -- "$word"; compgen -W "$words" -- "$word")
}
complete -o filenames -F _beemed_relay beemed-relay
