package ledger

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
)

// Read reads a ledger or what Export wrote of it, and checks its chain. Errors are of
// type *Error.
func Read(ctx context.Context, path string) (*Reading, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, databaseError("reading", path, err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	switch head, err := in.Peek(16); {
	case bytes.Equal(head, []byte("SQLite format 3\x00")):
		return readFile(ctx, path)
	case len(head) > 0 && head[0] == '{':
		return readExport(in, path)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, databaseError("reading", path, err)
	}
	return nil, refuse(Foreign, "give the ledger, or what tacet ledger export printed",
		"%s is neither a ledger nor the export of one", path)
}

// readFile reads the database with all documents that have their hash.
func readFile(ctx context.Context, path string) (*Reading, error) {
	l, err := Open(ctx, path, Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	r, err := l.Look(ctx)
	if err != nil {
		return nil, err
	}
	kept := map[string][]byte{}
	var sha string
	var data []byte
	err = l.read(ctx, func(*state) error {
		return each(ctx, l.conn, func() error {
			if hashOf(data) == sha {
				kept[sha] = bytes.Clone(data)
			}
			return nil
		}, []any{&sha, &data}, "SELECT sha256, data FROM document")
	})
	r.Document = among(kept)
	return r, err
}

// readExport reads events line by line.
func readExport(in *bufio.Reader, path string) (*Reading, error) {
	s := &state{}
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			s.Document = among(nil)
			return &s.Reading, nil
		}
		if err != nil && err != io.EOF {
			return nil, databaseError("reading", path, err)
		}
		body, hash, ok := unline(bytes.TrimSuffix(text, []byte("\n")))
		if !ok {
			return nil, refuse(Foreign, "give the ledger, or what tacet ledger export printed",
				"%s has a line without a hash at its end: it is no export of a ledger, or cut short", path)
		}
		if err := s.append(body, hash, s.seq()+1); err != nil {
			return nil, err
		}
	}
}

// among gives documents of those that are kept, by their hashes.
func among(kept map[string][]byte) Documents {
	return func(_ context.Context, sha string) ([]byte, error) {
		if kept[sha] == nil {
			return nil, refuse(Missing, "give the ledger itself", "what was given of the ledger lacks its documents")
		}
		return kept[sha], nil
	}
}

// document reads a document by its hash.
func (l *Ledger) document(ctx context.Context, sha string) (data []byte, err error) {
	found := sql.ErrNoRows
	err = each(ctx, l.conn, func() error {
		if found = nil; hashOf(data) != sha {
			return refuse(Broken, "restore it from a copy", "document %.12s of the ledger does not have its hash", sha)
		}
		return nil
	}, []any{&data}, "SELECT data FROM document WHERE sha256 = ?", sha)
	if err := cmp.Or(err, found); err != nil {
		return nil, err
	}
	return data, nil
}
