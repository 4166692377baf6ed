import { type Kysely, sql } from "kysely"

/**
 * Appending as one call: the job's row is locked, so its events get their places one writer after another; what is there already is left alone;
 * the job is due. A function, because its plans are kept: the same statements sent one by one take twice the time.
 *
 * `events`: `[[place from 1, key, type, body, at, block, block hash], …]`. Answers the keys of those that were new; an event of a block that was
 * orphaned and is canonical again is new, and takes a new place.
 */
const APPEND = `
create function afg.append_events(job text, count int4, events json) returns setof text language plpgsql as $$
declare
  base int4;
begin
  update afg.jobs set last_seq = last_seq + count, wake_at = 0 where job_id = job returning last_seq - count into base;
  if not found then
    raise exception using errcode = 'AFG01', message = 'there is no job ' || job;
  end if;
  return query
    insert into afg.events (job_id, seq, event_key, type, body, at, block_number, block_hash)
    select job, base + (one->>0)::int4, one->>1, one->>2, one->>3, (one->>4)::int8, (one->>5)::int8, one->>6
    from json_array_elements(events) as one
    on conflict (job_id, event_key) do update set orphaned = false, seq = excluded.seq where afg.events.orphaned
    returning event_key;
end $$`

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(APPEND).execute(db)
}
