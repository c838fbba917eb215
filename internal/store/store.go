package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Identity says whose store it is. The numeric id decides; owner and name are
// what the repository is called now, and keys are spelled with them, so that
// lessons follow a rename (page 3.4).
type Identity struct {
	RepositoryID   int64 // positive
	Owner, Name    string
	InstallationID int64 // 0: no tenant scope
}

// Coordinates are the owning coordinates of keys in this store.
func (id Identity) Coordinates() memory.Coordinates {
	return memory.Coordinates{Owner: id.Owner, Name: id.Name, RepositoryID: id.RepositoryID, InstallationID: id.InstallationID}
}

// Store is one open store file. Its methods may be called from several
// goroutines; they run one after the other. Every statement is scoped by the
// repository id.
type Store struct {
	mu       sync.Mutex
	c        *connection
	path     string
	id       Identity
	storeID  string
	genesis  time.Time
	secretID string // the secret that fingerprints are made with
	secret   []byte
	secrets  []secretKey // all of them: more than one once two stores became one
	maxBytes int64       // additions stop at nine tenths of it
	changed  bool
	dates    *dates    // of the rows as the file was opened, nil: not known
	kept     *contents // what the file holds, between merges; see load
	watch    watching
}

// Create makes an empty store at path, where nothing may lie yet, with a
// random store id and random keys. now is its genesis.
func Create(ctx context.Context, path string, id Identity, now time.Time) (*Store, error) {
	if id.RepositoryID <= 0 {
		return nil, fail(WrongRepository, path, nil, "a store needs a positive repository id")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fail(Exists, path, err, "something is there already")
	case err != nil:
		return nil, fail(Unwritable, path, err, "it cannot be created (%v)", err)
	}
	if err := f.Close(); err != nil {
		return nil, fail(Unwritable, path, err, "it cannot be created (%v)", err)
	}
	s, err := create(ctx, path, id, now)
	if err != nil {
		os.Remove(path)
		return nil, err
	}
	return s, nil
}

func create(ctx context.Context, path string, id Identity, now time.Time) (*Store, error) {
	c, err := connect(ctx, path, readWrite)
	if err != nil {
		return nil, broken(ctx, path, err)
	}
	random := make([]byte, 64)
	if _, err := rand.Read(random); err != nil {
		c.close()
		return nil, fail(Unusable, path, err, "the system gave no random bytes (%v)", err)
	}
	err = c.asSchema(func() error { return build(ctx, c.conn, 0) })
	if err == nil {
		_, err = c.conn.ExecContext(ctx, "INSERT INTO store VALUES (1, ?, ?, ?, 1, 0, 0)",
			hex.EncodeToString(random[:16]), id.RepositoryID, max(millis(now), 1))
	}
	if err == nil {
		_, err = c.conn.ExecContext(ctx, "INSERT INTO secrets VALUES (?, ?)", hex.EncodeToString(random[16:32]), random[32:])
	}
	if err != nil {
		c.close()
		return nil, broken(ctx, path, err)
	}
	s, err := start(ctx, c, path, id)
	if err != nil {
		return nil, err
	}
	s.changed = true
	return s, nil
}

