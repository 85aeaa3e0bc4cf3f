/// Completions for shells, made from the command table.
enum Completions {
    /// The script for a shell.
    ///
    /// - Throws: `Failure` for a shell of which nothing is known.
    static func script(for shell: String) throws(Failure) -> String {
        switch shell {
        case "bash": return bash
        case "zsh": return zsh
        case "fish": return fish
        default:
            throw Failure(
                .usage, "there are completions for bash, zsh and fish, not for '\(shell)'")
        }
    }

    /// The second words of a group.
    private static func seconds(_ word: String) -> [String] {
        CommandTable.group(word).map { $0.words[1] }
    }

    private static func optionWords(_ command: CommandSpec) -> String {
        command.allOptions.flatMap { option in
            ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
        }.joined(separator: " ")
    }

    private static func words(_ command: CommandSpec) -> [String] {
        guard case .words(let words)? = command.operands.first?.completion else { return [] }
        return words
    }

    private static func acceptsFile(_ command: CommandSpec) -> Bool {
        command.operands.contains { $0.completion == .file }
    }

    // MARK: bash

    private static var bash: String {
        var lines = [
            "# bash completion for beemed-relay",
            "_beemed_relay() {",
            "    local word=\"${COMP_WORDS[COMP_CWORD]}\" last=\"${COMP_WORDS[COMP_CWORD-1]}\"",
            "    local command=\"${COMP_WORDS[1]}\" next=\"${COMP_WORDS[2]}\" words=\"\"",
            "    local place=$COMP_CWORD isHelp=\"\"",
            "    COMPREPLY=()",
            // What follows 'help' are the words of a command.
            "    if [ \"$place\" -gt 1 ] && [ \"$command\" = help ]; then",
            "        isHelp=yes place=$((place - 1))",
            "        command=\"$next\" next=\"${COMP_WORDS[3]}\"",
            "    fi",
        ]
        lines += bashWords + ["    if [ -z \"$isHelp\" ]; then"] + bashArguments
        lines += [
            "    fi",
            "    COMPREPLY+=($(compgen -W \"$words\" -- \"$word\"))",
            "}",
            "complete -o filenames -F _beemed_relay beemed-relay",
        ]
        return lines.joined(separator: "\n")
    }

    /// The lines that offer a command's own words.
    private static var bashWords: [String] {
        var lines = [
            "    if [ \"$place\" -eq 1 ]; then",
            "        words=\"\(CommandTable.firstWords.joined(separator: " "))\"",
            "    else",
            "        case \"$command\" in",
        ]
        for word in CommandTable.firstWords where !seconds(word).isEmpty {
            lines += [
                "        \(word))",
                "            if [ \"$place\" -eq 2 ]; then",
                "                words=\"\(seconds(word).joined(separator: " "))\"",
                "            else",
                "                command=\"\(word) $next\"",
                "            fi ;;",
            ]
        }
        return lines + ["        esac", "    fi"]
    }

    /// The lines that offer what stands behind a command's words.
    private static var bashArguments: [String] {
        var lines = ["    case \"$command $last\" in"]
        for command in CommandTable.all {
            for option in command.options where option.value != nil {
                let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
                let pattern = names.map { "\"\(command.name) \($0)\"" }.joined(separator: " | ")
                lines.append("    \(pattern)) \(bashValue(option.completion)) return ;;")
            }
        }
        lines += ["    esac", "    if [ -z \"$words\" ]; then", "        case \"$command\" in"]
        for command in CommandTable.all {
            let operands = words(command).joined(separator: " ")
            let files =
                acceptsFile(command) ? " COMPREPLY=($(compgen -f -- \"$word\"));" : ""
            lines.append(
                "        \"\(command.name)\")\(files) words=\"\(operands) "
                    + "\(optionWords(command))\" ;;")
        }
        return lines + ["        esac", "    fi"]
    }

