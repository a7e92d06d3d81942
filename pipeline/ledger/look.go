package ledger

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io"
	"path/filepath"
)

// A Status is where a series stands.
type Status struct {
	Design     string  // SHA-256 of the design it is pinned to, "" at first
	Key        string  // id of the key it is drawn with, "" where there was none
	Last       *Entry  // latest release that counts
	Unfinished []Entry // reserved or sealed: a run that goes on, or that died
	History    *Segment
}

// ID is the ledger's own, drawn when it was made; its record histories name it.
func (l *Ledger) ID() string { return l.id }

// List gives all releases in the order of their reservations.
func (l *Ledger) List(ctx context.Context) (list []Entry, err error) {
	err = l.read(ctx, func(s *state) error {
		list = s.those(func(*Entry) bool { return true })
		return nil
	})
	return list, err
}

// those are the releases of which f is true, in the order of their reservations.
func (s *state) those(f func(*Entry) bool) (list []Entry) {
	for _, e := range s.entries {
		if f(e) {
			list = append(list, *e)
		}
	}
	return list
}

// Show gives one release.
func (l *Ledger) Show(ctx context.Context, id int64) (e Entry, err error) {
	err = l.read(ctx, func(s *state) error {
		p, err := s.entry(id)
		if err == nil {
			e = *p
		}
		return err
	})
	return e, err
}

// Status tells where a series stands.
func (l *Ledger) Status(ctx context.Context, of Series) (st Status, err error) {
	err = l.read(ctx, func(s *state) error {
		st.Design, st.Key = s.drawn(of)
		st.History = s.history(of)
		list := s.those(func(e *Entry) bool { return e.Series == of && e.Counts() })
		if len(list) > 0 {
			st.Last = &list[len(list)-1]
		}
		for _, e := range list {
			if e.State != IsCommitted {
				st.Unfinished = append(st.Unfinished, e)
			}
		}
		return nil
	})
	return st, err
}

// Keep names the history files of a series that are still needed: the one in
// effect, and until its release is committed the one before.
func (l *Ledger) Keep(ctx context.Context, of Series) (files []string, err error) {
	err = l.read(ctx, func(s *state) error {
		if h := s.history(of); h != nil {
			files = append(files, h.File)
		}
		for _, e := range s.sealed[of] {
			if h := s.before(e); e.State == IsSealed && h != nil {
				files = append(files, h.File)
			}
		}
		return nil
	})
	return files, err
}

// Document gives a file that was kept with a release.
func (l *Ledger) Document(ctx context.Context, sha string) (data []byte, err error) {
	err = l.read(ctx, func(*state) error {
		data, err = documents(l.conn)(ctx, sha)
		return err
	})
	return data, err
}

// documents reads documents by their hashes.
func documents(q querier) Documents {
	return func(ctx context.Context, sha string) (data []byte, err error) {
		found := sql.ErrNoRows
		err = each(ctx, q, func() error {
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
}

// Head gives the number of events and the hash of the last, which stands for
// all of them: kept elsewhere, it shows whether events were taken off the end.
func (l *Ledger) Head(ctx context.Context) (seq int64, hash string, err error) {
	err = l.read(ctx, func(s *state) error {
		seq, hash = s.seq, s.head
		return nil
	})
	return seq, hash, err
}

// Folder is where the record histories of a series lie.
func (l *Ledger) Folder(of Series) string { return folderOf(l.path, of) }

func folderOf(path string, of Series) string {
	h := sha256.New()
	for _, part := range []string{of.Dataset, of.Column, of.Population} {
		io.WriteString(h, part+"\x00")
	}
	return filepath.Join(path+".history", hex.EncodeToString(h.Sum(nil)[:8]))
}
