/** The webhook's body. `data` is JSON text already: the fields and their order are the specification's. */
export function envelopeText(event: {
  id: string
  name: string
  tenantNumber: number
  createdAt: string
  data: string
}): string {
  const { id, name, tenantNumber, createdAt, data } = event
  const fields = [JSON.stringify(id), JSON.stringify(name), tenantNumber, JSON.stringify(createdAt), data]
  return `{"id":${fields[0]},"event":${fields[1]},"tenant_id":${fields[2]},"created_at":${fields[3]},"data":${fields[4]}}`
}
