import type pg from 'pg'

/** Keeps the sealed code cache of a bundle for one engine, in place of what that engine made before. */
export async function storeCodeCache(
  db: Pick<pg.ClientBase, 'query'>,
  { hash, maker, cache }: { hash: string; maker: string; cache: Uint8Array },
): Promise<void> {
  await db.query(
    `insert into core.code_caches (bundle_hash, maker, cache) values ($1, $2, $3)
      on conflict (bundle_hash, maker) do update set (cache, made_at) = (excluded.cache, excluded.made_at)`,
    [hash, maker, cache],
  )
}