    private static func bashValue(_ completion: Completion) -> String {
        switch completion {
        case .none: ""
        case .file: "COMPREPLY=($(compgen -f -- \"$word\"));"
        case .words(let words), .choice(let words):
            "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"));"
        }
    }

    // MARK: zsh

    private static var zsh: String {
        var lines = [
            "#compdef beemed-relay", "", "_beemed_relay() {", "    local -a words_",
            "    local isHelp",
            // What follows 'help' are the words of a command.
            "    if (( CURRENT > 2 )) && [[ $words[2] == help ]]; then",
            "        isHelp=yes", "        shift words", "        (( CURRENT-- ))", "    fi",
        ]
        lines += ["    if (( CURRENT == 2 )); then", "        words_=("]
        for word in CommandTable.firstWords {
            lines.append("            \(zshQuoted("\(word):\(summary(word))"))")
        }
        lines += ["        )", "        _describe command words_", "        return", "    fi"]
        lines += ["    local command=$words[2]", "    case $command in"]
        for word in CommandTable.firstWords where !seconds(word).isEmpty {
            lines += [
                "    \(word))", "        if (( CURRENT == 3 )); then", "            words_=(",
            ]
            for command in CommandTable.group(word) {
                let entry = "\(command.words[1]):\(command.summary)"
                lines.append("                \(zshQuoted(entry))")
            }
            lines += [
                "            )", "            _describe command words_", "            return",
                "        fi", "        command=\"$command $words[3]\" ;;",
            ]
        }
        lines += ["    esac", "    [[ -n $isHelp ]] && return", "    case $command in"]
        for command in CommandTable.all {
            lines.append("    \(zshQuoted(command.name))) _arguments -S \\")
            lines += command.allOptions.map { "        \(zshOption($0)) \\" }
            lines.append("        \(zshOperands(command)) ;;")
        }
        lines += ["    esac", "}", "", "_beemed_relay \"$@\""]
        return lines.joined(separator: "\n")
    }

    private static func summary(_ word: String) -> String {
        CommandTable.command([word])?.summary
            ?? seconds(word).joined(separator: ", ")
    }

    private static func zshOption(_ option: CommandOption) -> String {
        let help = option.help.filter { !"[]:".contains($0) }
        let value = option.value.map {
            ":\($0.filter { $0 != ":" }):\(zshValue(option.completion))"
        }
        let tail = "[\(help)]\(value ?? "")"
        guard let letter = option.letter else { return zshQuoted("--\(option.name)\(tail)") }
        return "\(zshQuoted("(-\(letter) --\(option.name))"))"
            + "{-\(letter),--\(option.name)}\(zshQuoted(tail))"
    }

    private static func zshValue(_ completion: Completion) -> String {
        switch completion {
        case .none: " "
        case .file: "_files"
        case .words(let words), .choice(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func zshOperands(_ command: CommandSpec) -> String {
        if acceptsFile(command) { return "'*:file:_files'" }
        let words = words(command)
        return words.isEmpty ? "'*: : '" : "'*:word:(\(words.joined(separator: " ")))'"
    }

    private static func zshQuoted(_ text: String) -> String {
        "'\(text.replacing("'", with: "'\\''"))'"
    }

    // MARK: fish

    private static var fish: String {
        var lines = ["# fish completion for beemed-relay", "complete -c beemed-relay -f"]
        for word in CommandTable.firstWords {
            lines.append(
                "complete -c beemed-relay -n __fish_use_subcommand -a \(word) "
                    + "-d \(zshQuoted(summary(word)))")
        }
        lines += fishHelp
        for command in CommandTable.all {
            let isChosen = command.words.map { "__fish_seen_subcommand_from \($0)" }
                .joined(separator: "; and ")
            if command.words.count > 1 {
                let others = seconds(command.words[0]).joined(separator: " ")
                lines.append(
                    "complete -c beemed-relay -n '__fish_seen_subcommand_from "
                        + "\(command.words[0]); and not __fish_seen_subcommand_from \(others)' "
                        + "-a \(command.words[1]) -d \(zshQuoted(command.summary))")
            }
            for option in command.allOptions {
                lines.append(fishOption(option, "complete -c beemed-relay -n '\(isChosen)'"))
            }
            if !words(command).isEmpty {
                lines.append(
                    "complete -c beemed-relay -n '\(isChosen)' "
                        + "-a '\(words(command).joined(separator: " "))'")
            } else if acceptsFile(command) {
                lines.append("complete -c beemed-relay -n '\(isChosen)' -F")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The lines that offer the commands behind 'help'; their second words are offered behind their
    /// first ones, wherever these stand.
    private static var fishHelp: [String] {
        let others = CommandTable.firstWords.filter { $0 != "help" }
        let condition =
            "'__fish_seen_subcommand_from help; and not __fish_seen_subcommand_from "
            + "\(others.joined(separator: " "))'"
        return others.map { word in
            "complete -c beemed-relay -n \(condition) -a \(word) -d \(zshQuoted(summary(word)))"
        }
    }

    private static func fishOption(_ option: CommandOption, _ start: String) -> String {
        var line = start + " -l \(option.name)"
        if let letter = option.letter { line += " -s \(letter)" }
        if option.value != nil { line += " -x" }
        switch option.completion {
        case .none: break
        case .file: line = line.replacing(" -x", with: " -r -F")
        case .words(let words), .choice(let words): line += " -a '\(words.joined(separator: " "))'"
        }
        return line + " -d \(zshQuoted(option.help))"
    }
}
