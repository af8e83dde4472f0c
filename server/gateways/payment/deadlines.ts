type Deadline = { config: { PAYMENT_DEADLINE_SECONDS: number } }

/** Aborts a call to the gateway that takes too long. */
export const gatewayDeadline = ({ config }: Deadline) => AbortSignal.timeout(config.PAYMENT_DEADLINE_SECONDS * 1000)

/** How long a lease lasts: longer than any answer from the gateway can take. */
export const leaseMs = ({ config }: Deadline) => (2 * config.PAYMENT_DEADLINE_SECONDS + 1) * 1000

/** When a lease that starts now expires. */
export const leaseEnd = (world: Deadline & { now: () => Date }) => new Date(world.now().getTime() + leaseMs(world))

/** How soon work that needs a silent gateway is retried, one piece at a time: any of them can notice that it's back. */
export const SILENCE_SECONDS = 2
