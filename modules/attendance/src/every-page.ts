type Page<Row> = { data: Row[]; last_page: number }

/** The rows of all pages of a list, in its order. `list` asks for one page, which has 100 rows at most. */
export async function everyPage<Row>(list: (page: number) => Promise<Page<Row>>): Promise<Row[]> {
  const first = await list(1)
  const others = Array.from({ length: Math.max(first.last_page - 1, 0) }, (_, index) => list(index + 2))
  return [first, ...(await Promise.all(others))].flatMap(({ data }) => data)
}
