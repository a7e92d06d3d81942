package pipeline

import (
	"context"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Sharded is what became of a shard.
type Sharded struct {
	Files int // of the shard
	There int // of them, those that an earlier call wrote
}

// Shard follows a plan for some files of a data set. What it writes waits in a folder
// that no reader of data sets looks into, until Finish has seen all files; files that
// are there, and of which a receipt tells, are left alone.
func Shard(ctx context.Context, o request.Options) (*Sharded, error) {
	s, err := newSharding(ctx, asked{o.Settled(), "apply"})
	if err != nil {
		return nil, err
	}
	reading, set, w, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	done := &Sharded{Files: len(set.Members)}
	var left []dataset.Member
	for _, r := range w.void { // what stands of their files is drawn again, and compared
		if err := s.remove(ctx, r.name()); err != nil {
			return nil, err
		}
	}
	for _, m := range set.Members {
		if w.told[m.Rel] == nil {
			left = append(left, m)
		}
		if w.stands[m.Rel].Open != nil {
			done.There++
		}
	}
	for _, some := range batches(left) {
		part := *set
		part.Members = some
		if err := s.write(ctx, reading, &part); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// Finish makes a release of what all shards wrote, as their receipts have it: some files are
// drawn again and compared, the other columns are judged over all files, and files and
// report are put in place, the statement last.
func Finish(ctx context.Context, o request.Options) ([]*report.Report, error) {
	s, err := newSharding(ctx, asked{o.Settled(), "finish"})
	if err != nil {
		return nil, err
	}
	if !store.Is(s.o.Waiting) {
		_ = os.RemoveAll(s.o.Waiting + published) // of a release that stands
	}
	w, err := s.witness(ctx)
	if err != nil {
		return nil, err
	}
	reports, err := released(ctx, s.o, "apply", []column{s.column}, w)
	if err != nil {
		return reports, err
	}
	if err := discard(ctx, s.o.Waiting); err != nil { // what shards left that were killed, too
		hidden := store.Plain(s.o.Waiting)
		return nil, &fault.Fault{Class: fault.Published, What: "removing " + hidden + ": " + err.Error() +
			"; the release is published", Hint: "remove what is left of that folder", Err: err}
	}
	return reports, nil
}

// A sharding is what shards have in common: a column with its plan, the run key by which
// it is drawn, and the folder in which their files wait.
type sharding struct {
	column
	o    *request.Release
	run  *rerun
	seal cipher.AEAD // of receipts
}

// newSharding is that of the plan. The name of the folder is that of the plan, the run and
// the columns: what stands in it was written by all of these.
func newSharding(ctx context.Context, a asked) (s *sharding, err error) {
	if err := a.check(ctx); err != nil {
		return nil, err
	}
	s = &sharding{}
	if s.column, err = (column{Options: a.Options}).follow(ctx); err != nil {
		return nil, err
	}
	if s.run, err = newRerun(a.RunKey, a.RunID); err != nil {
		return nil, err
	}
	if s.o, err = a.Release(); err != nil {
		return nil, err
	}
	h := sha256.New()
	columns := fmt.Sprintf("%v %q %q %q", a.Keep == nil, a.Keep, a.Drop, a.Metadata)
	of := []string{s.given.Hash, s.run.key.ID(), a.RunID, columns}
	for _, part := range of {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	s.o.Waiting = below(a.Output, fmt.Sprintf("%s%x", shardsFolder, h.Sum(nil)[:8]))
	s.seal, err = s.run.key.Receipts(of...)
	return s, err
}

// look finds the files of the input, and what was written of them.
func (s *sharding) look(ctx context.Context) (reading request.Reading, set *dataset.Set, w *waits, err error) {
	if reading, err = s.Reading(); err != nil {
		return reading, nil, nil, err
	}
	if set, err = count.Find(ctx, reading); err != nil {
		return reading, nil, nil, err
	}
	if err = beside(set, s.o); err != nil {
		return reading, nil, nil, err
	}
	w, err = s.waiting(ctx, set)
	return reading, set, w, err
}

// shardsFolder begins with a dot, as those who read a folder of many files leave out.
const shardsFolder = ".tacet-shards-"

// write draws some files, puts them into the folder, and behind them the receipt.
func (s *sharding) write(ctx context.Context, reading request.Reading, some *dataset.Set) error {
	_, told, err := s.draw(ctx, reading, some, nil)
	if err != nil {
		return err
	}
	err = table.EachUnit(ctx, len(some.Members), filesAtOnce, func(_, i int) error {
		rel := some.Members[i].Rel
		out, err := dataset.Found(ctx, below(s.o.Waiting, rel), rel)
		if err == nil {
			told.Files[i].Out.Mark, err = out.Mark()
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.put(ctx, told)
}

// draw draws some files, and holds what is written to that: what stands already, or, where
// that is nil, what is written here and put into the folder.
func (s *sharding) draw(ctx context.Context, reading request.Reading, some, written *dataset.Set) (in *count.Input,
	told *receipt, err error) {
	told = &receipt{}
	for _, m := range some.Members { // before a byte is read
		mark, err := m.Mark()
		if err != nil {
			return nil, nil, fault.Unreadable("--input", m.Rel, err)
		}
		told.Files = append(told.Files, wrote{Path: m.Rel, In: kept{Mark: mark}})
	}
	if in, err = count.OpenFound(ctx, reading, some, []string{s.Column}); err != nil {
		return nil, nil, err
	}
	r := &release{place: place{o: s.o}, command: "apply", s: in, run: s.run}
	defer r.close(&err)
	p := &part{column: s.column, Part: records.Part{Source: in.Private[0]}}
	r.parts = parts{p}
	if r.set, err = count.OpenSet(in, s.Reads()...); err != nil {
		return nil, nil, err
	}
	r.set.Until(ctx)
	var out dataset.Outputs // none where all is written
	if written == nil {
		own, err := s.stage(r, some)
		defer func() { err = errors.Join(err, os.RemoveAll(own)) }()
		if err != nil {
			return nil, nil, err
		}
		out, written = r.outputs, r.outputs.written(some)
	}
	r.input = beginSums(ctx, s.o.Hash, in.File)
	if _, err := r.count(ctx); err != nil {
		return nil, nil, err
	}
	if p.Plan != s.given {
		return nil, nil, fault.New(fault.Privacy,
			"make the plan of all shards: tacet estimate --shard of each, then tacet design --counts",
			"%s: column %q holds values that the plan lacks, in the files of this shard", in.Path, s.Column)
	}
	if p.Alphabets, err = records.AlphabetsOf(p.Plan, p.Source); err != nil {
		return nil, nil, err
	}
	sums, err := r.input.wait()
	if err != nil {
		return nil, nil, err
	}
	if err := r.run.begin(in.File.Members, sums, r.parts); err != nil {
		return nil, nil, err
	}
	if err := records.Draw(ctx, in, r.parts.drawn(), out); err != nil {
		return nil, nil, err
	}
	c, err := (drawn{r}).check(ctx, written)
	if err != nil {
		return nil, nil, err
	}
	told.fill(p, sums, c.written)
	if err := ctx.Err(); err != nil || out == nil { // the last moment at which nothing is there
		return in, told, err
	}
	return in, told, r.set.Commit()
}

// stage opens the outputs of some files in the folder. The folder that it gives is of this
// call alone: the same shard may run twice at once.
func (s *sharding) stage(r *release, some *dataset.Set) (own string, err error) {
	at := s.o.Waiting
	if !store.Is(at) {
		if err := r.set.Folder(at); err != nil {
			return "", err
		}
		if own, err = os.MkdirTemp(at, ".shard-"); err != nil {
			return "", err
		}
		at = own
	}
	if err := r.set.Stage(at); err != nil {
		return own, err
	}
	return own, r.addEach(some, s.o.Waiting, publish.Target{Private: true, Same: true}, r.staged)
}

// remove takes a receipt away.
func (s *sharding) remove(ctx context.Context, name string) error {
	if at := below(s.o.Waiting, name); store.Is(at) {
		return store.Remove(ctx, at)
	} else if err := os.Remove(at); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// published ends the name of a hidden folder whose files are in place: what is left of it is of no shard.
const published = ".published"

// discard removes the hidden folder.
func discard(ctx context.Context, hidden string) error {
	if !store.Is(hidden) {
		if err := os.Rename(hidden, hidden+published); err != nil {
			return err
		}
		return os.RemoveAll(hidden + published)
	}
	left, err := sharded(ctx, hidden)
	if err != nil {
		return err
	}
	var urls []string
	for rel := range left {
		urls = append(urls, below(hidden, rel))
	}
	return store.Remove(ctx, urls...)
}
