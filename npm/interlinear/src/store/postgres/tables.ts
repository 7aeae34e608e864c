// The tables. Events and native objects are `text`: `jsonb` refuses `\u0000` and lone surrogates, and changes numbers.

/** A session id as Postgres can hold it: its text has no NUL and no lone surrogates, so they stand as in JSON. */
export function keyOf(sessionId: string): string {
  return JSON.stringify(sessionId).slice(1, -1);
}

export function sessionIdOf(key: string): string {
  return JSON.parse(`"${key}"`) as string;
}

/** The statements, for tables whose names begin with a prefix. */
export function statements(prefix: string) {
  const sessions = `${prefix}sessions`;
  const events = `${prefix}events`;
  const free = `(${sessions}.holder is null or ${sessions}.held_until < now())`;
  const until = (parameter: string) => `now() + ${parameter} * interval '1 millisecond'`;
  const columns = "session_id, agent, created_at, updated_at, last_sequence, ended, bytes, metadata";
  return {
    // Two servers may start at the same time: "if not exists" alone is not safe then.
    create: `
      begin;
      select pg_advisory_xact_lock(hashtext('${prefix}'));
      create table if not exists ${sessions} (
        session_id text collate "C" primary key,
        agent text,
        created_at bigint not null,
        updated_at bigint not null,
        last_sequence bigint not null default 0,
        ended boolean not null default false,
        bytes bigint not null default 0,
        metadata text not null default '{}',
        holder text,
        held_until timestamptz
      );
      create index if not exists ${sessions}_updated on ${sessions} (updated_at desc);
      create table if not exists ${events} (
        session_id text collate "C" not null references ${sessions} on delete cascade,
        sequence bigint not null,
        event text not null,
        raw text,
        primary key (session_id, sequence)
      );
      commit;`,

    /** id, agent, now, holder, lease */
    open: `
      insert into ${sessions} (session_id, agent, created_at, updated_at, holder, held_until)
      values ($1, $2, $3, $3, $4, ${until("$5::bigint")})
      on conflict (session_id) do update set
        agent = coalesce(${sessions}.agent, excluded.agent), holder = $4, held_until = excluded.held_until
      where ${free} or ${sessions}.holder = $4
      returning last_sequence, metadata`,

    /** id, holder, metadata */
    describe: `update ${sessions} set metadata = $3 where session_id = $1 and holder = $2 returning session_id`,

    /**
     * All or nothing, and only for the holder: id, holder, last sequence before and after, sequences, events, native
     * objects, bytes, ended, now, lease, channel, note. One row if it was written.
     */
    append: `
      with held as (
        update ${sessions} set
          last_sequence = $4, bytes = bytes + $8, ended = $9, updated_at = $10, held_until = ${until("$11::bigint")}
        where session_id = $1 and holder = $2 and last_sequence = $3
        returning session_id
      ), written as (
        insert into ${events} (session_id, sequence, event, raw)
        select held.session_id, record.*
        from held, unnest($5::bigint[], $6::text[], $7::text[]) as record
      )
      select pg_notify($12, $13) from held`,

    /** id, holder */
    held: `select last_sequence from ${sessions} where session_id = $1 and holder = $2`,

    /** holders, lease */
    renew: `update ${sessions} set held_until = ${until("$2::bigint")} where holder = any($1)`,

    /** id, holder */
    release: `update ${sessions} set holder = null, held_until = null where session_id = $1 and holder = $2`,

    /** id */
    info: `select ${columns} from ${sessions} where session_id = $1`,

    /** limit, offset */
    list: `select ${columns} from ${sessions} order by updated_at desc, session_id limit $1 offset $2`,

    /** id, offset, limit */
    read: `select event from ${events} where session_id = $1 and sequence > $2 order by sequence limit $3`,

    /** id, offset, limit */
    readWithRaw: `select event, raw from ${events} where session_id = $1 and sequence > $2 order by sequence limit $3`,

    /** The native object that an event shares with one before: id, sequence */
    sharedRaw: `
      select raw from ${events} where session_id = $1 and sequence <= $2 and raw <> ''
      order by sequence desc limit 1`,

    /** id, channel, note */
    delete: `
      with gone as (delete from ${sessions} where session_id = $1 and ${free} returning session_id)
      select pg_notify($2, $3) from gone`,
  } as const;
}

export type Statements = ReturnType<typeof statements>;
