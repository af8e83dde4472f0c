type Deadline = { config: { PAYMENT_DEADLINE_SECONDS: number } }

/** Aborts a call to the gateway that takes too long. */
export const gatewayDeadline = ({ config }: Deadline) => AbortSignal.timeout(config.PAYMENT_DEADLINE_SECONDS * 1000)

/** When a lease that starts now expires: later than any answer from the gateway can arrive. */
export const leaseEnd = ({ config, now }: Deadline & { now: () => Date }) =>
  new Date(now().getTime() + (2 * config.PAYMENT_DEADLINE_SECONDS + 1) * 1000)
