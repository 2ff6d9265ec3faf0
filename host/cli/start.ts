import { printable } from '../../policy/printable.ts'
import { printableSettings, readSettings, SettingError } from '../config.ts'
import { startHost } from '../main.ts'
import { forgetEnvironment } from '../processes/child-process.ts'

/** Runs a host until it is told to stop. One line on standard output when everything serves. */
export async function start(options: { printConfig?: boolean; samples: boolean; json?: boolean }): Promise<void> {
  let settings: ReturnType<typeof readSettings>
  try {
    settings = readSettings(process.env)
  } catch (error) {
    return refuse(error)
  }
  if (options.printConfig) return void console.log(JSON.stringify(printableSettings(settings), null, 2))
  forgetEnvironment()
  const isLaunched = process.connected
  const told = listenForEnd()
  try {
    const host = await startHost(settings, { samples: options.samples })
    const finish = () =>
      void host.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    // The launcher was killed, perhaps during the start, and could hand on no signal.
    if (told.already || (isLaunched && !process.connected)) return finish()
    told.end = finish
    console.log(options.json ? JSON.stringify({ ready: host.url }) : `ready ${host.url}`)
  } catch (error) {
    refuse(error)
  }
}

/** How long a start that was interrupted may take to come to where it can be ended in order. */
const patience = 10_000

/**
 * One signal may come twice: a terminal and a service manager tell the whole group, and the launcher hands on what it was
 * told. The second must not cut short what the first began.
 */
function listenForEnd(): { already: boolean; end(): void } {
  const told = {
    already: false,
    end: () => void setTimeout(() => process.exit(1), patience).unref(),
  }
  const hear = () => {
    if (told.already) return
    told.already = true
    told.end()
  }
  process.on('SIGTERM', hear).on('SIGINT', hear).on('SIGHUP', hear).once('disconnect', hear)
  return told
}

function refuse(error: unknown): void {
  const { message, code } = error as { message: string; code?: string }
  const line = error instanceof SettingError || code !== undefined ? message : `could not start: ${message}`
  console.error(printable(`partner: ${line.split('\n')[0]}`))
  process.exit(2)
}
