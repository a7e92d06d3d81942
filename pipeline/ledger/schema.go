package ledger

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

const (
	applicationID = 0x7463746c // "tctl", in the header of the file
	version       = 1          // user_version of the file
)

// schema makes the tables. The guards hold against mistakes; against intent
// there is the chain. A replacing insert deletes without firing the delete
// trigger, so the insert triggers refuse what exists.
var schema = []string{
	`CREATE TABLE event (
	seq INTEGER PRIMARY KEY,
	body TEXT NOT NULL,
	hash TEXT NOT NULL UNIQUE,
	kind TEXT GENERATED ALWAYS AS (json_extract(body, '$.kind')) VIRTUAL,
	happened TEXT GENERATED ALWAYS AS (json_extract(body, '$.when')) VIRTUAL
) STRICT`,
	`CREATE TABLE document (
	sha256 TEXT PRIMARY KEY,
	data BLOB NOT NULL
) STRICT`,
	`CREATE TRIGGER event_append BEFORE INSERT ON event
WHEN NEW.seq IS NULL OR NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM event)
	OR json_extract(NEW.body, '$.seq') <> NEW.seq
	OR json_extract(NEW.body, '$.previous') <> coalesce((SELECT hash FROM event ORDER BY seq DESC LIMIT 1), '` + zeros + `')
BEGIN SELECT raise(ABORT, 'an event is only ever appended'); END`,
	`CREATE TRIGGER event_update BEFORE UPDATE ON event BEGIN SELECT raise(ABORT, 'an event is never changed'); END`,
	`CREATE TRIGGER event_delete BEFORE DELETE ON event BEGIN SELECT raise(ABORT, 'an event is never removed'); END`,
	`CREATE TRIGGER document_append BEFORE INSERT ON document WHEN EXISTS (SELECT 1 FROM document WHERE sha256 = NEW.sha256)
BEGIN SELECT raise(ABORT, 'a document is never replaced'); END`,
	`CREATE TRIGGER document_update BEFORE UPDATE ON document BEGIN SELECT raise(ABORT, 'a document is never changed'); END`,
	`CREATE TRIGGER document_delete BEFORE DELETE ON document BEGIN SELECT raise(ABORT, 'a document is never removed'); END`,
}

// blank is the file of a ledger that has just begun.
func blank(ctx context.Context, now time.Time) ([]byte, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx) // each connection has a memory of its own
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for _, s := range append([]string{fmt.Sprintf("PRAGMA application_id = %d", applicationID),
		fmt.Sprintf("PRAGMA user_version = %d", version)}, schema...) {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return nil, err
		}
	}
	id := make([]byte, 16)
	rand.Read(id)
	first := Event{Seq: 1, Previous: zeros, When: now.UTC().Format(time.RFC3339), Kind: "begin",
		Begin: &Begin{Format, hex.EncodeToString(id)}}
	body, err := first.encode()
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "INSERT INTO event (seq, body, hash) VALUES (1, ?, ?)", string(body),
		hashOf(body)); err != nil {
		return nil, err
	}
	var file []byte
	err = conn.Raw(func(c any) error {
		s, ok := c.(interface{ Serialize() ([]byte, error) })
		if !ok {
			return errors.New("the database does not serialize")
		}
		file, err = s.Serialize()
		return err
	})
	if err != nil || len(file) < 100 {
		return nil, fmt.Errorf("serializing a new ledger: %w", err)
	}
	// Write and read version 2: the journal is a write-ahead log from the
	// first connection on (sqlite.org/fileformat.html, section 1.3.3).
	file[18], file[19] = 2, 2
	return file, nil
}

// checkSchema compares the guards with those that a new ledger has.
func checkSchema(ctx context.Context, conn *sql.Conn) error {
	n, is := 0, ""
	err := each(ctx, conn, func() error {
		if n++; n > len(schema) || is != schema[n-1] {
			return refuse(Broken, restore, "the ledger's tables or guards were altered")
		}
		return nil
	}, []any{&is}, "SELECT coalesce(sql, '') FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
	if err == nil && n != len(schema) {
		return refuse(Broken, restore, "a table or guard of the ledger is missing")
	}
	return err
}
