package pipeline

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/records"
)

// A witnessed input is known by receipts: nothing of it was read here but what was drawn
// again.
type witnessed struct {
	input *count.Input
	tally *records.Tally
	in    []string // hashes, by file
	out   []kept   // likewise
}

// witness adds up the receipts of all files, and draws some again.
func (s *sharding) witness(ctx context.Context) (*witnessed, error) {
	reading, set, w, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.complete(set, w); err != nil {
		return nil, err
	}
	if err := s.unchanged(ctx, set, w); err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, m := range set.Members {
		place[m.Rel] = i
	}
	var drawn *count.Input
	rand.Shuffle(len(w.receipts), func(i, j int) { w.receipts[i], w.receipts[j] = w.receipts[j], w.receipts[i] })
	for _, r := range w.receipts[:min(mostRedrawn, (len(w.receipts)+3)/4)] {
		some, written := *set, *set
		some.Members, written.Members = nil, nil
		for _, f := range r.Files {
			some.Members, written.Members = append(some.Members, set.Members[place[f.Path]]),
				append(written.Members, w.stands[f.Path])
		}
		in, found, err := s.draw(ctx, reading, &some, &written)
		if err != nil {
			return nil, err
		}
		for i, f := range r.Files {
			found.Files[i].In.Mark, found.Files[i].Out.Mark = f.In.Mark, f.Out.Mark
		}
		if !bytes.Equal(found.encode(), r.encode()) {
			return nil, s.again("a receipt tells otherwise of %s", r.Files[0].Path)
		}
		drawn = in
	}
	return s.sum(ctx, set, w, drawn)
}

// complete refuses a set of which files were not drawn, and files that it does not have any
// more: they were drawn from records that the release would not tell of.
func (s *sharding) complete(set *dataset.Set, w *waits) error {
	var missing []string
	left := maps.Clone(w.stands)
	for _, m := range set.Members {
		if w.told[m.Rel] == nil {
			missing = append(missing, m.Rel)
		}
		delete(left, m.Rel)
	}
	if len(missing) > 0 {
		return fault.New(fault.Input, "run the missing shards, with this plan, run key and run id, and finish again",
			"%d of %d files of %s are in no shard yet, the first is %s", len(missing), len(set.Members), store.Plain(set.Path),
			missing[0])
	}
	if len(left) == 0 {
		return nil
	}
	rel := slices.Min(slices.Collect(maps.Keys(left)))
	return fault.New(fault.Input, "put the file back, or remove "+store.Plain(below(s.o.Waiting, rel)),
		"a shard drew %s, which %s does not have", rel, store.Plain(set.Path))
}

// unchanged holds every file of input and output to its receipt: by its mark, or else by its
// bytes.
func (s *sharding) unchanged(ctx context.Context, set *dataset.Set, w *waits) error {
	return table.EachUnit(ctx, len(set.Members), filesAtOnce, func(_, i int) error {
		of := set.Members[i]
		told := w.told[of.Rel]
		for _, c := range []struct {
			dataset.Member
			*kept
		}{{of, &told.In}, {w.stands[of.Rel], &told.Out}} {
			mark, err := c.Member.Mark()
			if err == nil && mark == c.kept.Mark && mark != "" {
				continue
			}
			f, err := c.Open()
			if err != nil {
				return err
			}
			sum, err := publish.Sum(ctx, s.o.Hash, f)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
			if sum != c.SHA256 {
				return s.again("%s is another file", of.Rel)
			}
			c.kept.Mark = mark
		}
		return nil
	})
}

// sum is what all receipts say together; in is an input that some of the files were drawn
// from here.
func (s *sharding) sum(ctx context.Context, set *dataset.Set, w *waits, in *count.Input) (*witnessed, error) {
	out := &witnessed{tally: records.NewTally(s.given)}
	a, err := records.AlphabetsOf(s.given, in.Private[0])
	if err != nil {
		return nil, err
	}
	b := count.Before{In: a.In}
	for _, r := range w.receipts {
		if r.Shape != in.File.Shape() { // whoever opens all of them says how they differ
			_, err := count.OpenFound(ctx, in.Reading, set, []string{s.Column})
			return nil, errors.Join(err, s.again("the files are not alike"))
		}
		if !out.tally.Add(r.Sum) {
			return nil, s.again("a receipt tells of another plan")
		}
	}
	for _, m := range set.Members {
		f := w.told[m.Rel]
		look := dataset.Look{Units: f.Units, Bytes: f.In.Bytes, Most: dataset.Most{Count: f.Most}}
		for _, n := range f.Units {
			look.Most.Rows += n
		}
		if f.Most > 0 {
			look.Most.Value = a.In.Values()[f.Letter]
		}
		out.in, out.out, b.Looks = append(out.in, f.In.SHA256), append(out.out, f.Out), append(b.Looks, look)
	}
	b.Given, b.Nulls = out.tally.Letters()
	out.input, err = in.Over(set, b)
	return out, err
}

// sums are the hashes of the files of the input.
func (w *witnessed) sums() *summing {
	return &summing{func() {}, func() ([]string, error) { return w.in, nil }}
}
