@testable import BeemedDomain

/// The requests to Beeminder that a simulated world has under way.
extension Simulation {
    /// Something on its way back from Beeminder.
    enum Flight: Sendable {
        case datapoint(DatapointBatch, ModelBeeminder.Reply)
        case result(DatapointBatch, BatchResult)
        case deletion(DatapointDeletion, Outcome)
        case goals(GoalAnswer)
    }

    mutating func send(_ batch: DatapointBatch) {
        if let queue = core.delivery.queues[batch.goal] {
            // Events that have failed are passed by others.
            let isTryingAnother = queue.suspect != nil
            let passed = isTryingAnother ? queue.waiting.prefix(queue.count) : queue.setAside
            for event in passed.compactMap({ core.ledger[$0]?.event }) {
                beeminder.withoutOrder.insert(event.requestID)
            }
        }
        for outgoing in batch.datapoints {
            check(outgoing)
            checkDurable(outgoing)
            checkOwner(outgoing)
            // It waits for the clock to be set, and for its time to be written: others may pass it.
            if core.ledger[outgoing.number]?.event.arrival.isClockUnset ?? false {
                beeminder.withoutOrder.insert(outgoing.requestID)
            }
        }
        if let first = batch.datapoints.first {
            senders[first.requestID] = beeminder.user
        }
        let sameGoal = flights.contains { $0.goal == batch.goal }
        promises.require(!sameGoal, "\(batch.goal) has two on their way")
        if batch.datapoints.count > 1 {
            flights.append(.result(batch, beeminder.postTogether(batch, &chance)))
        } else if let outgoing = batch.datapoints.first, let refusal = outgoing.refusal {
            flights.append(
                .result(batch, .whole(beeminder.look(for: outgoing, insteadOf: refusal))))
        } else if let outgoing = batch.datapoints.first {
            flights.append(.datapoint(batch, beeminder.post(outgoing, &chance)))
        }
        // The additional request asks for the goals.
        let most = DeliveryScheduler.maxInFlight + 1
        promises.require(flights.count <= most, "\(flights.count) requests are on their way")
    }

    /// A request under way, chosen by chance, ends.
    mutating func requestEnded() {
        guard let index = flights.indices.randomElement(using: &chance) else { return }
        switch flights.remove(at: index) {
        case .goals(let answer): apply(.fetched(answer))
        case .result(let batch, let result):
            if case .whole(.unreachable) = result { mayBeLate(batch) }
            apply(.delivered(batch, result))
        case .deletion(let deletion, let outcome): apply(.erased(deletion, outcome))
        case .datapoint(let batch, .none):
            mayBeLate(batch)
            apply(.delivered(batch, .whole(.unreachable("no answer"))))
        case .datapoint(let batch, .answer(let answer)):
            guard let outgoing = batch.datapoints.first else { return }
            let outcome = Outcome(answer, requestID: outgoing.requestID, now: now.wall)
            if case .delivered(.updated, _) = outcome {
                promises.require(
                    beeminder.pardoned.contains(outgoing.requestID),
                    "\(outgoing.requestID) was updated")
            }
            if case .unclear = outcome { mayBeLate(batch) }
            apply(.delivered(batch, .whole(outcome)))
        }
    }

    /// A request that Beeminder applies when nobody waits for its answer any more.
    struct LateRequest: Sendable {
        var batch: DatapointBatch
        /// Whose token it has.
        var user: String
        /// When it is applied, in milliseconds of the steady clock.
        var due: Int64
    }

    /// Some of the requests on their way are applied when there is another process.
    mutating func leaveFlights() {
        for flight in flights {
            switch flight {
            case .datapoint(let batch, _), .result(let batch, _): mayBeLate(batch)
            case .deletion, .goals: continue
            }
        }
    }

    /// A request was given up; now and then it is applied nevertheless.
    mutating func mayBeLate(_ batch: DatapointBatch) {
        // A look brings nothing.
        guard Bool.random(using: &chance), let first = batch.datapoints.first,
            first.refusal == nil, let user = senders[first.requestID]
        else { return }
        let due = steady + .random(in: 0...119_000, using: &chance)
        late.append(LateRequest(batch: batch, user: user, due: due))
    }

    mutating func receiveLate() {
        for request in late where request.due <= steady {
            lateArrivals += 1
            beeminder.receiveLate(request.batch, of: request.user)
        }
        late.removeAll { $0.due <= steady }
    }

    /// The device that asked under a reply id, and its press.
    struct Request: Sendable {
        var device: Int
        var press: Press
    }
}
