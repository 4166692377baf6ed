/**
 * Work that is wanted, by job: taken in batches, each job in one at a time. Wanting a job twice before it is taken is wanting it once; wanting it while
 * it is worked on is wanting it again.
 */

/** Called by the work for a job that needs long: the batch goes on without it. When the promise ends, the job is wanted again. */
export type Detach = (jobId: string, work: Promise<void>) => void

export type WorkListOptions = {
  /** Jobs per batch. */
  size: number
  /** Batches at a time, when there is enough for them. */
  parallel: number
  /** Works on jobs; answers those that it could not finish, which are then wanted again. */
  work: (jobIds: readonly string[], detach: Detach) => Promise<Iterable<string>>
}

export type WorkList = {
  /** Resolves when the job was worked on from now on, to the end. */
  want: (jobId: string) => Promise<void>
  /** As `want` for a job that nobody works on; resolves already when it turns out to need long. */
  offer: (jobId: string) => Promise<void>
  /** Takes no more; resolves when nothing is worked on. What is wanted then stays undone. */
  stop: () => Promise<void>
}

type Ticket = { done: PromiseWithResolvers<void>; started: PromiseWithResolvers<void> }

const newTicket = (): Ticket => {
  const ticket = { done: Promise.withResolvers<void>(), started: Promise.withResolvers<void>() }
  // Whoever asked hears of a failure by the one promise it was given.
  for (const { promise } of Object.values(ticket)) promise.catch(() => undefined)
  return ticket
}

const settle = ({ done, started }: Ticket, error?: unknown): void => {
  for (const one of [started, done]) error === undefined ? one.resolve() : one.reject(error)
}

export const createWorkList = ({ size, parallel, work }: WorkListOptions): WorkList => {
  const wanted = new Map<string, Ticket>()
  const taken = new Map<string, Ticket>()
  let batches = 0
  let scheduled = false
  let stopped: PromiseWithResolvers<void> | null = null

  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    // Not at once: calls that come together make one batch.
    setImmediate(() => {
      scheduled = false
      // Beside a running batch only a full one is worth while: what comes meanwhile makes the next one larger.
      if (stopped === null) while ((batches === 0 || (batches < parallel && wanted.size >= size)) && startBatch()) {}
      else if (taken.size === 0) stopped.resolve()
    })
  }

  const takeBatch = (): string[] => {
    const batch: string[] = []
    for (const [jobId, ticket] of wanted) {
      if (batch.length === size) break
      if (taken.has(jobId)) continue
      batch.push(jobId)
      taken.set(jobId, ticket)
    }
    for (const jobId of batch) wanted.delete(jobId)
    return batch
  }

  const again = (jobId: string, ticket: Ticket): void => {
    if (stopped !== null) {
      settle(ticket)
      return
    }
    const newer = wanted.get(jobId)
    wanted.set(jobId, ticket)
    if (newer === undefined) return
    // Two tickets for one piece of work: the newer is settled with the older.
    ticket.done.promise.then(newer.done.resolve, newer.done.reject)
    ticket.started.promise.then(newer.started.resolve, newer.started.reject)
  }

  const free = (jobId: string, unfinished: boolean, error?: unknown): void => {
    const ticket = taken.get(jobId)
    taken.delete(jobId)
    schedule()
    if (ticket === undefined) return
    if (unfinished) again(jobId, ticket)
    else settle(ticket, error)
  }

  const startBatch = (): boolean => {
    const batch = takeBatch()
    if (batch.length === 0) return false
    batches += 1
    const detached = new Set<string>()
    const detach: Detach = (jobId, long) => {
      detached.add(jobId)
      taken.get(jobId)?.started.resolve()
      long.then(
        () => free(jobId, true),
        (error: unknown) => free(jobId, false, error),
      )
    }
    const end = (unfinished: ReadonlySet<string>, error?: unknown): void => {
      batches -= 1
      for (const jobId of batch) if (!detached.has(jobId)) free(jobId, unfinished.has(jobId), error)
    }
    work(batch, detach).then(
      (unfinished) => end(new Set(unfinished)),
      (error: unknown) => end(new Set(), error),
    )
    return true
  }

  const ticketFor = (jobId: string): Ticket => {
    const ticket = wanted.get(jobId) ?? newTicket()
    if (stopped === null) wanted.set(jobId, ticket)
    else settle(ticket)
    schedule()
    return ticket
  }

  return {
    want: (jobId) => ticketFor(jobId).done.promise,
    offer: (jobId) => (taken.has(jobId) ? Promise.resolve() : ticketFor(jobId).started.promise),
    stop: () => {
      stopped ??= Promise.withResolvers<void>()
      for (const ticket of wanted.values()) settle(ticket)
      wanted.clear()
      schedule()
      return stopped.promise
    },
  }
}
