package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
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

// filesAtOnce are drawn, checked and put in place together: memory does not depend on
// how many a shard has, and little is done again after a crash.
const filesAtOnce = 64

// Shard follows a plan for some files of a data set. What it writes waits in a folder
// that no reader of data sets looks into, until Finish has seen all files; files that
// are there are left alone.
func Shard(ctx context.Context, o request.Options) (*Sharded, error) {
	s, err := newSharding(ctx, asked{o.Settled(), "apply"})
	if err != nil {
		return nil, err
	}
	reading, err := s.Reading()
	if err != nil {
		return nil, err
	}
	set, err := count.Find(ctx, reading)
	if err != nil {
		return nil, err
	}
	if err := beside(set, s.o); err != nil {
		return nil, err
	}
	there, err := sharded(ctx, s.o.Waiting)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(slices.Clone(set.Members), func(m dataset.Member) bool { return there[m.Rel] })
	if left, err = s.unplaced(ctx, left, len(there) > 0); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(left, filesAtOnce) {
		part := *set
		part.Members = some
		if err := s.draw(ctx, reading, &part); err != nil {
			return nil, err
		}
	}
	return &Sharded{Files: len(set.Members), There: len(set.Members) - len(left)}, nil
}

// Finish makes a release of what all shards wrote: the files are read and held to what
// the plan and the run key draw, the other columns are judged over all of them, and
// files and report are put in place, the statement last.
func Finish(ctx context.Context, o request.Options) ([]*report.Report, error) {
	s, err := newSharding(ctx, asked{o.Settled(), "finish"})
	if err != nil {
		return nil, err
	}
	reports, err := released(ctx, s.o, "apply", []column{s.column})
	if err == nil {
		err = discard(ctx, s.o.Waiting) // what shards left that were killed, too
	}
	return reports, err
}

// A sharding is what shards have in common: a column with its plan, the run key by which
// it is drawn, and the folder in which their files wait.
type sharding struct {
	column
	o   *request.Release
	run *rerun
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
	for _, part := range []string{s.given.Hash, s.run.key.ID(), a.RunID, columns} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	s.o.Waiting = below(a.Output, fmt.Sprintf("%s%x", shardsFolder, h.Sum(nil)[:8]))
	return s, nil
}

// unplaced are those of some files that do not stand in the output. Files may stand there
// while others wait, as where Finish was ended: it will hold both to the plan and the run
// key. Where none waits there is a release, which no shard adds to.
func (s *sharding) unplaced(ctx context.Context, files []dataset.Member, waiting bool) (left []dataset.Member,
	err error) {
	if len(files) == 0 || s.o.Overwrite {
		return files, nil
	}
	there := map[string]bool{}
	if store.Is(s.o.Output) {
		if there, err = sharded(ctx, s.o.Output); err != nil {
			return nil, err
		}
	}
	for _, m := range files {
		path := below(s.o.Output, m.Rel)
		if !store.Is(path) {
			_, err := os.Lstat(path)
			there[m.Rel] = err == nil
		}
		switch {
		case !there[m.Rel]:
			left = append(left, m)
		case !waiting:
			return nil, &publish.TargetError{Path: store.Plain(path), What: "exists", Exists: true,
				Hint: "give another --output; if this is the release of these shards, nothing is left to draw; where tacet " +
					"finish was ended, run it again"}
		}
	}
	return left, nil
}

// shardsFolder begins with a dot, as those who read a folder of many files leave out.
const shardsFolder = ".tacet-shards-"

// draw draws some files, and puts those into the folder that hold what the plan allows.
func (s *sharding) draw(ctx context.Context, reading request.Reading, some *dataset.Set) (err error) {
	in, err := count.OpenFound(ctx, reading, some, []string{s.Column})
	if err != nil {
		return err
	}
	hidden := s.o.Waiting
	r := &release{place: place{o: s.o}, command: "apply", s: in, run: s.run}
	defer r.close(&err)
	p := &part{Options: s.Options, given: s.given, Part: records.Part{Source: in.Private[0]}}
	r.parts = parts{p}
	if r.set, err = count.OpenSet(in, s.Reads()...); err != nil {
		return err
	}
	r.set.Until(ctx)
	own := hidden
	if !store.Is(hidden) {
		if err := r.set.Folder(hidden); err != nil {
			return err
		}
		if own, err = os.MkdirTemp(hidden, ".shard-"); err != nil { // of this call: the same shard may run twice at once
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(own)) }()
	}
	if err := r.set.Stage(own); err != nil {
		return err
	}
	for _, m := range in.File.Members {
		f, err := r.set.AddStaged(publish.Target{Path: below(hidden, m.Rel), Private: true, Same: true})
		if err != nil {
			return err
		}
		r.outputs = append(r.outputs, f)
	}
	r.input = beginSums(ctx, s.o.Hash, in.Given)
	if _, err := r.count(ctx); err != nil {
		return err
	}
	if p.Plan != s.given {
		return fault.New(fault.Privacy,
			"make the plan of all shards: tacet estimate --shard of each, then tacet design --counts",
			"%s: column %q holds values that the plan lacks, in the files of this shard", in.Path, s.Column)
	}
	if p.Alphabets, err = records.AlphabetsOf(p.Plan, p.Source); err != nil {
		return err
	}
	sums, err := r.input.Wait()
	if err != nil {
		return err
	}
	if err := r.run.begin(in.File.Members, sums, r.parts); err != nil {
		return err
	}
	if err := records.Draw(ctx, in, r.parts.drawn(), nil, r.outputs); err != nil {
		return err
	}
	if _, err := (drawn{r}).check(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil { // the last moment at which nothing is there
		return err
	}
	return r.set.Commit()
}

// sharded are the paths of the files that wait in the hidden folder.
func sharded(ctx context.Context, hidden string) (map[string]bool, error) {
	there := map[string]bool{}
	if store.Is(hidden) {
		all, err := store.List(ctx, store.Folder(hidden))
		for _, e := range all {
			there[strings.TrimPrefix(e.Key, store.Key(store.Folder(hidden)))] = true
		}
		return there, err
	}
	err := filepath.WalkDir(hidden, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // as where no shard wrote, or all files are in place
			return nil
		case err != nil:
			return fault.Unreadable("--output", hidden, err)
		case e.IsDir() && strings.HasPrefix(e.Name(), ".shard-"):
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		rel, err := filepath.Rel(hidden, path)
		there[filepath.ToSlash(rel)] = true
		return err
	})
	return there, err
}

// discard removes the hidden folder.
func discard(ctx context.Context, hidden string) error {
	if !store.Is(hidden) {
		return os.RemoveAll(hidden)
	}
	left, err := sharded(ctx, hidden)
	if err != nil {
		return err
	}
	for rel := range left {
		if err := store.Remove(ctx, below(hidden, rel)); err != nil {
			return err
		}
	}
	return nil
}
