import { printableSettings, readSettings, SettingError } from '../config.ts'
import { startHost } from '../main.ts'

/** Runs a host until it is told to stop. One line on standard output when everything serves. */
export async function start(options: { printConfig?: boolean; samples: boolean }): Promise<void> {
  let settings: ReturnType<typeof readSettings>
  try {
    settings = readSettings(process.env)
  } catch (error) {
    return refuse(error)
  }
  if (options.printConfig) return void console.log(JSON.stringify(printableSettings(settings), null, 2))
  forgetEnvironment(settings)
  const isLaunched = process.connected
  try {
    const host = await startHost(settings, { samples: options.samples })
    const finish = () => {
      process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT').removeAllListeners('disconnect')
      void host.stop().then(() => process.exit(0))
    }
    process.once('SIGTERM', finish).once('SIGINT', finish)
    // The launcher was killed, perhaps during the start, and could hand on no signal.
    if (isLaunched && !process.connected) return finish()
    if (isLaunched) process.once('disconnect', finish)
    console.log(`ready ${host.url}`)
  } catch (error) {
    refuse(error)
  }
}

/** Processes that we start get no setting from the environment: secrets go to those that need them, as messages. */
function forgetEnvironment(settings: object): void {
  for (const name of Object.keys(settings)) delete process.env[name]
}

function refuse(error: unknown): void {
  const { message, code } = error as { message: string; code?: string }
  const line = error instanceof SettingError || code !== undefined ? message : `could not start: ${message}`
  console.error(`partner: ${line.split('\n')[0]}`)
  process.exit(2)
}
