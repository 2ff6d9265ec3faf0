import { z } from 'zod'

/** Files as a request carries them: by path, contents in base64. */
export const uploadedFiles = z.record(z.string(), z.base64())
