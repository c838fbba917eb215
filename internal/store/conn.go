package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// access says what a connection may do to its file.
type access string

const (
	// checking only reads, by query_only.
	checking  access = "checking"
	readWrite access = "read and write"
)

// connection is the one connection of a store. database/sql would open a
// second one, without any of the limits, so a store holds this one and never
// asks the pool again.
type connection struct {
	db   *sql.DB
	conn *sql.Conn
	// schema is true while our own statements make tables or vacuum; at any
	// other time SQLite refuses to compile such a statement.
	schema *atomic.Bool
}

// caps of one connection, by SQLite's own limits (page 4.5).
var caps = map[int]int{
	sqlite3.SQLITE_LIMIT_LENGTH:              4 << 20,
	sqlite3.SQLITE_LIMIT_SQL_LENGTH:          64 << 10,
	sqlite3.SQLITE_LIMIT_COLUMN:              64,
	sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          50,
	sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     8,
	sqlite3.SQLITE_LIMIT_VDBE_OP:             50_000,
	sqlite3.SQLITE_LIMIT_FUNCTION_ARG:        16,
	sqlite3.SQLITE_LIMIT_ATTACHED:            1, // VACUUM INTO needs one
	sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
	sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER:     100,
	sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH:       1,
	sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
}

// connect opens path with everything off that a hostile file could use, before
// its schema is read (page 4.5). Loading extensions is off in SQLite itself
// and refused by the authorizer as well.
func connect(ctx context.Context, path string, a access) (*connection, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dsn := (&url.URL{Scheme: "file", Path: abs}).String() + "?mode=rw&_defensive=1&_dqs=0&_txlock=immediate"
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, err
	}
	c := &connection{db: db, conn: conn, schema: new(atomic.Bool)}
	if err := c.harden(ctx, a); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *connection) harden(ctx context.Context, a access) error {
	pragmas := []string{
		"trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "foreign_keys=ON", "secure_delete=ON",
		"temp_store=MEMORY", "recursive_triggers=OFF", "busy_timeout=5000",
		// The open file is a working copy: the journal keeps it whole when the
		// process dies, and only a saved file must outlive a power cut.
		"synchronous=OFF",
	}
	if a == readWrite {
		// What a recall and a save read again and again; a check reads once.
		pragmas = append(pragmas, "cache_size=-16384")
	}
	if a == checking {
		// The constraints are held against the rows by checkRows.
		pragmas = append(pragmas, "query_only=ON", "ignore_check_constraints=ON")
	}
	for _, pragma := range pragmas {
		if _, err := c.conn.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	for id, limit := range caps {
		if _, err := sqlite.Limit(c.conn, id, limit); err != nil {
			return err
		}
	}
	return c.conn.Raw(func(driverConn any) error {
		registerer, ok := driverConn.(sqlite.AuthorizerRegisterer)
		if !ok {
			return fmt.Errorf("the SQLite driver has no authorizer")
		}
		return registerer.RegisterAuthorizer(authorizer(c.schema))
	})
}

// allowedFunctions are the SQL functions that this package and FTS5 call.
var allowedFunctions = []string{"bm25", "count", "max", "min", "length", "coalesce", "sum", "match", "unlikely", "likely"}

// allowedPragmas are asked after the connection is set up.
var allowedPragmas = []string{"quick_check", "foreign_key_check", "data_version", "page_count", "page_size", "user_version", "application_id"}

// authorizer refuses every statement that this package has no use for: if SQL
// came in with a hostile file's schema all the same, it would find reading
// and writing rows of our tables and nothing else.
func authorizer(schema *atomic.Bool) sqlite.AuthorizerFn {
	return func(action sqlite.AuthorizerActionCode, arg1, arg2, _, trigger string) sqlite.AuthorizerReturnCode {
		switch {
		case action == sqlite.AuthFunction:
			if strings.EqualFold(arg2, "load_extension") {
				return sqlite.AuthorizerDeny
			}
			return allow(schema.Load() || slices.Contains(allowedFunctions, strings.ToLower(arg2)))
		case schema.Load():
			return sqlite.AuthorizerOK
		case trigger != "":
			return sqlite.AuthorizerDeny
		}
		switch action {
		case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthTransaction, sqlite.AuthSavepoint:
			return sqlite.AuthorizerOK
		case sqlite.AuthInsert, sqlite.AuthUpdate, sqlite.AuthDelete:
			return allow(!strings.HasPrefix(strings.ToLower(arg1), "sqlite_"))
		case sqlite.AuthPragma:
			return allow(slices.Contains(allowedPragmas, strings.ToLower(arg1)))
		}
		return sqlite.AuthorizerDeny
	}
}

func allow(ok bool) sqlite.AuthorizerReturnCode {
	if ok {
		return sqlite.AuthorizerOK
	}
	return sqlite.AuthorizerDeny
}

// asSchema runs statements that make tables or write a copy; they are ours,
// never a caller's.
func (c *connection) asSchema(f func() error) error {
	c.schema.Store(true)
	defer c.schema.Store(false)
	return f()
}

func (c *connection) close() error {
	err := c.conn.Close()
	if dbErr := c.db.Close(); err == nil {
		err = dbErr
	}
	return err
}
