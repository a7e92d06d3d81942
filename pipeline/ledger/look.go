package ledger

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"slices"
)

// A Reading is what the events of a ledger, or of its export, come to.
type Reading struct {
	ID       string    // drawn when the ledger was made; its record histories name it
	Heads    []string  // hashes of the events, in their order; the last stands for all of them
	Entries  []Entry   // all releases, in the order of their reservations
	Document Documents // refused as Missing where it is not kept, as in an export

	path string // of the ledger; "" of an export
}

// Head is the hash of the last event: kept elsewhere, it shows whether events were taken off the end.
func (r *Reading) Head() string {
	if len(r.Heads) == 0 {
		return zeros
	}
	return r.Heads[len(r.Heads)-1]
}

// Entry is the release of this id.
func (r *Reading) Entry(id int64) (*Entry, error) {
	i, ok := slices.BinarySearchFunc(r.Entries, id, func(e Entry, id int64) int { return cmp.Compare(e.ID, id) })
	if ok {
		return &r.Entries[i], nil
	}
	return nil, refuse(Unknown, "list the releases with tacet ledger list", "the ledger has no release %d", id)
}

// Of are the releases of a series, in the order of their reservations.
func (r *Reading) Of(of Series) (list []Entry) {
	return r.those(func(e *Entry) bool { return e.Series == of })
}

// those are the releases of which f is true, in the order of their reservations.
func (r *Reading) those(f func(*Entry) bool) (list []Entry) {
	for i := range r.Entries {
		if f(&r.Entries[i]) {
			list = append(list, r.Entries[i])
		}
	}
	return list
}

// Drawn tells the design that a series is pinned to and the key that it is
// drawn with: those of the latest release that counts, "" where there is none.
func (r *Reading) Drawn(of Series) (design, key string) {
	for i := range slices.Backward(r.Entries) {
		if e := &r.Entries[i]; e.Series == of && e.Counts() {
			if design == "" {
				design = e.DesignSHA256
			}
			if key = e.KeyID; key != "" {
				break
			}
		}
	}
	return design, key
}

// History is the record history of a series that is in effect, nil where there is none.
func (r *Reading) History(of Series) *Segment { return r.before(of, int64(len(r.Heads))+1) }

// before is the record history that was in effect before an event.
func (r *Reading) before(of Series, seq int64) *Segment {
	var last *Entry
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Series == of && e.Counts() && e.Sealed > 0 && e.Sealed < seq && e.Realised.History != nil &&
			(last == nil || e.Sealed > last.Sealed) {
			last = e
		}
	}
	if last == nil {
		return nil
	}
	return last.Realised.History
}

// Keep names the history files of a series that are still needed: the one in
// effect, and until its release is committed the one before.
func (r *Reading) Keep(of Series) (files []string) {
	if h := r.History(of); h != nil {
		files = append(files, h.File)
	}
	for _, e := range r.Of(of) {
		if h := r.before(of, e.Sealed); e.State == IsSealed && h != nil {
			files = append(files, h.File)
		}
	}
	return files
}

// Folder is where the record histories of a series lie; "" of an export.
func (r *Reading) Folder(of Series) string {
	if r.path == "" {
		return ""
	}
	return folderOf(r.path, of)
}

// Look reads what the ledger has come to.
func (l *Ledger) Look(ctx context.Context) (r *Reading, err error) {
	err = l.read(ctx, func(s *state) error {
		copied := s.Reading
		copied.Entries, copied.Heads, copied.path = slices.Clone(s.Entries), slices.Clip(s.Heads), l.path
		copied.Document = func(ctx context.Context, sha string) (data []byte, err error) {
			err = l.read(ctx, func(*state) error {
				data, err = l.document(ctx, sha)
				return err
			})
			return data, err
		}
		r = &copied
		return nil
	})
	return r, err
}

// ID is the ledger's own.
func (l *Ledger) ID() string { return l.id }

// Folder is where the record histories of a series lie.
func (l *Ledger) Folder(of Series) string { return folderOf(l.path, of) }

func folderOf(path string, of Series) string {
	h := sha256.New()
	for _, part := range []string{of.Dataset, of.Column, of.Population} {
		io.WriteString(h, part+"\x00")
	}
	return filepath.Join(path+".history", hex.EncodeToString(h.Sum(nil)[:8]))
}
