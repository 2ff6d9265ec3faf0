import { Socket } from 'node:net'
import { join } from 'node:path'
import { createJobs, createSharedScanner, type Jobs } from './jobs.ts'
import type { Question } from './messages.ts'
import { doorFd, readMessages, sendMessage } from './wire.ts'

/** A process for the modules in one folder: their code is parsed here, without any credential. It ends with its socket. */
function serve(folder: string): void {
  const door = new Socket({ fd: doorFd, readable: true, writable: true })
  const scanner = createSharedScanner()
  const rooms = new Map<string, Jobs>()
  const jobsOf = (room = '.') => {
    const jobs = rooms.get(room) ?? createJobs(join(folder, room), scanner)
    rooms.set(room, jobs)
    return jobs
  }
  door.on(
    'data',
    readMessages((message) => void answer(door, jobsOf((message as Question).room), message as Question)),
  )
  door.on('end', () => process.exit(0))
  door.on('error', () => process.exit(1))
}

async function answer(door: Socket, jobs: Jobs, { id, job, argument }: Question): Promise<void> {
  try {
    sendMessage(door, { id, result: await jobs[job]!(argument as never) })
  } catch (error) {
    sendMessage(door, { id, error: error instanceof Error ? error.message : String(error) })
  }
}

const { folder } = JSON.parse(process.argv[2] ?? '{}') as { folder: string }
serve(folder)
