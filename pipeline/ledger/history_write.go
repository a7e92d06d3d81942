package ledger

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/io/publish"
)

// Suffix of the files that Sweep knows.
const Suffix = ".history"

// A Tally counts records with tonight in the history.
type Tally struct {
	Segment        // the file written, and the one it continues
	New      int64 // never published before
	Vanished int64 // published in the night before, not tonight
}

// Write writes the history with tonight in it and makes it durable under its
// name. each, where it is not nil, is called for every record in ascending
// order with its entries in the order of first; it must not keep them. The
// History is spent afterwards. Errors are each's or io/publish's.
func (h *History) Write(path string, each func(*Record, []RecordEntry) error) (Tally, error) {
	if h.night == 0 {
		panic("history: written before the night began")
	}
	set := publish.NewSet()
	defer set.Abort()
	f, err := set.Add(publish.Target{Path: path, Overwrite: true, Private: true})
	if err != nil {
		return Tally{}, err
	}
	w := &historyWriter{h: h, each: each, sum: sha256.New()}
	w.Writer = bufio.NewWriterSize(io.MultiWriter(f.Writer(), w.sum), 1<<20)
	if err := w.write(); err != nil {
		return Tally{}, err
	}
	if err := f.Close(); err != nil {
		return Tally{}, err
	}
	w.tally.File, w.tally.SHA256, w.tally.Base = filepath.Base(path), hex.EncodeToString(w.sum.Sum(nil)), h.base
	return w.tally, set.Commit()
}

// Sweep removes the histories in a folder that keep does not name.
func Sweep(dir string, keep []string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("sweeping the record histories: %w", err)
	}
	for _, n := range names {
		if filepath.Ext(n.Name()) == Suffix && n.Type().IsRegular() && !slices.Contains(keep, n.Name()) {
			if err := os.Remove(filepath.Join(dir, n.Name())); err != nil {
				return fmt.Errorf("sweeping the record histories: %w", err)
			}
		}
	}
	return nil
}

// A writer merges the base with this release's additions.
type historyWriter struct {
	*bufio.Writer
	h     *History
	each  func(*Record, []RecordEntry) error
	sum   hash.Hash
	tally Tally
	// of the record at hand, here so that none is allocated
	name  Record
	list  []RecordEntry
	bytes []byte
}

func (w *historyWriter) write() error {
	io.WriteString(w, magic)
	base := w.h.body
	next := func() (record []byte) { // of the base
		size := recordSize(base)
		record, base = base[:size], base[size:]
		return record
	}
	for r, list := range w.h.added.Records() {
		for len(base) > 0 && string(base[:16]) < string(r[:]) {
			if err := w.record(next(), nil); err != nil {
				return err
			}
		}
		var old []byte
		if w.name = r; len(base) > 0 && string(base[:16]) == string(r[:]) {
			old = next()
		}
		if err := w.record(old, slices.Compact(list)); err != nil {
			return err
		}
	}
	for len(base) > 0 {
		if err := w.record(next(), nil); err != nil {
			return err
		}
	}
	m := w.h.meta
	m.Night, m.Records, m.Entries = int(w.h.night), w.tally.Records, w.tally.Entries
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("describing the record history: %w", err)
	}
	w.Write(text)
	w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	io.WriteString(w, magic)
	return w.Flush()
}

// record writes one record: its entries of before, and the new ones.
func (w *historyWriter) record(old []byte, list []Note) error {
	w.list = w.list[:0]
	if old != nil {
		copy(w.name[:], old)
		w.list = appendEntries(w.list, old[recordHead:])
	}
	for _, n := range list {
		w.add(RecordEntry{n.A, n.B, w.h.night, w.h.night})
	}
	w.count()
	if len(w.list) > 0xffff {
		return fmt.Errorf("a record has more than 65535 outputs")
	}
	if w.each != nil {
		if err := w.each(&w.name, w.list); err != nil {
			return err
		}
	}
	w.bytes = binary.LittleEndian.AppendUint16(append(w.bytes[:0], w.name[:]...), uint16(len(w.list)))
	for _, e := range w.list {
		w.bytes = binary.LittleEndian.AppendUint64(w.bytes,
			uint64(e.Channel)|uint64(e.Output)<<16|uint64(e.First)<<32|uint64(e.Last)<<48)
	}
	_, err := w.Write(w.bytes)
	return err
}

// add appends an entry, in place of the latest of its channel where that has
// as many as are kept.
func (w *historyWriter) add(e RecordEntry) {
	n, latest := 0, 0
	for i, o := range w.list {
		if o.Channel == e.Channel {
			n, latest = n+1, i
		}
	}
	if n >= limit {
		w.list = slices.Delete(w.list, latest, latest+1)
	}
	w.list = append(w.list, e)
}

func (w *historyWriter) count() {
	t, night := &w.tally, w.h.night
	first, last, lastBefore := w.list[0].First, uint16(0), uint16(0)
	for _, e := range w.list {
		last = max(last, e.Last)
		if e.Last != night {
			lastBefore = max(lastBefore, e.Last)
		}
	}
	t.Records++
	t.Entries += int64(len(w.list))
	if first == night {
		t.New++
	}
	if last != night && int(lastBefore) == w.h.meta.Night {
		t.Vanished++
	}
}
