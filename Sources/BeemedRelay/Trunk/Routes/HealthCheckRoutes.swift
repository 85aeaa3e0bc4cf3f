import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /healthz`: whether the relay can accept and deliver; 503 when the user must act. Goals
    /// and the user are named only to a token with the right to read.
    func healthCheck(_ call: Call) -> Response {
        let reader = try? identifySender(of: call)
        var health = HealthCheck(engine.core, at: call.moment)
        health.account.tokenFault = account.connected?.tokenFault
        health.account.conflict = conflict
        health.disk.obstacle = engine.core.isDiskFull ? engine.obstacle : nil
        health.disk.lastSync = engine.lastSync
        health.disk.recoveryReport = engine.recoveryReport
        health.disk.isFolderOpen = DataFolder.isOpenToOthers(settings.data)
        health.isClockDisciplined = ClockDiscipline.isSynchronized
        if settings.cluster.store != nil {
            health.leader = settings.cluster.advertised ?? site?.endpoint
        }
        if reader?.rights.contains(.read) ?? false {
            health.names = HealthCheck.Names(
                user: engine.core.user, refusedGoals: engine.core.refusedGoals(limit: 5),
                crowdingDevices: Array(engine.core.crowdingDevices.prefix(5)),
                devicesOverQuota: Array(engine.core.devicesOverQuota(at: call.moment).prefix(5)))
        }
        return health.response
    }

    /// `GET /readyz`: 200 when presses are accepted, else 503, for load balancers. `GET /healthz`
    /// gives the reasons, and reports delivery too.
    var readiness: Response {
        let isReady = !engine.core.isDiskFull && engine.core.sync != .notConnected
        return .json(
            JSONWriter.object { $0.add("ready", isReady) }, status: isReady ? 200 : 503,
            fields: [.notStored])
    }
}

extension HealthCheck {
    /// The health of the account and its presses.
    fileprivate init(_ core: RelayCore, at now: Moment) {
        self.init(
            account: AccountStatus(
                sync: core.sync, isVerified: core.isVerified, isVerifying: core.isVerifying,
                unknownZone: core.goals.unknownZone),
            queue: Queue(
                length: core.pendingEvents, held: core.heldEvents, deletions: core.waitingDeletions,
                refused: core.refusedEvents,
                oldestSeconds: core.oldestPendingSeconds(at: now),
                lastDeliveryFailed: core.lastDeliveryFailed,
                deliveryError: core.deliveryError(at: now),
                overwritten: core.unexpectedEvents(.overwritten, at: now),
                greater: core.unexpectedEvents(.greater, at: now),
                doubtfulTimes: core.doubtfulTimes,
                isStalled: core.isStalled(at: now),
                unchangeable: core.unchangeableEvents, failing: core.failingEvents,
                crowdingDevices: core.crowdingDevices.count,
                devicesOverQuota: core.devicesOverQuota(at: now).count),
            goals: Goals(
                missing: core.missingGoals, barred: core.barredGoals,
                atRisk: core.goalsAtRisk(at: now), crowding: core.crowdingGoals.count),
            clock: core.clockState(at: now))
    }
}
