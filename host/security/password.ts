import { hash, verify } from '@node-rs/argon2'

/** Argon2id with OWASP's smallest recommended cost: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string): Promise<string> => hash(password, cost)

export const verifyPassword = (storedHash: string, password: string): Promise<boolean> => verify(storedHash, password)
