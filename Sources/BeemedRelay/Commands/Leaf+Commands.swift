package import RelayTrunk

extension Leaf {
    /// The commands that ask and keep a relay.
    package static let commands: Leaf = {
        var leaf = Leaf()
        leaf.sections = [
            CommandSection("Presses", CommandTable.pressing),
            CommandSection("Goals and presets", CommandTable.arranging),
            CommandSection("Devices and account", CommandTable.devices + CommandTable.accounts),
            CommandSection("Watch and keep", CommandTable.keeping),
        ]
        return leaf
    }()
}
