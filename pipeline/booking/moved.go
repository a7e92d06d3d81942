package booking

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// Moved compares the input of the release before with tonight's, record by
// record, by true letters: what it counts is internal and never published. nil
// where no input of before is given.
func Moved(ctx context.Context, o *options.Options, m *Memo, s *source.Source) (*report.Moved, error) {
	if o.PreviousInput == "" {
		return nil, nil
	}
	// Every record once, also where persons draw.
	each := options.Options{Input: o.PreviousInput, Column: s.Column.Name, Null: o.Null, Threads: o.Threads, Progress: o.Progress,
		Repeat: options.Repeat{RecordID: o.RecordID, Person: o.Person, Ledger: "unique"}}
	if m.unit == draw.Person && o.Ledger == "" {
		if err := m.Check(ctx, &each, s); err != nil {
			return nil, err
		}
	}
	before, err := source.Open(&each, []string{each.Column})
	if err != nil {
		f := *fault.As(err)
		f.Hint = strings.ReplaceAll(f.Hint, "--input", "--previous-input")
		return nil, &f
	}
	defer before.Close()
	if err := before.Scan(ctx, &each); err != nil {
		return nil, err
	}
	if err := m.Check(ctx, &each, before.Private[0]); err != nil {
		return nil, err
	}
	common := map[colfile.Value]int32{}
	var then, now letterBook
	if err := then.read(ctx, &each, m, before.Private[0], common); err != nil {
		return nil, err
	}
	if err := now.read(ctx, o, m, s, common); err != nil {
		return nil, err
	}
	sum, err := documents.Sum(ctx, o, before.Local)
	if err != nil {
		return nil, err
	}
	r := &report.Moved{SHA256: sum, Rows: before.Rows}
	for i := range then {
		then[i].compare(&now[i], r)
	}
	return r, nil
}

// A letterBook holds the letters of records by their keyed names.
type letterBook [256]letterShard

type letterShard struct {
	sync.Mutex
	list []named
}

type named struct {
	name   draw.Name
	letter int32 // over both files; -1 is null
}

// read goes through a file; common numbers the values of both.
func (k *letterBook) read(ctx context.Context, o *options.Options, m *Memo, s *source.Source, common map[colfile.Value]int32) error {
	values := s.Alphabet.Values()
	number := make([]int32, len(values))
	for x, v := range values {
		n, ok := common[v]
		if !ok {
			n = int32(len(common))
			common[v] = n
		}
		number[x] = n
	}
	return s.EachBatch(ctx, o, func() (func(*colfile.Batch) error, func()) {
		h := m.hand()
		return func(b *colfile.Batch) error {
			for i, x := range b.Letters[0] {
				h.fill(b, m.named, i)
				e := named{draw.Name(h.namer.Name(&h.id)), -1}
				if x >= 0 && int(x) < len(number) {
					e.letter = number[x]
				}
				shard := &k[e.name[0]]
				shard.Lock()
				shard.list = append(shard.list, e)
				shard.Unlock()
			}
			return nil
		}, func() {}
	})
}

// compare counts what differs between two shards of the same names.
func (k *letterShard) compare(now *letterShard, r *report.Moved) {
	byName := func(a, b named) int { return bytes.Compare(a.name[:], b.name[:]) }
	slices.SortFunc(k.list, byName)
	slices.SortFunc(now.list, byName)
	a, b := k.list, now.list
	for len(a) > 0 || len(b) > 0 {
		order := cmp.Compare(len(b), 0) - cmp.Compare(len(a), 0) // one is used up
		if len(a) > 0 && len(b) > 0 {
			order = byName(a[0], b[0])
		}
		switch {
		case order < 0:
			r.Vanished++
			a = a[1:]
		case order > 0:
			r.New++
			b = b[1:]
		default:
			if r.Both++; a[0].letter != b[0].letter {
				r.Changed++
			}
			a, b = a[1:], b[1:]
		}
	}
	k.list, now.list = nil, nil
}