// build runs the migrations after version from in one transaction and stamps
// the file.
func build(ctx context.Context, conn *sql.Conn, from int) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, statements := range migrations[from:] {
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
	}
	for _, stamp := range []string{"PRAGMA application_id = 1718447218", "PRAGMA user_version = " + versionText(len(migrations))} {
		if _, err := tx.ExecContext(ctx, stamp); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Open opens the store at path, which is not trusted however it came here
// (page 4.5): nothing is written before everything was checked, an older
// format is migrated on a copy, and a refusal is an *Error whose Kind says
// why.
func Open(ctx context.Context, path string, id Identity) (*Store, error) {
	limited, cancel := withOpenTime(ctx, openTime, time.Second, processTime)
	defer cancel()
	version, err := checkFile(path)
	if err != nil {
		return nil, err
	}
	found, err := checkContents(limited, path, version, id)
	if err == nil && version < len(migrations) {
		found, err = migrate(limited, path, version, id)
	}
	if err != nil {
		return nil, err
	}
	c, err := connect(limited, path, readWrite)
	if err != nil {
		return nil, broken(limited, path, err)
	}
	s, err := start(limited, c, path, id)
	if err != nil {
		return nil, err
	}
	s.dates = &found
	return s, nil
}

// start reads what the store says of itself and finishes what a migration left
// to do.
func start(ctx context.Context, c *connection, path string, id Identity) (*Store, error) {
	s := &Store{c: c, path: path, id: id, maxBytes: MaxBytes}
	var genesis int64
	var reindex int
	err := c.conn.QueryRowContext(ctx, "SELECT store_id, genesis, reindex FROM store WHERE repository_id = ?", id.RepositoryID).Scan(&s.storeID, &genesis, &reindex)
	if err == nil {
		s.genesis = fromMillis(genesis)
		err = s.readSecrets(ctx)
	}
	if err == nil && reindex == 1 {
		err = s.reindex(ctx)
	}
	if err != nil {
		c.close()
		return nil, broken(ctx, path, err)
	}
	return s, nil
}

// readSecrets reads the keys of fingerprints and markers; the first by id is
// the one that new ones are made with.
func (s *Store) readSecrets(ctx context.Context) error {
	rows, err := s.c.conn.QueryContext(ctx, "SELECT id, key FROM secrets ORDER BY id LIMIT 100")
	if err != nil {
		return s.failed(err)
	}
	defer rows.Close()
	s.secrets = nil
	for rows.Next() {
		var k secretKey
		if err := rows.Scan(&k.id, &k.key); err != nil {
			return s.failed(err)
		}
		s.secrets = append(s.secrets, k)
	}
	if err := rows.Err(); err != nil {
		return s.failed(err)
	}
	if len(s.secrets) == 0 {
		return fail(Corrupted, s.path, nil, "it has no key for its fingerprints")
	}
	s.secretID, s.secret = s.secrets[0].id, s.secrets[0].key
	return nil
}

// Close ends the use of the file. It is not what saves it: see SaveTo.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.c.close()
}

// Changed says whether anything was stored since the file was opened or
// created: an unchanged store needs no save (page 5.4).
func (s *Store) Changed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// StoreID is 32 hex digits, made at genesis. Which store it is, it says without
// the counting of Info.
func (s *Store) StoreID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.storeID
}

// Genesis is when the store was made.
func (s *Store) Genesis() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.genesis
}

// Info is what a store says of itself.
type Info struct {
	StoreID      string // 32 hex digits, made at genesis
	RepositoryID int64
	Genesis      time.Time
	Generation   int64 // grows by one in every opening that changes something
	Format       int   // user_version
	Bytes        int64
	Counts       Counts
}

// Info returns what the store says of itself.
func (s *Store) Info(ctx context.Context) (Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info := Info{StoreID: s.storeID, Genesis: s.genesis, Format: Version}
	err := s.c.conn.QueryRowContext(ctx, "SELECT repository_id, generation FROM store WHERE repository_id = ?", s.id.RepositoryID).
		Scan(&info.RepositoryID, &info.Generation)
	if err != nil {
		return Info{}, s.failed(err)
	}
	if info.Bytes, err = s.bytes(ctx, s.c.conn); err != nil {
		return Info{}, err
	}
	info.Counts, err = s.counts(ctx)
	return info, err
}

// querier is a connection or a transaction on it.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func (s *Store) bytes(ctx context.Context, q querier) (int64, error) {
	var pages, size int64
	if err := q.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return 0, s.failed(err)
	}
	if err := q.QueryRowContext(ctx, "PRAGMA page_size").Scan(&size); err != nil {
		return 0, s.failed(err)
	}
	return pages * size, nil
}

// failed wraps an error of a statement on the open store.
func (s *Store) failed(err error) error {
	var mine *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mine):
		return mine
	case strings.Contains(err.Error(), "disk is full"), strings.Contains(err.Error(), "disk I/O"), strings.Contains(err.Error(), "readonly"):
		return fail(Unwritable, s.path, err, "it cannot be written (%v)", err)
	case strings.Contains(err.Error(), "malformed"), strings.Contains(err.Error(), "corrupt"):
		return fail(Corrupted, s.path, err, "SQLite finds it damaged (%.200s)", err.Error())
	}
	return fail(Unusable, s.path, err, "a statement failed (%.200s)", err.Error())
}

// touch counts the generation up once in each opening that changes something.
func (s *Store) touch(ctx context.Context, q querier) error {
	s.kept = nil
	if s.changed {
		return nil
	}
	_, err := q.ExecContext(ctx, "UPDATE store SET generation = generation + 1 WHERE repository_id = ?", s.id.RepositoryID)
	return err
}
