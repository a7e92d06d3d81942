package ledger

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/io/publish"
)

// A Verdict is what Verify looked at and found to hold.
type Verdict struct {
	Ledger    string // its id
	Events    int64
	Head      string // hash of the last event
	Releases  int
	Documents int
	Histories int // segments in effect
}

// Verify reads the whole file anew: SQLite's own structures, the guards, the
// chain, every state, the documents and the record histories in effect. With
// a head from elsewhere, a report or an export, it looks whether that event is
// in the chain still. Errors are of type *Error.
func (l *Ledger) Verify(ctx context.Context, head string) (v Verdict, err error) {
	err = l.read(ctx, func(*state) error {
		var sane string
		if err := l.conn.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&sane); err != nil {
			return err
		}
		if sane != "ok" {
			return refuse(Foreign, restore, "the ledger %s is damaged as a database", l.path)
		}
		if err := checkSchema(ctx, l.conn); err != nil {
			return err
		}
		s := &state{}
		if err := s.catchUp(ctx, l.conn); err != nil {
			return err
		}
		if err := s.findHead(head); err != nil {
			return err
		}
		v = Verdict{Ledger: s.ID, Events: s.seq(), Head: s.Head(), Releases: len(s.Entries)}
		if v.Documents, err = l.checkDocuments(ctx, s); err != nil {
			return err
		}
		v.Histories, err = l.checkHistories(ctx, s)
		return err
	})
	return v, err
}

// findHead wants a head, "" for none, in the chain.
func (s *state) findHead(head string) error {
	if head == "" {
		return nil
	}
	if err := checkHash("head", head); err != nil {
		return err
	}
	if !slices.Contains(s.Heads, head) {
		return refuse(Broken, "events at its end were removed or rewritten; restore it from a copy",
			"event %.12s is not in the ledger", head)
	}
	return nil
}

// checkDocuments wants each document that a release names, with its hash.
func (l *Ledger) checkDocuments(ctx context.Context, s *state) (int, error) {
	sound := map[string]bool{}
	var sha string
	var data []byte
	err := each(ctx, l.conn, func() error {
		sound[sha] = hashOf(data) == sha
		return nil
	}, []any{&sha, &data}, "SELECT sha256, data FROM document")
	if err != nil {
		return 0, err
	}
	named := map[string]bool{}
	for _, e := range s.Entries {
		for _, d := range e.Documents {
			named[d.SHA256] = true
			if !sound[d.SHA256] {
				return 0, refuse(Broken, "restore it from a copy", "document %q of release %d is missing or was altered", d.Name,
					e.ID)
			}
		}
	}
	if len(sound) != len(named) {
		return 0, refuse(Broken, "restore it from a copy", "the ledger holds documents that no release names")
	}
	return len(named), nil
}

// checkHistories wants the segment in effect of every series.
func (l *Ledger) checkHistories(ctx context.Context, s *state) (n int, err error) {
	seen := map[Series]bool{}
	for i := range s.Entries {
		of := s.Entries[i].Series
		h := s.History(of)
		if seen[of] || h == nil {
			continue
		}
		seen[of] = true
		n++
		sha, f := "", (*os.File)(nil)
		if f, err = os.Open(filepath.Join(l.Folder(of), h.File)); err == nil {
			sha, err = publish.SumOf(ctx, f)
			f.Close()
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err != nil || sha != h.SHA256 {
			return 0, refuse(Broken, "restore it from a copy", "the record history %s of dataset %q is missing or was altered",
				h.File, of.Dataset)
		}
	}
	return n, nil
}

// Export writes every event as a line of JSON with its hash as the last
// member. Documents and histories are named by their hashes and not written.
func (l *Ledger) Export(ctx context.Context, to io.Writer) error {
	return l.read(ctx, func(*state) error {
		w := bufio.NewWriter(to)
		var body, hash string
		err := each(ctx, l.conn, func() error {
			w.Write(line([]byte(body), hash))
			return w.WriteByte('\n')
		}, []any{&body, &hash}, "SELECT body, hash FROM event ORDER BY seq")
		return cmp.Or(err, w.Flush())
	})
}
