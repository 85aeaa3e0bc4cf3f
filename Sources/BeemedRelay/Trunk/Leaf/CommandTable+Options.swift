/// Every command of the program. Nothing else says what a command line may be: parsing, help and
/// requests are made from this table, manual page and completions from the help.
package enum CommandTable {
    /// The data folder.
    package static let data = Setting.data.documented
    /// Prints the answer as JSON.
    package static let json = CommandOption("json", "print JSON")
    /// About a list.
    package static let columns =
        "A line of headings, and columns that are aligned with blanks; scripts read --json."
}

extension Setting {
    /// Its option, with the variable and the default in the help.
    package var documented: CommandOption {
        var option = option
        let standard = standard == "none" || option.value == nil ? "" : "default \(standard), "
        option.help += " (\(standard)\(variable))"
        return option
    }
}
