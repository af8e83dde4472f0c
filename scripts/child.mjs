import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const isWindows = process.platform === 'win32'

/**
 * Runs a command and returns its exit code. It gets its own process group, so that a Ctrl-C, which both the terminal
 * and npm forward, reaches it once, and so that nothing it started outlives it.
 */
export function run(command, args, { env, shell = false, stopBy, stdio = 'inherit' } = {}) {
  const child = spawn(command, args, { stdio, env: { ...process.env, ...env }, shell, detached: !isWindows })
  let lastSignal = 0
  const forward = (signal) => {
    const isEcho = Date.now() - lastSignal < 1000
    lastSignal = Date.now()
    if (!isEcho) child.kill(stopBy ?? (signal === 'SIGHUP' ? 'SIGTERM' : signal))
  }
  const endGroup = () => {
    try {
      process.kill(isWindows ? child.pid : -child.pid)
    } catch {} // already gone
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  process.on('exit', endGroup)
  return new Promise((resolve) => {
    const end = (code) => {
      for (const signal of signals) process.off(signal, forward)
      process.off('exit', endGroup)
      resolve(code)
    }
    child.on('error', (error) => {
      console.error(`${command} could not be started: ${error.message}`)
      end(1)
    })
    child.on('exit', (code, signal) => {
      endGroup()
      end(code ?? 128 + constants.signals[signal])
    })
  })
}
