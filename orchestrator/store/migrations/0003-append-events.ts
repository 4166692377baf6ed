import { type Kysely, sql } from "kysely"

/**
 * Appending as one call: the job's standing is locked, so its events get their places one writer after another; what is there already is left alone; the
 * job is due. A function, because its plans are kept. One array per column; answers the keys of those that were new. An event of a block that was
 * orphaned and is canonical again is new, and takes a new place.
 */
const APPEND = `
create function afg.append_events(job text, keys text[], types text[], bodies text[], ats int8[], blocks int8[], hashes text[])
returns setof text language plpgsql as $$
declare
  base int4;
begin
  update afg.standings set last_seq = last_seq + cardinality(keys), wake_at = 0 where job_id = job
  returning last_seq - cardinality(keys) into base;
  if not found then
    raise exception using errcode = 'AFG01', message = 'there is no job ' || job;
  end if;
  return query
    insert into afg.events (job_id, seq, event_key, type, body, at, block_number, block_hash)
    select job, base + one.place::int4, one.key, one.type, one.body, one.at, one.block, one.hash
    from unnest(keys, types, bodies, ats, blocks, hashes) with ordinality as one (key, type, body, at, block, hash, place)
    on conflict (job_id, event_key) do update set orphaned = false, seq = excluded.seq where afg.events.orphaned
    returning event_key;
end $$`

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(APPEND).execute(db)
}
