package releases

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"
)

// What a file begins with.
const (
	export = iota
	database
)

// How long a file is left alone after it was written to, since within one tick
// of its clock it may be written to again unseen, and how often a ledger is
// read that a run writes to.
const (
	tick  = 20 * time.Millisecond
	tries = 250
)

// A look is how the database and its log lie there; nil where they do not.
type look [2]fs.FileInfo

func kindOf(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, unreadable(err)
	}
	defer f.Close()
	head := make([]byte, 16)
	n, _ := io.ReadFull(f, head)
	switch {
	case n == 16 && string(head) == "SQLite format 3\x00":
		return database, nil
	case n > 0 && head[0] == '{':
		return export, nil
	}
	return 0, &Error{"is neither a ledger nor the export of one"}
}

func unreadable(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &Error{"cannot be read: " + err.Error()}
}

// readExport reads JSON lines: canonical bytes with the hash as the last
// member.
func readExport(path string) (*Book, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(err)
	}
	c := newChain()
	lines := bufio.NewReader(bytes.NewReader(data))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && len(line) == 0 {
			break
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		at := bytes.LastIndex(line, []byte(`,"hash":"`))
		if at < 0 || !bytes.HasSuffix(line, []byte(`"}`)) {
			return nil, &Error{"has a line without a hash at its end: it is no export of a ledger, or cut short"}
		}
		hash := string(line[at+9 : max(at+9, len(line)-2)])
		c.add(append(bytes.Clone(line[:at]), '}'), hash)
	}
	return c.done()
}

// readDatabase reads the SQLite file, which a run may be writing to.
func readDatabase(ctx context.Context, path string) (*Book, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, unreadable(err)
	}
	return steady(ctx, abs, func() (*Book, error) { return readAt(ctx, abs) })
}

// readAt reads the file as it is at one moment, of which steady makes sure.
func readAt(ctx context.Context, abs string) (*Book, error) {
	from := abs
	q := url.Values{"mode": {"ro"}, "immutable": {"1"}}
	if st, err := os.Stat(abs + "-wal"); err == nil && st.Size() > 0 {
		dir, err := os.MkdirTemp("", "tacet-verify-")
		if err != nil {
			return nil, unreadable(err)
		}
		defer os.RemoveAll(dir)
		for _, suffix := range []string{"", "-wal"} {
			data, err := os.ReadFile(abs + suffix)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "ledger"+suffix), data, 0o600)
			}
			if err != nil {
				return nil, unreadable(err)
			}
		}
		from, q = filepath.Join(dir, "ledger"), url.Values{"mode": {"rw"}}
	}
	q["_pragma"] = []string{"trusted_schema(OFF)", "cell_size_check(ON)"}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: from, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, &Error{"is a database that cannot be opened"}
	}
	defer db.Close()
	c := newChain()
	c.folder, c.document = abs+".history", map[string][]byte{}
	if c.header(ctx, db) != nil || c.events(ctx, db) != nil || c.documents(ctx, db) != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{"is no ledger of version 1, or is damaged"}
	}
	return c.done()
}

func (c *chain) header(ctx context.Context, db *sql.DB) error {
	var id, version int
	err := errors.Join(db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id),
		db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version))
	if err == nil && (id != 0x7463746c || version != 1) {
		err = errors.New("another format")
	}
	return err
}

func (c *chain) events(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "SELECT body, hash FROM event ORDER BY seq")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var body, hash string
		if err := rows.Scan(&body, &hash); err != nil {
			return err
		}
		c.add([]byte(body), hash)
	}
	return rows.Err()
}

// documents takes those that have their hash.
func (c *chain) documents(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "SELECT sha256, data FROM document")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var sha string
		var data []byte
		if err := rows.Scan(&sha, &data); err != nil {
			return err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) == sha {
			c.document[sha] = data
		}
	}
	return rows.Err()
}

func (c *chain) done() (*Book, error) {
	if len(c.Hash) == 0 && c.Broken == "" {
		return nil, &Error{"holds no event"}
	}
	return c.Book, nil
}

// decode reads an event and refuses members that are not known.
func decode(body []byte) (*event, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	var e event
	if err := d.Decode(&e); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("bytes after the event")
	}
	return &e, nil
}

func lookAt(path string) (l look) {
	for i, suffix := range []string{"", "-wal"} {
		if st, err := os.Stat(path + suffix); err == nil {
			l[i] = st
		}
	}
	return l
}

// steady reads until database and log lie there after it as they did before: a
// run that writes meanwhile leaves a part of one state and a part of another,
// which looks like a broken chain.
func steady(ctx context.Context, path string, read func() (*Book, error)) (*Book, error) {
	for range tries {
		before := lookAt(path)
		if before.old() {
			b, err := read()
			if before.same(lookAt(path)) || ctx.Err() != nil {
				return b, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(tick):
		}
	}
	return nil, &Error{"is written to again and again: read it when no run uses it"}
}

// old reports whether neither was written to within the last tick. A time to
// come is that of another clock, and says nothing.
func (l look) old() bool {
	for _, st := range l {
		if st == nil {
			continue
		}
		if since := time.Since(st.ModTime()); since >= 0 && since < tick {
			return false
		}
	}
	return true
}

func (l look) same(o look) bool {
	for i, st := range l {
		if (st == nil) != (o[i] == nil) {
			return false
		}
		if st != nil && !(os.SameFile(st, o[i]) && st.Size() == o[i].Size() && st.ModTime().Equal(o[i].ModTime())) {
			return false
		}
	}
	return true
}
