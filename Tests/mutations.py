#!/usr/bin/env python3
"""Takes the safeguards of custody away, one at a time, in a scratch copy, and shows that for each
at least one test goes red. A safeguard that no test misses is not proven.

    Tests/mutations.py              all of them (about ten minutes)
    Tests/mutations.py sync dedup   those whose names contain a word
    Tests/mutations.py --check      only whether each can be taken away, and its tests exist

Without its safeguard a test may wait for ever: then it has missed it as well.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

# So many lives of the simulations see each of the safeguards that they are to miss.
SEEDS = "60"
ROOT = pathlib.Path(__file__).resolve().parent.parent
JOURNAL = "Sources/BeemedDomain/Journal/"
CORE = "Sources/BeemedDomain/Core/"
REMINDERS = "Sources/BeemedRelay/Reminders/"
STORAGE = "Sources/BeemedDomain/Storage/"
DELIVERY = "Sources/BeemedDomain/Delivery/"
CLUSTER = "Sources/BeemedDomain/Cluster/"

# The safeguard that is taken away; the file; its text; what stands there instead; which tests to run.
MUTATIONS = [
    ("the sync of a batch", JOURNAL + "SegmentLog+Appending.swift",
     '            try disk.sync(segment.file, "commit.sync")\n',
     '            if isLast { try disk.sync(segment.file, "commit.sync") }\n', "DomainTests"),
    ("the sync of a batch that was taken back", JOURNAL + "SegmentLog+Appending.swift",
     '            try disk.sync(segment.file, "commit.truncate.sync")\n', "", "DomainTests"),
    ("the sync of the directory", JOURNAL + "AtomicFileWriter.swift",
     "            try syncFolder(name.folder, \"publish.folder\")\n", "", "DomainTests"),
    ("the comparison of sizes", JOURNAL + "SegmentLog+Appending.swift",
     "named: segment.name, \"commit.size\") == expected", "named: segment.name, \"commit.size\") >= 0",
     "DomainTests"),
    ("the comparison of sizes before the rest of a batch is written",
     JOURNAL + "SegmentLog+Appending.swift",
     "            try checkSize(of: segment, max(segment.length, end))\n",
     "            if written == bytes.count {\n"
     "                try checkSize(of: segment, max(segment.length, end))\n            }\n",
     "DomainTests"),
    ("the comparison of what was written into room", JOURNAL + "SegmentLog+Appending.swift",
     "guard try holds(lines, behindLinesOf: segment) else {",
     "guard segment.size >= 0 else {", "DomainTests"),
    ("the comparison with the line before", JOURNAL + "SegmentLog+Appending.swift",
     "let before = segment.end", "let before: [UInt8] = []", "PreallocationTests"),
    ("the line without room where both do not fit", JOURNAL + "SegmentLog+Appending.swift",
     "        } catch .full {\n            preallocatesFrom",
     "        } catch .full where limits.preallocatedBytes == 0 {\n            preallocatesFrom", "PreallocationTests"),
    ("the end of a context with time", "Sources/BeemedRelay/Trunk/Engine/ContextView.swift",
     "return madeAt.adding(seconds: ContextCache.goodSeconds) <= now", "return madeAt > now",
     "ContextCacheTests"),
    ("the comparison of names", STORAGE + "SystemDisk.swift",
     "operation).identity == named.identity else", "operation).size >= 0 else", "DomainTests"),
    ("the alarm over an emptied folder", JOURNAL + "Recovery.swift",
     "isEmpty, isUsed {", "isEmpty, !isUsed {",
     "DomainTests"),
    ("the proof of room", CORE + "CommitTracker.swift",
     "if let proof = spaceProof, proof <= receipt.through {", "do {", "DomainTests"),
    ("forgetting the records before a rejection", CORE + "RelayCore+Accepting.swift",
     "        effects.dropRecords()\n", "", "RelayCoreTests"),
    ("the repaired times on the disk, before anything is sent",
     "Sources/BeemedDomain/Core/RelayCore.swift",
     " || commits.hasUnwrittenTimes", "", "ClockTests"),
    ("the cluster's comparison of the leader's key", CLUSTER + "ClusterSite.swift",
     "if: [keys.leader: term.epoch, key: revision],", "if: [key: revision],",
     "DomainTests"),
    ("the cluster's same bytes after a call without an answer", CLUSTER + "ClusterSite.swift",
     "        if present != revision, entry?.value == value { return present }\n", "",
     "DomainTests"),
    ("the cluster's proof of leading before a delivery",
     "Sources/BeemedRelay/Trunk/Beeminder/BeeminderClient.swift",
     "        guard term.maySend else { throw .notLeading }\n", "",
     "LeaseTermTests"),
    ("the look after a confirmation that another request may follow", DELIVERY + "Placement.swift",
     "        if isFinal(want) { return .rest }\n", "        return .rest\n", "PlacementTests"),
    ("the end of a doubt only by what was sent after it", DELIVERY + "Placement.swift",
     "        if until <= sent { doubts = []", "        do { doubts = []", "PlacementTests"),
    ("what an earlier process may have sent", CORE + "Reconciliation.swift",
     "time ?? now < end else {", "time ?? now < end, false else {", "DomainTests"),
    ("the former goals before the new one", CORE + "Reconciliation.swift",
     "        if case .request = left { return left }\n", "        if case .request = left, false { return left }\n",
     "UndoTests"),
    ("the first goal of a press that is moved twice", "Sources/BeemedDomain/Journal/RecordedState.swift",
     "            if let leaving { rare.leaving.append(", "            if let leaving { rare.leaving = []; rare.leaving.append(",
     "UndoTests"),
    ("the look at an archived goal that is restored", CORE + "AccountChanges.swift",
     "        tryFormerGoals()\n", "", "ArchivedGoalTests"),
    ("the end of a known press with its preset",
     "Sources/BeemedRelay/Trunk/Engine/KnownHeads.swift",
     "presets == self.presets else", "true else", "SamePressTests"),
    ("the end of a known head with its device",
     "Sources/BeemedRelay/Trunk/Engine/KnownHeads.swift",
     "known.devices == devices", "true", "RevocationTests"),
    ("the guard against SIGXFSZ", "Sources/BeemedRelay/Trunk/Start/Signals.swift",
     "        signal(SIGXFSZ, SIG_IGN)\n", "", "SignalsTests"),
    ("the comparison of check values", JOURNAL + "SegmentReader.swift",
     "check == CRC32C.of(buffer[position..<tab].span)", "check >= 0", "DomainTests"),
    ("the knowledge of earlier presses (dedup)", CORE + "RelayCore+Accepting.swift",
     "        if let plain, isOf(press, plain) { return .known(plain) }\n", "",
     "DomainTests"),
    ("the sync of what a start copies", JOURNAL + "AtomicFileWriter.swift",
     "        try disk.sync(file, \"publish.sync\")\n", "", "DomainTests"),
    ("the copy of the last segment at a start", JOURNAL + "SegmentLog+Starting.swift",
     "guard records == found.lastRecords else", "guard records >= 0 else", "RingLivesTests"),
    ("the carrying of what is known", CORE + "RelayCore+Carrying.swift",
     "                journal(.carried(statement), isUrgent: false, &effects)\n",
     "                ledger.markStated(number, at: request.before)\n", "RingTests"),
    ("the comparison of keys with one hash", CORE + "Ledger.swift",
     "other.event.key != key", "other.number.value == 0", "LedgerTests"),
    ("the events in larger buckets", CORE + "Ledger.swift",
     "            for entry in all { putIntoBucket(entry) }\n", "", "LedgerTests"),
    ("the event before one that leaves its bucket", CORE + "Ledger.swift",
     "        later?.earlier = entry.earlier\n", "        later?.earlier = nil\n", "LedgerTests"),
    ("the other goals that are asked to wait", DELIVERY + "DeliveryScheduler+Outcomes.swift",
     "        queues[goal] = nil  // Until the end `queues` are the others.\n", "", "DomainTests"),
    ("the end behind a long list of options", "Sources/RelayHTTP/Message/Framing.swift",
     "            (keepsAlive, closeAsked) = (false, true)\n", "", "ConnectionTests"),
    ("the end of what is carried", CORE + "Ledger.swift",
     "        carrying.open -= 1\n", "", "RingTests"),
    ("the sync of what is carried before a segment is retired", CORE + "Ledger.swift",
     "if carrying.open == 0, carrying.through", "if carrying.through", "RingTests"),
    ("the carrying of the folder's user", CORE + "RelayCore+Carrying.swift",
     "            journal(.user(user), isUrgent: false, &effects)\n",
     "            _ = user\n", "RingTests"),
    ("the wait of a statement for what is recorded before it", CORE + "RelayCore+Carrying.swift",
     "let changing = commits.changing", "let changing: Set<SequenceNumber> = []", "RingTests"),
    ("the segment from which on a start reads", JOURNAL + "Recovery.swift",
     "segments.filter { $0 >= oldest }", "segments.filter { $0 >= 0 }", "DomainTests"),
    ("the name in the history before that in the journal goes", JOURNAL + "SegmentLog+Rotation.swift",
     "        for segment in gone {", "        for segment in retired + gone {", "RingLivesTests"),
    ("the sync of the history's directory", JOURNAL + "SegmentLog+Rotation.swift",
     'guard !kept.isEmpty, (try? disk.syncFolder(.history, "retire.folder")) != nil else',
     'guard !kept.isEmpty else', "DomainTests"),
    ("the turn of a batch between a rotation and a retirement", JOURNAL + "SegmentLog+Rotation.swift",
     "                try rotate(segment)\n", "                try rotate(segment)\n                try retire()\n",
     "SegmentTests"),
    ("the limit of looks for what is carried", CORE + "Ledger.swift",
     "            guard looks > 0 else { return nil }\n            looks -= 1\n            carrying.through = entry.number\n",
     "            carrying.through = entry.number\n", "RingTests"),
    ("the numbers of events when removed ones are dropped", CORE + "NumberedList.swift",
     "            numbers.swapAt(end, index)\n", "", "LedgerTests"),
    ("the later look at what had not settled", CORE + "Ledger.swift",
     "            if pass.last >= newest, pass.hasForgotten { pass = Pass() }\n", "", "LedgerTests"),
    ("the stay of retired segments until the next retirement",
     JOURNAL + "SegmentLog+Rotation.swift",
     "        let gone = former.filter(kept.contains)\n",
     "        let gone = kept\n", "SegmentTests"),
    ("what was recorded just before a statement", JOURNAL + "Recovery.swift",
     "if known.recorded.last <= entry.recorded.last { result", "do { result", "RecoveryTests"),
    ("the compared beginning of a cluster's journal", CLUSTER + "ClusterSite.swift",
     "if: [keys.leader: term.epoch, key: revision],", "if: [keys.leader: term.epoch],",
     "KeyedLogTests"),
    ("the name of the store", JOURNAL + "SegmentScan.swift",
     "openings[number].map { $0.store != self.store } ?? false",
     "openings[number].map { $0.segment < 0 } ?? false",
     "ForeignFileTests"),
    ("deliveries behind the answers", "Sources/BeemedRelay/Trunk/Engine/RelayEngine.swift",
     "            owesDelivery = true\n", "", "RelayEngineTests"),
    ("the deadline that shortens a wait of all goals", CORE + "BeeminderRequests.swift",
     "            core.delivery.shortenWait(at: now.monotonic, left: left)\n", "            _ = left\n",
     "AccountTests"),
    ("the reminder that comes again after it was withdrawn",
     REMINDERS + "ReminderSchedule.swift",
     "            !(sent.withdrawn && reminder.topic.restsOnGoals)\n",
     "            sent.at > 0\n", "ReminderTests"),
    ("the stall that began only now", CORE + "RelayCore.swift",
     "        requests.watchForStall(now)\n        receive(receipt, now, &effects)\n",
     "        receive(receipt, now, &effects)\n", "DeliveryAlarmTests"),
    ("the mark of what was vouched for", JOURNAL + "SegmentLog.swift",
     "{ marks.write(StorePosition(store: store, next: next)) }", "{}", "ForeignFileTests"),
    ("the mark behind a batch in place", JOURNAL + "JournalWriter.swift",
     "{ access.withLockIfAvailable { $0.journal?.writeMark() } }", "{}", "JournalWriterTests"),
    ("the patience with too many open files", JOURNAL + "Journal.swift",
     " || error.isPassing", "", "PassingFaultTests"),
    ("the quarantine", JOURNAL + "SegmentLog+Starting.swift",
     "try disk.quarantine(found.quarantine)", "try disk.quarantine([])", "DomainTests"),
    ("the finality of a failed sync", JOURNAL + "Journal.swift",
     "        if let failure { throw .unknown(failure) }\n", "", "DomainTests"),
    ("the wait for the receipt", CORE + "RelayCore+Accepting.swift",
     "        if record <= commits.receipt.through { return nil }\n",
     "        if record.value > 0 { return nil }\n",
     "DomainTests"),
    ("the wait for the record of a refusal", DELIVERY + "GoalQueue.swift",
     "        settling += sent.filter(refused.contains)\n", "", "DomainTests"),
    ("the wait of a refusal that is not written yet", DELIVERY + "GoalQueue.swift",
     " || settling.contains(number)", "", "DomainTests"),
    ("the try of another press than one that fails each time",
     DELIVERY + "DeliveryScheduler+Outcomes.swift",
     "{ queue.doubtFirst() }", "{ queue.isBusy = false }", "DomainTests"),
    ("the turn of what was set aside", DELIVERY + "GoalQueue.swift",
     "let others = waiting.count - 2", "let others = max(0, last - 1)", "FailedEventTests"),
    ("the goal that a name meant before another goal got it", "Sources/BeemedDomain/Goals/ReassignedNames.swift",
     "{ record.value < $0.before }", "{ record.value < $0.before && $0.id.isEmpty }",
     "TakenNameTests"),
    ("that a refused search says nothing of a press",
     "Sources/BeemedRelay/Trunk/Beeminder/BeeminderOperation+Datapoints.swift",
     "case .delivered, .erased, .refused: .unclear(\"the search: \\(outcome.words)\")",
     "case .delivered, .erased, .refused: outcome", "RefusedSearchTests"),
    ("the wait for an overloaded server's late work", CORE + "BeeminderRequests.swift",
     ", .busy(_, mayBeApplied: true):\n            entry.", ":\n            entry.",
     "LateRequestTests"),
    ("the wait of an interval for the right clock", CORE + "Days.swift",
     "guard isProvisional || undecided != nil else", "guard isProvisional else", "GuardTests"),
    ("the place of a press that has failed again", DELIVERY + "DeliveryScheduler+Outcomes.swift",
     "isTriedAgain && !$0.outcome.isFinal", "isTriedAgain && $0.outcome.isUnchangeable",
     "DomainTests"),
    ("the order of what comes back into a queue", DELIVERY + "GoalQueue.swift",
     "        putBack(left)\n", "        waiting.prepend(left)\n", "DomainTests"),
    ("the order of what had no room and what a person wants", CORE + "EventCommands.swift",
     "        core.writeDeferred(&effects)\n", "", "DomainTests"),
    ("the order of a goal", DELIVERY + "GoalQueue.swift",
     "        underWay == 0 && settling.isEmpty && !waiting", "        settling.isEmpty && !waiting",
     "DomainTests"),
    ("that a deletion holds up nobody", DELIVERY + "GoalQueue.swift",
     "putAside(sent.filter(aside.contains))", "", "UndoTests"),
    ("the one check of a time", CORE + "RelayCore.swift",
     "        entry.isTimeChecked = true\n", "", "ClockTests"),
    ("the time of what was being written when it was told", CORE + "RelayCore+Accepting.swift",
     "            checkTime(of: entry, now, &effects)\n", "", "ClockTests"),
    ("a second answer about the time", CORE + "ClockTrust.swift",
     "if isConfirmed || agrees(time, at: now) {",
     "if isConfirmed || agrees(time, at: now) || unconfirmed.isEmpty {", "ClockTests"),
    ("whose changed datapoint it is", CORE + "Ledger+Entry.swift",
     "{ isOpen || needsResending ||", "{ isOpen ||", "AccountTests"),
    ("the end of an answer that was abandoned", "Sources/RelayHTTP/Connection/Connection.swift",
     "owesEnd = tellsEnd", "owesEnd = false", "ConnectionTests"),
    ("one look at a long content", "Sources/BeemedRelay/Trunk/PressInput/PressFields.swift",
     "guard contradiction == nil, !text", "guard !text", "PressFieldsTests"),
    ("the records behind a rejected batch", JOURNAL + "RecordQueue.swift",
     "        guard !isRejecting else { return }\n", "", "DomainTests"),
    ("the wait until Beeminder has named the user", CORE + "BeeminderRequests.swift",
     "guard core.maySend else", "guard !core.mustNotSend else",
     "FolderUserTests"),
    ("the wait until it is on the disk whose folder it is", CORE + "AccountState.swift",
     "standing == .own && isRecorded", "standing == .own", "FolderUserTests"),
    ("the separation of users", CORE + "AccountState.swift",
     "case .other?: standing = .other(said)", "case .other?: standing = .own", "FolderUserTests"),
    ("the token without a name beside a user who has one", CORE + "AccountState.swift",
     "if user == nil { standing = .nameless }", "standing = .nameless", "FolderUserTests"),
    ("what waits before another user begins anew", CORE + "AccountChanges.swift",
     "canTakeOver, core.view.unsettledEvents == 0 else", "canTakeOver else", "FolderUserTests"),
    ("what is a former user's at a start", JOURNAL + "Recovery.swift",
     "        leaveOutFormerUser()\n", "", "FolderUserTests"),
    ("the wait of a first press for the right clock", CORE + "RelayCore.swift",
     "{ areDaysKnown && isTimeSure }", "{ areDaysKnown }", "GuardTests"),
    ("the look for what may be there before a refusal counts", CORE + "Reconciliation.swift",
     "mayBeThere: entry.mayBeThere,", "mayBeThere: false,", "RefusedRepetitionTests"),
    ("the look for a press that was refused in doubt", CORE + "Reconciliation.swift",
     "        case .refused where entry.recorded.isRefusedInDoubt: break\n", "", "RefusedRepetitionTests"),
    ("the doubt of a refusal as of its request", CORE + "BeeminderRequests.swift",
     "isInDoubt($0, asOf: sent)", "isInDoubt($0, asOf: core.waits.now)", "RefusedRepetitionTests"),
    ("the newest delivery behind a later record of an earlier one", JOURNAL + "RecordedState.swift",
     "max($0.shown ?? through, through)", "through", "RevisionTests"),
    ("the command on its way to the disk whose event is surplus", CORE + "Ledger.swift",
     "isForgettable(leader), !changing.contains(leader.number)", "isForgettable(leader)", "UndoTests"),
    ("the deletion at the goal that an event leaves", CORE + "Reconciliation.swift",
     "        guard !entry.recorded.leaving.isEmpty else { return [] }\n", "        return []\n", "UndoTests"),
    ("the generation of a device in the request id", "Sources/BeemedDomain/Model/Names.swift",
     '{ "\\(identity).\\(id)" }', '{ "\\(device).\\(id)" }', "DeviceIdentityTests"),
    ("the right clock before presses are merged", CORE + "PresetRules.swift",
     "guard core.isTimeSure else { return nil }", "", "MergedDayTests"),
    ("the wait for a press that joined and is not durable yet", CORE + "Reconciliation.swift",
     " || newest?.progress == .uncommitted ? .window : nil", " ? .window : nil", "MergingTests"),
    ("the end of the wait for a press that found no room", CORE + "RelayCore+Accepting.swift",
     "            if let leader { schedule(leader) }\n", "",
     "MergingTests"),
    ("the end of a merge window before its goal derails", CORE + "PresetRules.swift",
     "return latest <= now.monotonic ? nil : min(latest, planned)",
     "return latest <= now.monotonic ? nil : planned", "MergingTests"),
    ("the earlier end of a merge window when its goal derails earlier",
     CORE + "Merging.swift",
     "{ core.goals.latestClose(for: $0, now) }",
     "{ core.goals.latestClose(for: $0, now).map { $0.adding(seconds: 1e9) } }",
     "MergingTests"),
    ("the record up to which a delivered datapoint shows every change",
     CORE + "BeeminderRequests.swift",
     ".done(of: number, how: how, datapoint: datapoint, through: end.through), &effects)",
     ".done(of: number, how: how, datapoint: datapoint, through: nil), &effects)", "MergingTests"),
    ("the record up to which a day's datapoint shows every revision", CORE + "Reconciliation.swift",
     "through: isRevisable(entry) ?", "through: isRevisable(entry) && !entry.event.isTotal ?", "RevisionTests"),
    ("the stay of a day that was undone", CORE + "Totals.swift",
     "        if isUndone(known) { return ignored(.undone, effective) }\n", "",
     "RevisionTests"),
    ("the minute between two values of a day", CORE + "Reconciliation.swift",
     "let end = entry.restEnd(after: now) {", "let end = entry.restEnd(after: now), !entry.event.isTotal {", "RevisionTests"),
    ("the wait for the receipt of a revision", CORE + "Totals.swift",
     "        guard let until = core.proof(of: record, &effects) else {\n",
     "        guard let until = core.proof(of: record, &effects), until.value < 1 else {\n",
     "RevisionTests"),
    ("the file of the reminders that were sent", REMINDERS + "ReminderState.swift",
     "        relay.files.save(.sentReminders) { $0.save(sent, as: .sentReminders, $1) }\n", "        _ = sent\n",
     "ReminderRouteTests"),
    ("the removal that is saved when it is repeated",
     "Sources/BeemedRelay/Trunk/Engine/SettingsChanges.swift",
     "guard files.isUnsaved(file) else { throw error }",
     "guard !files.isUnsaved(file) else { throw error }", "ImmediateRevocationTests"),
    ("the quiet hours", REMINDERS + "ReminderReasons.swift",
     "return end > now || rules.quietHours?.contains(second) ?? false", "return end > now",
     "ReminderTests"),
    ("what a waiting press covers", REMINDERS + "ReminderReasons.swift",
     "        if goal.isCovered(by: presses) ?? (left > lastCall) { return }\n",
     "        if goal.isCovered(by: presses) == nil, left > lastCall { return }\n", "ReminderTests"),
    ("the time before a service is asked again", REMINDERS + "ReminderSchedule.swift",
     "queues.compactMap(\\.notBefore).filter { $0 > now }",
     "queues.compactMap(\\.notBefore)", "ReminderTests"),
    ("the samples that are kept of a day", "Sources/BeemedRelay/Health/HealthReading.swift",
     "        do throws(DiskError) { try job.store.save(set, of: day, name) } catch { throw .diskFull }\n",
     "", "HealthBodyTests"),
    ("the goals that hang and share one request", DELIVERY + "DeliveryScheduler.swift",
     "queue.isIdle, !queue.isSilent || !isProbing else", "queue.isIdle else", "BreakerTests"),
    ("the account that an operation was begun for",
     "Sources/BeemedRelay/Trunk/Beeminder/BeeminderOperation.swift",
     "guard let account, client.connected == account else { throw .accountChanged }",
     "guard let account else { throw .accountChanged }", "AccountChangeTests"),
    ("the share of a device in what waits", CORE + "RelayCore+Accepting.swift",
     "        if !ledger.waitingBytes.allows(device) { return .tooManyWaiting(device.name) }\n", "",
     "RelayCoreTests"),
    ("the allowance for presses that are not sent", "Sources/BeemedDomain/Model/Allowance.swift",
     "return left < amount ?", "return left < -1e99 ?", "DeviceQuotaTests"),
    ("the line of a press that was guarded", CORE + "RelayCore+Accepting.swift",
     "            if case .guarded = entry.progress { discardQuota.add(entry.event) }\n", "",
     "DeviceQuotaTests"),
    ("the slot that a forwarded request leaves", "Sources/BeemedRelay/Cluster/ForwardingTable.swift",
     "        held[next].due = .distantPast\n", "", "ForwardingLimitTests"),
    ("what a user may hold at most", CORE + "Shares.swift",
     "return total < most || bytes(of: user) < most", "return total < capacity", "SharesTests"),
    ("the share of a goal in what was refused", CORE + "RelayCore+Accepting.swift",
     "return ledger.refusedBytes.allows(goal) ? nil : .tooManyRefused(goal)",
     "return ledger.refusedBytes.bytes(of: goal) >= 0 ? nil : .tooManyRefused(goal)", "RelayCoreTests"),
    ("the value of a datapoint that was found", "Sources/BeemedDomain/Upstream/DatapointList.swift",
     "through == nil || found.value == value", "true", "BeeminderClientTests"),
    ("a day of its own for another goal", CORE + "Totals.swift",
     "known.event.rule == total.rule, isOfGoal {",
     "known.event.rule == total.rule, isOfGoal || variant > 0 {",
     "TotalOwnerTests"),
    ("that all variants of a day have one request id", "Sources/BeemedDomain/Model/DayTotal.swift",
     "return isOfDay ? String(", "return !isOfDay ? String(", "TotalOwnerTests"),
    ("the bounds of the day", CORE + "Days.swift", "return isNear ? nil : today",
     "return isNear && today.isEmpty ? nil : today", "TodayTotalTests"),
    ("that a day with a newer value is pending", "Sources/BeemedDomain/Journal/RecordedState.swift",
     "case .delivered?: hasUnshownRevision ? .pending : .delivered", "case .delivered?: .delivered",
     "RevisionTests"),
    ("what had arrived before a refusal", "Sources/BeemedDomain/Journal/RecordedState.swift",
     "        if let arrival { change { $0.arrival = arrival } }\n", "", "RevisionTests"),
    ("that only sums are merged", CORE + "PresetRules.swift",
     "        if core.areGoalsOwn, core.goals[core.goals.current(goal)]?.addsUp == false { return nil }\n", "",
     "PresetTests"),
    ("what a list has shown before", CORE + "Days.swift",
     "guard case .listed? = listing(of: entry) else { continue }",
     "if listing(of: entry) == .deleted { continue }", "TodayTotalTests"),
    ("that a list is not of two moments", CORE + "Days.swift",
     "for goal in list where goal.queued != true {", "for goal in list {", "TodayTotalTests"),
    ("a user's id", "Sources/BeemedDomain/Goals/UpstreamUser.swift",
     "        if let id, let other = said.id { return id == other ? .same : .other }\n", "",
     "FolderUserTests"),
    ("the end of what guards count when a datapoint is refused", CORE + "Days.swift",
     "case .refused: entry.hasArrived", "case .refused: true", "PresetTests"),
]


# So many seconds a run of tests may take; with all safeguards in place none takes a third of it.
PATIENCE = 120


def run(scratch, *arguments, seconds=None):
    """(its exit code, or None when it was stopped for taking longer; what it has written)"""
    process = subprocess.Popen(
        ["swift", *arguments], cwd=scratch, text=True, errors="replace",
        env={**os.environ, "CI": "true", "SEEDS": SEEDS},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        kill_session(process.pid)
        return None, process.communicate()[0]


def kill_session(leader):
    """Whatever `swift` has started, too: it runs the tests in a process group of their own."""
    listed = subprocess.run(["ps", "-A", "-o", "pid="], capture_output=True, text=True).stdout
    for pid in map(int, listed.split()):
        try:
            if os.getsid(pid) == leader:
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def red_tests(code, output):
    """The names of the tests that failed, or what the process died of."""
    failed = re.findall(r'^. Test (?:"(.+?)"|(\S+)) .*failed after', output, re.MULTILINE)
    names = [first or second for first, second in failed if (first or second) != "run"]
    death = re.search(r"(Precondition failed.*|Fatal error.*|signal code \d+)", output)
    last = f"a run that never ended and was stopped after {PATIENCE} s" if code is None else None
    return names or [words for words in (death and death.group(1), last) if words]


def try_without(scratch, mutation):
    """Whether at least one test is red without that safeguard."""
    name, path, old, new, tests = mutation
    file = scratch / path
    original = file.read_text()
    broken = list(mistakes(mutation))
    if broken:
        print("\n".join(f"BROKEN    {words}" for words in broken), flush=True)
        return False
    file.write_text(original.replace(old, new))
    try:
        code, output = run(scratch, "build", "--build-tests")
        if code != 0:
            errors = sorted({line for line in output.splitlines() if "error: " in line})
            print("\n".join([f"BROKEN    without {name} it does not build:", *errors]), flush=True)
            return False
        code, output = run(
            scratch, "test", "--skip-build", "--filter", tests, seconds=PATIENCE)
    finally:
        file.write_text(original)
    red = red_tests(code, output)
    if code == 0 or not red:
        print(f"SURVIVED  without {name} every test is green", flush=True)
        return False
    print(f"red       without {name}: {len(red)}, e.g. {red[0]}", flush=True)
    return True


def mistakes(mutation):
    """Why that safeguard cannot be taken away, as sentences; none if it can."""
    name, path, old, new, tests = mutation
    file = ROOT / path
    count = file.read_text().count(old) if file.exists() else 0
    if count != 1:
        yield f"{name}: {path} holds this {count} times, not once:\n{old}"
    if old == new:
        yield f"{name}: nothing is taken away"
    if not (ROOT / "Tests" / tests).is_dir() and not any(
            f"struct {tests} " in test.read_text() for test in ROOT.glob("Tests/*Tests/**/*.swift")):
        yield f"{name}: there are no tests called {tests}"


def check():
    """Whether every safeguard can still be taken away: a second's work, nothing is built."""
    found = [mistake for mutation in MUTATIONS for mistake in mistakes(mutation)]
    for mistake in found:
        print(mistake)
    return 1 if found else 0


def main():
    words = sys.argv[1:]
    if words == ["--check"]:
        return check()
    chosen = [m for m in MUTATIONS if not words or any(word in m[0] for word in words)]
    with tempfile.TemporaryDirectory(prefix="beemed-mutations-") as folder:
        scratch = pathlib.Path(folder) / "copy"
        shutil.copytree(
            ROOT, scratch, ignore=shutil.ignore_patterns(".build*", ".git", "__pycache__"))
        missed = sum(try_without(scratch, mutation) for mutation in chosen)
    print(f"{len(chosen)} safeguards, {len(chosen) - missed} not missed by any test")
    return 0 if missed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
