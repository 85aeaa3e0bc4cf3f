/// What a leaf keeps while a relay runs, on its loop.
package protocol LeafState: AnyObject {}

extension Relay {
    /// The state of a leaf, by its type.
    package func state<State: LeafState>(_ type: State.Type = State.self) -> State {
        for state in leaves { if let state = state as? State { return state } }
        preconditionFailure("the leaf of \(type) is not put on")
    }
}
