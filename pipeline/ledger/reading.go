package ledger

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
)

// A Reading is what a ledger or its export says, for whoever checks it.
type Reading struct {
	ID       string
	Heads    []string // hashes of the events, in their order
	Entries  []Entry
	Document Documents // refused as Missing where it is not kept, as in an export

	path string // of the ledger; "" of an export
}

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

// Folder is where the record histories of a series lie; "" of an export.
func (r *Reading) Folder(of Series) string {
	if r.path == "" {
		return ""
	}
	return folderOf(r.path, of)
}

// readFile reads the database with all documents that have their hash.
func readFile(ctx context.Context, path string) (r *Reading, err error) {
	l, err := Open(ctx, path, Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	kept := map[string][]byte{}
	err = l.read(ctx, func(s *state) error {
		r = s.reading(kept)
		var sha string
		var data []byte
		return each(ctx, l.conn, func() error {
			if hashOf(data) == sha {
				kept[sha] = bytes.Clone(data)
			}
			return nil
		}, []any{&sha, &data}, "SELECT sha256, data FROM document")
	})
	if err != nil {
		return nil, err
	}
	r.path = path
	return r, nil
}

// readExport reads events line by line.
func readExport(in *bufio.Reader, path string) (*Reading, error) {
	s := newState()
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			return s.reading(nil), nil
		}
		if err != nil && err != io.EOF {
			return nil, databaseError("reading", path, err)
		}
		body, hash, ok := unline(bytes.TrimSuffix(text, []byte("\n")))
		if !ok {
			return nil, refuse(Foreign, "give the ledger, or what tacet ledger export printed",
				"%s has a line without a hash at its end: it is no export of a ledger, or cut short", path)
		}
		if err := s.append(body, hash, s.seq+1); err != nil {
			return nil, err
		}
	}
}

// reading is the state with the documents that are kept.
func (s *state) reading(kept map[string][]byte) *Reading {
	return &Reading{ID: s.id, Heads: s.heads, Entries: s.those(func(*Entry) bool { return true }),
		Document: func(_ context.Context, sha string) ([]byte, error) {
			if kept[sha] == nil {
				return nil, refuse(Missing, "give the ledger itself", "what was given of the ledger lacks its documents")
			}
			return kept[sha], nil
		}}
}
