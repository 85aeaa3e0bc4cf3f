import BeemedDomain
package import RelayTrunk

extension Leaf {
    /// Several relays behind one account, whose journal is in etcd.
    package static let cluster: Leaf = {
        var leaf = Leaf()
        leaf.sections = [CommandSection("Watch and keep", [JournalCopyCommand.command])]
        leaf.serve = { (start) throws(Failure) in
            guard let location = start.invocation.settings.cluster.store else { return nil }
            return try ClusterProgram(start, at: location).run()
        }
        leaf.findings = { ClusterFindings(cluster: $0.settings.cluster).all }
        leaf.inspect = { (invocation, location) throws(Failure) in
            Journal.inspect(try invocation.gateway(of: location), location.keys)
        }
        return leaf
    }()
}

extension JournalCopyCommand {
    fileprivate static let command =
        CommandSpec(
            "journal copy FROM TO", "move a journal into a cluster, or back",
            options: [.data, Setting.storePasswordFile.documented],
            about: [
                "One of both is a data folder, the other one the --store of a cluster. No relay "
                    + "may use either. Devices, presets, rules, pins and sessions go with it; "
                    + "Beeminder's token and the history do not."
            ], examples: ["journal copy DIR etcd://pi-1:2379/home"],
            exits: [(.dataError, "nothing was copied"), (.tempFail, "a relay uses the folder")]
        ).runs(needing: .settings, JournalCopyCommand.run)
}
