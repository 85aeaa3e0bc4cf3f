/// A program that can take over new settings while it runs.
package protocol SettingsReloadable: Sendable {
    /// Takes over new settings, as far as a running relay can.
    func change(_ settings: Settings)
}
