package store

// ApplicationID stands at offset 68 of every store: "fmlr".
const ApplicationID = 0x666d6c72

// Version is the user_version that this build writes. Versions only grow; a
// change of the schema is a new migration, never an edit of an old one.
const Version = 1

// migrations[i] leads from user_version i to i+1. A released one is never
// edited: the schema of a file is compared with what these statements make,
// letter by letter. One that adds a column ends with an UPDATE of every row
// of the table, so that each row has all its columns: a merge reads rows as
// they lie in the file.
var migrations = [][]string{schemaV1}

// schemaV1 is written for merging (page 4.4): a version is a row that never
// changes but for its state, its confirmation and its redaction; states move
// right only; class, end and last use are registers with the time and cause
// that set them (none: the one that made the row); everything else is a set of
// rows with ids of their own. Digests are blobs, half as long as in hex. A
// purge marker is a keyed digest of the id of a document, which no key shares
// with it and no forget takes away. The
// caps are constraints, so that quick_check holds every row of a file from
// outside against them. Times are milliseconds since 1970 in UTC.
var schemaV1 = []string{
	`CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  store_id TEXT NOT NULL CHECK (length(store_id) = 32),
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  genesis INTEGER NOT NULL CHECK (genesis > 0),
  generation INTEGER NOT NULL CHECK (generation >= 0),
  audit_horizon INTEGER NOT NULL CHECK (audit_horizon >= 0),
  reindex INTEGER NOT NULL CHECK (reindex IN (0, 1))
) STRICT`,
	`CREATE TABLE secrets (
  id TEXT PRIMARY KEY CHECK (length(id) = 32),
  key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT, WITHOUT ROWID`,
	`CREATE TABLE documents (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  document_id TEXT NOT NULL CHECK (length(document_id) = 10),
  scope TEXT NOT NULL CHECK (scope IN ('repo', 'tenant_shared')),
  key TEXT NOT NULL CHECK (length(key) BETWEEN 3 AND 256),
  forgotten INTEGER NOT NULL CHECK (forgotten IN (0, 1)),
  class TEXT NOT NULL CHECK (class IN ('durable', 'standard', 'ephemeral', 'source_only')),
  class_at INTEGER NOT NULL,
  class_cause BLOB NOT NULL CHECK (length(class_cause) IN (0, 32)),
  valid_until INTEGER CHECK (valid_until > 0),
  valid_until_at INTEGER NOT NULL,
  valid_until_cause BLOB NOT NULL CHECK (length(valid_until_cause) IN (0, 32)),
  renewed_at INTEGER CHECK (renewed_at > 0),
  renewed_cause BLOB NOT NULL CHECK (length(renewed_cause) IN (0, 32)),
  announced_at INTEGER CHECK (announced_at > 0),
  announced_cause BLOB NOT NULL CHECK (length(announced_cause) IN (0, 32)),
  last_used TEXT NOT NULL CHECK (length(last_used) IN (0, 10)),
  PRIMARY KEY (repository_id, document_id)
) STRICT, WITHOUT ROWID`,
	`CREATE INDEX documents_key ON documents (repository_id, scope, key)`,
	`CREATE TABLE versions (
  id INTEGER PRIMARY KEY,
  repository_id INTEGER NOT NULL,
  document_id TEXT NOT NULL,
  uid BLOB NOT NULL CHECK (length(uid) = 32),
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 999999),
  redacted INTEGER NOT NULL CHECK (redacted IN (0, 1)),
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 2000),
  paths TEXT NOT NULL CHECK (length(paths) <= 20000),
  about TEXT NOT NULL CHECK (length(about) <= 20000),
  rule TEXT CHECK (length(rule) <= 60000),
  citations TEXT NOT NULL CHECK (length(citations) <= 60000),
  fingerprint BLOB CHECK (length(fingerprint) = 32),
  source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 40),
  creator_id INTEGER NOT NULL CHECK (creator_id >= 0),
  creator_login TEXT NOT NULL CHECK (length(creator_login) <= 100),
  created_at INTEGER NOT NULL CHECK (created_at > 0),
  origin_repository_id INTEGER NOT NULL,
  pull_request INTEGER NOT NULL CHECK (pull_request >= 0),
  base TEXT NOT NULL CHECK (length(base) <= 64),
  merge_base TEXT NOT NULL CHECK (length(merge_base) <= 64),
  head TEXT NOT NULL CHECK (length(head) <= 64),
  finding TEXT NOT NULL CHECK (length(finding) <= 100),
  state TEXT NOT NULL CHECK (state IN ('draft', 'review_required', 'lapsed', 'active', 'superseded', 'deprecated', 'rejected', 'tombstoned')),
  state_at INTEGER NOT NULL CHECK (state_at > 0),
  state_cause BLOB NOT NULL CHECK (length(state_cause) IN (0, 32)),
  state_op TEXT NOT NULL CHECK (length(state_op) BETWEEN 1 AND 40),
  confirmed_by_id INTEGER NOT NULL CHECK (confirmed_by_id >= 0),
  confirmed_by_login TEXT NOT NULL CHECK (length(confirmed_by_login) <= 100),
  confirmed_at INTEGER CHECK (confirmed_at > 0),
  confirmed_kind TEXT NOT NULL CHECK (length(confirmed_kind) <= 40),
  confirmed_event TEXT NOT NULL CHECK (length(confirmed_event) <= 100),
  confirmed_url TEXT NOT NULL CHECK (length(confirmed_url) <= 500),
  approved TEXT NOT NULL CHECK (approved IN ('', 'confirmed', 'auto')),
  UNIQUE (repository_id, uid),
  FOREIGN KEY (repository_id, document_id) REFERENCES documents (repository_id, document_id)
) STRICT`,
	`CREATE INDEX versions_document ON versions (repository_id, document_id, number)`,
	`CREATE INDEX versions_state ON versions (repository_id, state, pull_request)`,
	`CREATE INDEX versions_auto ON versions (repository_id, state) WHERE approved = 'auto'`,
	`CREATE INDEX versions_fingerprint ON versions (repository_id, fingerprint)`,
	`CREATE TABLE fingerprints (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  secret_id TEXT NOT NULL REFERENCES secrets (id),
  mac BLOB NOT NULL CHECK (length(mac) = 32),
  at INTEGER NOT NULL CHECK (at > 0),
  PRIMARY KEY (repository_id, secret_id, mac)
) STRICT, WITHOUT ROWID`,
	`CREATE TABLE purges (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  secret_id TEXT NOT NULL REFERENCES secrets (id),
  mac BLOB NOT NULL CHECK (length(mac) = 32),
  at INTEGER NOT NULL CHECK (at > 0),
  PRIMARY KEY (repository_id, secret_id, mac)
) STRICT, WITHOUT ROWID`,
	`CREATE TABLE revocations (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  id BLOB NOT NULL CHECK (length(id) = 32),
  scope TEXT NOT NULL CHECK (scope IN ('repo', 'tenant_shared')),
  prefix TEXT NOT NULL CHECK (length(prefix) <= 256),
  by_id INTEGER NOT NULL CHECK (by_id >= 0),
  by_login TEXT NOT NULL CHECK (length(by_login) <= 100),
  at INTEGER NOT NULL CHECK (at > 0),
  PRIMARY KEY (repository_id, id)
) STRICT, WITHOUT ROWID`,
	`CREATE TABLE lifts (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  revocation_id BLOB NOT NULL CHECK (length(revocation_id) = 32),
  cause BLOB NOT NULL CHECK (length(cause) = 32),
  by_id INTEGER NOT NULL CHECK (by_id >= 0),
  by_login TEXT NOT NULL CHECK (length(by_login) <= 100),
  at INTEGER NOT NULL CHECK (at > 0),
  PRIMARY KEY (repository_id, revocation_id, cause)
) STRICT, WITHOUT ROWID`,
	`CREATE TABLE causes (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  id BLOB NOT NULL CHECK (length(id) = 32),
  op TEXT NOT NULL CHECK (length(op) BETWEEN 1 AND 40),
  reason TEXT NOT NULL CHECK (length(reason) <= 40),
  target TEXT NOT NULL CHECK (length(target) <= 20),
  number INTEGER NOT NULL CHECK (number >= 0),
  at INTEGER NOT NULL CHECK (at > 0),
  event_kind TEXT NOT NULL CHECK (length(event_kind) <= 40),
  event_id TEXT NOT NULL CHECK (length(event_id) <= 100),
  PRIMARY KEY (repository_id, id)
) STRICT, WITHOUT ROWID`,
	`CREATE TABLE audit (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  id BLOB NOT NULL CHECK (length(id) = 32),
  at INTEGER NOT NULL CHECK (at > 0),
  op TEXT NOT NULL CHECK (length(op) BETWEEN 1 AND 40),
  reason TEXT NOT NULL CHECK (length(reason) <= 40),
  target TEXT NOT NULL CHECK (length(target) <= 20),
  actor_id INTEGER NOT NULL CHECK (actor_id >= 0),
  actor_login TEXT NOT NULL CHECK (length(actor_login) <= 100),
  detail TEXT NOT NULL CHECK (length(detail) <= 1000),
  PRIMARY KEY (repository_id, id)
) STRICT, WITHOUT ROWID`,
	`CREATE TABLE displays (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  id BLOB NOT NULL CHECK (length(id) = 32),
  number INTEGER NOT NULL CHECK (number > 0),
  comment_id INTEGER NOT NULL CHECK (comment_id > 0),
  set_digest BLOB NOT NULL CHECK (length(set_digest) = 32),
  at INTEGER NOT NULL CHECK (at > 0),
  cut INTEGER NOT NULL CHECK (cut IN (0, 1)),
  items TEXT NOT NULL CHECK (length(items) <= 60000),
  PRIMARY KEY (repository_id, id)
) STRICT, WITHOUT ROWID`,
	`CREATE INDEX displays_number ON displays (repository_id, number, at)`,
	`CREATE TABLE registers (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  value TEXT NOT NULL CHECK (length(value) <= 4000),
  at INTEGER NOT NULL CHECK (at > 0),
  cause BLOB NOT NULL CHECK (length(cause) = 32),
  PRIMARY KEY (repository_id, name)
) STRICT, WITHOUT ROWID`,
	`CREATE TABLE uses (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  id BLOB NOT NULL CHECK (length(id) = 32),
  document_id TEXT NOT NULL CHECK (length(document_id) = 10),
  version INTEGER NOT NULL CHECK (version BETWEEN 1 AND 999999),
  finding TEXT NOT NULL CHECK (length(finding) BETWEEN 1 AND 100),
  day TEXT NOT NULL CHECK (length(day) = 10),
  pull_request INTEGER NOT NULL CHECK (pull_request >= 0),
  head TEXT NOT NULL CHECK (length(head) <= 64),
  PRIMARY KEY (repository_id, id)
) STRICT, WITHOUT ROWID`,
	`CREATE INDEX uses_document ON uses (repository_id, document_id)`,
	`CREATE TABLE spending (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  id BLOB NOT NULL CHECK (length(id) = 32),
  day TEXT NOT NULL CHECK (length(day) = 10),
  tokens INTEGER NOT NULL CHECK (tokens BETWEEN 0 AND 1000000000000),
  PRIMARY KEY (repository_id, id)
) STRICT, WITHOUT ROWID`,
	`CREATE INDEX spending_day ON spending (repository_id, day)`,
	`CREATE TABLE dispositions (
  repository_id INTEGER NOT NULL CHECK (repository_id > 0),
  id BLOB NOT NULL CHECK (length(id) = 32),
  finding TEXT NOT NULL CHECK (length(finding) BETWEEN 1 AND 100),
  kind TEXT NOT NULL CHECK (kind IN ('accept', 'dismiss', 'correct')),
  document_id TEXT NOT NULL CHECK (length(document_id) IN (0, 10)),
  pull_request INTEGER NOT NULL CHECK (pull_request >= 0),
  by_id INTEGER NOT NULL CHECK (by_id > 0),
  by_login TEXT NOT NULL CHECK (length(by_login) <= 100),
  at INTEGER NOT NULL CHECK (at > 0),
  PRIMARY KEY (repository_id, id)
) STRICT, WITHOUT ROWID`,
	`CREATE INDEX dispositions_finding ON dispositions (repository_id, finding)`,
	`CREATE TABLE places (
  head TEXT NOT NULL CHECK (length(head) <= 256),
  id INTEGER NOT NULL REFERENCES versions (id),
  PRIMARY KEY (head, id)
) STRICT, WITHOUT ROWID`,
	`CREATE INDEX places_id ON places (id)`,
	`CREATE VIRTUAL TABLE recall USING fts5(words, content='', tokenize='porter unicode61')`,
}
