// ESLint's extension of an editor, on Node 22.18 or newer, shows here what `partner scan` says of each file.
import { editorConfig } from '../policy/scan/lint-file.ts'

export default editorConfig()
