import { printableJson } from '../../policy/printable.ts'
import type { ContactsPage } from '../operator/contacts.ts'
import { askHost, type RemoteOptions, reportRefusal } from './operator-client.ts'

/** Everything that was sent to the contacts endpoint and is still kept, a line of JSON each, oldest first. */
export async function exportAll(options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    for (let after: string | null = ''; after !== null; ) {
      const path: string = after ? `/contacts?${new URLSearchParams({ after })}` : '/contacts'
      const { contacts, next } = await askHost<ContactsPage>(options.url, path)
      for (const contact of contacts) console.log(printableJson(contact))
      after = next
    }
  })
}
