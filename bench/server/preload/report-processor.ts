// Loaded before a program. Reports the processor time it has used, in milliseconds, on any message.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1000)
})
process.channel?.unref()
