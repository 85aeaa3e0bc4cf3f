package import RelayTrunk

extension Leaf {
    /// The commands that ask and keep a relay.
    package static let commands: Leaf = {
        var leaf = Leaf()
        leaf.sections = [
            CommandSection("Presses", PressCommands.all),
            CommandSection("Goals and presets", GoalCommands.all),
            CommandSection("Devices and account", DeviceCommands.all + AccountCommands.all),
            CommandSection("Watch and keep", KeepingCommands.all),
        ]
        return leaf
    }()
}
