import { hash } from 'node:crypto'
import { type Cell, type CellResult, steps } from './cell.ts'
import type { Outbox } from './crossing.ts'
import type { Effort } from './effort.ts'

type Letter = readonly [from: number, messages: readonly string[]]
type Receipt = readonly [to: number, digest: string]

/** All that a file heard, and a digest of what it told each other one, by step and round. */
export type Transcript = { readonly came: Letter[][][]; readonly went: Receipt[][][] }

/** What is kept of a file from one scan to the next. */
export type Kept = {
  readonly result: CellResult
  /** The last round of each step in which it told anybody anything, -1 for none. */
  readonly last: readonly number[]
  transcript(): Transcript
}

/** A file of the module: how to follow its values, and what came of it before. Without `open` the file is gone. */
export type Member = {
  readonly number: number
  readonly open: (() => Cell) | undefined
  /** Undefined if the file is new. */
  readonly kept: Kept | undefined
  /** Whether what the file begins with is not what it began with before. */
  readonly changed: boolean
}

/** What a file that was followed came to, and how. */
export type Followed = {
  readonly result: CellResult
  readonly last: readonly number[]
  readonly transcript: Transcript | undefined
}

type Live = {
  readonly number: number
  readonly cell: Cell | undefined
  readonly before: Transcript | undefined
  /** Undefined if nobody will ask for it. */
  readonly transcript: Transcript | undefined
  busy: boolean
  outbox: Outbox
  /** Of what it told in this round. */
  receipts: ReadonlyMap<number, string>
}

/**
 * Follows the values of a module, file by file, in rounds: each file that heard something works until nothing moves in it,
 * then all hear what the others told. A file whose beginning is as before, and to which everything said is as before, would
 * do again what it did before, so it is left as it is, and its transcript speaks for it; it is woken in the round in which
 * somebody tells it something else. What comes of it is what comes of following all files. Transcripts are written only where
 * they are to be kept. What a file took before counts as long as it is left as it is.
 */
export function followRounds(
  members: ReadonlyMap<number, Member>,
  keeping: boolean,
  effort: Effort,
): Map<number, Followed> {
  for (const { changed, kept } of members.values()) if (!changed) effort.left -= kept?.result.steps ?? 0
  const live = new Map<number, Live>()
  for (const member of members.values()) if (member.changed) live.set(member.number, start(member, keeping))
  const lastRounds = steps.map((_, step) =>
    Math.max(-1, ...[...members.values()].map(({ kept }) => kept?.last[step] ?? -1)),
  )
  for (const [step, name] of steps.entries()) {
    for (const one of live.values()) begin(one, name)
    for (let round = 0; ; round++) {
      for (const one of live.values()) work(one)
      wakeOthers(members, live, step, round, effort)
      for (const one of live.values()) recordWent(one, step, round)
      for (const [to, letters] of sortLetters(live, step, round)) {
        const one = live.get(to)
        if (one) deliver(one, letters, step, round)
      }
      if (round >= (lastRounds[step] ?? -1) && ![...live.values()].some(({ busy }) => busy)) break
    }
  }
  const followed = [...live.values()].flatMap(({ number, cell, transcript }): [number, Followed][] =>
    cell ? [[number, { result: cell.result(), last: transcript?.went.map(lastRound) ?? [], transcript }]] : [],
  )
  return new Map(followed)
}

function start({ number, open, kept }: Member, keeping: boolean): Live {
  const transcript: Transcript | undefined = keeping ? { came: [], went: [] } : undefined
  return {
    number,
    cell: open?.(),
    before: kept?.transcript(),
    transcript,
    busy: false,
    outbox: new Map(),
    receipts: new Map(),
  }
}

function begin(one: Live, step: (typeof steps)[number]): void {
  one.transcript?.came.push([])
  one.transcript?.went.push([])
  one.cell?.begin(step)
  one.busy = true
}

function work(one: Live): void {
  one.outbox = (one.busy && one.cell?.run()) || new Map()
  if (one.transcript) one.receipts = receiptsOf(one.outbox)
  one.busy = false
}

function deliver(one: Live, letters: Letter[], step: number, round: number): void {
  if (letters.length === 0) return
  for (const [from, messages] of letters) one.cell?.hear(from, messages)
  one.busy = true
  if (one.transcript) setRound(one.transcript.came, step, round, letters)
}

/** What each file hears at the end of a round: of those at work what they have told, of the others what they told before. */
function sortLetters(live: ReadonlyMap<number, Live>, step: number, round: number): Map<number, Letter[]> {
  const sorted = new Map<number, Letter[]>()
  for (const { number, before } of live.values()) {
    const others = before?.came[step]?.[round]?.filter(([from]) => !live.has(from))
    if (others && others.length > 0) sorted.set(number, others)
  }
  for (const { number: from, outbox } of live.values()) {
    for (const [to, messages] of outbox) {
      const letters = sorted.get(to)
      if (letters) letters.push([from, messages])
      else sorted.set(to, [[from, messages]])
    }
  }
  for (const letters of sorted.values()) letters.sort(([a], [b]) => a - b)
  return sorted
}

/** Those at rest who now hear something else than before go to work from the beginning, up to where the others are. */
function wakeOthers(
  members: ReadonlyMap<number, Member>,
  live: Map<number, Live>,
  step: number,
  round: number,
  effort: Effort,
): void {
  for (const { receipts: now, before } of [...live.values()]) {
    const then = new Map(before?.went[step]?.[round])
    for (const to of new Set([...now.keys(), ...then.keys()])) {
      if (live.has(to) || now.get(to) === then.get(to)) continue
      const member = members.get(to)
      if (!member) continue
      effort.left += member.kept?.result.steps ?? 0
      live.set(to, retrace(start(member, true), step, round))
    }
  }
}

function retrace(one: Live, step: number, round: number): Live {
  const came = one.before?.came ?? []
  for (const [index, name] of steps.slice(0, step + 1).entries()) {
    begin(one, name)
    work(one)
    recordWent(one, index, 0)
    const rounds = index < step ? (came[index]?.length ?? 0) : round
    for (let past = 0; past < rounds; past++) {
      deliver(one, came[index]?.[past] ?? [], index, past)
      work(one)
      recordWent(one, index, past + 1)
    }
  }
  return one
}

function recordWent({ receipts, transcript }: Live, step: number, round: number): void {
  if (transcript && receipts.size > 0) setRound(transcript.went, step, round, [...receipts])
}

/** Messages are sorted, so that an edit that only changes their order changes nothing for those who hear them. */
function receiptsOf(outbox: Outbox): Map<number, string> {
  return new Map(
    [...outbox].map(([to, messages]) => [to, hash('sha256', JSON.stringify(messages.sort()), 'base64url')]),
  )
}

function setRound<Entry>(rounds: Entry[][][], step: number, round: number, entries: Entry[]): void {
  const list = rounds[step]
  if (!list) return
  while (list.length < round) list.push([])
  list[round] = entries
}

function lastRound(rounds: readonly (readonly unknown[])[]): number {
  return rounds.findLastIndex((entries) => entries.length > 0)
}
