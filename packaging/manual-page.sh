#!/usr/bin/env bash
# The manual page beemed-relay(1) on standard output, made from the help of the program in $1.
set -euo pipefail
program=$1
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
date=$(date -u -d "@$time" +%Y-%m-%d 2>/dev/null || date -u -r "$time" +%Y-%m-%d)
version=$("$program" version)

# Each character that roff(7) would take for a request or an escape, as itself.
escape() { sed -e 's/\\/\\e/g; s/-/\\-/g; s/^\([.'\'']\)/\\\&\1/'; }

# The help of a command (standard input) as a section: paragraphs, entries with a name and a text,
# and examples.
section() {
    escape | awk '
        /^usage: / { print ".SS " substr($0, 8); next }
        /^$/ { if (!shows) gap = text; next }
        /^Options:$/ { next }
        /^Examples:$/ { shows = 1; print ".PP\n.nf"; next }
        shows { print; next }
        /^   / { sub(/^ +/, ""); print; next }
        /^  / {
            sub(/^  /, ""); end = match($0, /  +/)
            print ".TP\n.B " (end ? substr($0, 1, end - 1) : $0)
            if (end) print substr($0, end + RLENGTH)
            next
        }
        { if (gap) print ".PP"; print; gap = 0; text = 1 }
        END { if (shows) print ".fi" }'
}

cat <<PAGE
.TH BEEMED\-RELAY 1 "$date" "${version}" "User Commands"
.SH NAME
beemed\-relay \- takes presses of small devices and delivers them to Beeminder
.SH SYNOPSIS
.B beemed\-relay
.I COMMAND
[OPTIONS]
.SH DESCRIPTION
A small always\-on server for the home network that takes "+1" presses from small devices, puts
them on disk, answers, and delivers them to Beeminder exactly once.
.SH COMMANDS
PAGE
"$program" help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p' | while read -r command; do
    # shellcheck disable=SC2086  # A command has one or two words.
    "$program" help $command | section
done
cat <<'PAGE'
.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 64
The command line is wrong.
.TP
.B 65
The input is wrong, or a person should look.
.TP
.B 66
The input does not exist.
.TP
.B 69
No relay runs, it is not well, or the address is in use.
.TP
.B 70
An error of the program.
.TP
.B 71
The system refuses something basic.
.TP
.B 74
The disk failed.
.TP
.B 75
Another process uses the data folder; try again later.
.TP
.B 77
Permissions are missing or unsafe, or Beeminder refuses the token.
.TP
.B 78
A setting or a file of the data folder is wrong.
.SH FILES
.TP
~/.local/share/beemed\-relay
The data folder, on macOS ~/Library/Application Support/BeemedRelay: journal, devices, account,
settings (config.json).
.SH SEE ALSO
The running relay serves its manual at /docs and its contract at /openapi.yaml.
PAGE
