/**
 * Tables. The rules that must hold whatever the program does are in the database: a decision needs a form that was rendered,
 * a form makes at most one decision, a request has at most one decision and one answer, and what happened is never edited.
 */
export const SCHEMA_VERSION = 1

const APPEND_ONLY = ["request", "decision", "answer", "turn", "audit"] as const

const appendOnly = APPEND_ONLY.map(
  (table) => `
CREATE TRIGGER ${table}_is_not_edited BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;
CREATE TRIGGER ${table}_is_not_deleted BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`,
).join("")

export const SCHEMA = `
CREATE TABLE request (
  request_id TEXT PRIMARY KEY,
  -- sha256 of the request's JCS: what makes a second one "the same".
  body_sha256 TEXT NOT NULL,
  -- The request itself, without the contract, as JCS.
  body TEXT NOT NULL,
  subject TEXT NOT NULL,
  action_digest TEXT NOT NULL,
  -- What the page shows, as JCS: computed here, from the contract.
  view TEXT NOT NULL,
  rendering_digest TEXT NOT NULL,
  chain_id INTEGER NOT NULL,
  resolver TEXT NOT NULL,
  terms_hash TEXT NOT NULL,
  fund_by INTEGER NOT NULL,
  -- 1: the buyer's wallet has signed the contract. Requests without that cannot crowd out those with it.
  signed INTEGER NOT NULL CHECK (signed IN (0, 1)),
  received_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX request_by_subject ON request (subject, received_at);

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE session (
  -- sha256 of the secret that the browser holds.
  session_id TEXT PRIMARY KEY,
  subject TEXT NOT NULL,
  method TEXT NOT NULL,
  loa INTEGER NOT NULL,
  -- The one request that a session opened by a link is for; NULL: all of the subject's.
  request_id TEXT REFERENCES request,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE link (
  link_id TEXT PRIMARY KEY,
  request_id TEXT NOT NULL REFERENCES request,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;

-- One row for each time a page with a decision on it was rendered.
CREATE TABLE form (
  form_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES session,
  -- What the form decides: a request, or whether an action may be asked for again.
  request_id TEXT NOT NULL REFERENCES request,
  purpose TEXT NOT NULL CHECK (purpose IN ('decide', 'allow-again')),
  rendering_digest TEXT NOT NULL,
  rendered_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX form_by_session ON form (session_id, request_id, rendered_at);

CREATE TABLE decision (
  request_id TEXT PRIMARY KEY REFERENCES request,
  form_id TEXT NOT NULL UNIQUE REFERENCES form,
  decision TEXT NOT NULL CHECK (decision IN ('confirmed', 'denied')),
  subject TEXT NOT NULL,
  method TEXT NOT NULL,
  loa INTEGER NOT NULL,
  rendering_digest TEXT NOT NULL,
  dialog_turn TEXT,
  decided_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER decision_needs_its_form BEFORE INSERT ON decision
WHEN NOT EXISTS (
  SELECT 1 FROM form JOIN request USING (request_id)
  WHERE form.form_id = NEW.form_id AND form.request_id = NEW.request_id AND form.purpose = 'decide'
    AND form.rendering_digest = NEW.rendering_digest AND request.rendering_digest = NEW.rendering_digest
    AND form.used_at = NEW.decided_at AND form.used_at <= form.expires_at AND form.used_at <= request.expires_at
)
BEGIN SELECT RAISE(ABORT, 'a decision comes from a page that was rendered and is still open'); END;

-- What was signed about a decision.
CREATE TABLE answer (
  request_id TEXT PRIMARY KEY REFERENCES decision,
  evidence TEXT NOT NULL,
  confirmation TEXT,
  signed_at INTEGER NOT NULL
) STRICT;

-- The person allowed an action to be asked for again after rejecting it.
CREATE TABLE turn (
  turn_id TEXT PRIMARY KEY,
  form_id TEXT NOT NULL UNIQUE REFERENCES form,
  subject TEXT NOT NULL,
  action_digest TEXT NOT NULL,
  -- The denial that it lifts.
  denied_request_id TEXT NOT NULL UNIQUE REFERENCES decision,
  allowed_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER turn_needs_its_form BEFORE INSERT ON turn
WHEN NOT EXISTS (
  SELECT 1 FROM form JOIN decision USING (request_id)
  WHERE form.form_id = NEW.form_id AND form.purpose = 'allow-again' AND form.used_at IS NOT NULL
    AND form.request_id = NEW.denied_request_id AND decision.decision = 'denied'
)
BEGIN SELECT RAISE(ABORT, 'a new turn comes from a page that was rendered, for a denial'); END;

CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  request_id TEXT,
  detail TEXT NOT NULL,
  -- sha256 of the JCS of [previous hash, seq, at, event, request_id, detail].
  hash TEXT NOT NULL
) STRICT;
${appendOnly}
`
