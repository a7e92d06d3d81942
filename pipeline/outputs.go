package pipeline

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// outputs are the files that a release writes, one for each file of its input.
type outputs []*publish.File

// Begin opens output i.
func (o outputs) Begin(i int) (publish.Output, error) { return o[i], o[i].Begin() }

// End closes output i where there are many.
func (o outputs) End(i int) error { return o[i].End() }

// close syncs all.
func (o outputs) close() error {
	for _, f := range o {
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// placed reports whether some are in place.
func (o outputs) placed() bool { return slices.ContainsFunc(o, (*publish.File).Placed) }

// written is the set of files as they will be published.
func (o outputs) written(in *dataset.Set) *dataset.Set {
	out := &dataset.Set{Path: in.Path, Tree: in.Tree}
	for i, f := range o {
		out.Members = append(out.Members, dataset.Member{Rel: in.Members[i].Rel, Open: func() (table.Content, error) {
			disk, err := f.Reopen()
			if err != nil {
				return nil, err
			}
			return table.FromFile(disk)
		}})
	}
	return out
}

// openOutputs opens the temporary files of the output: the file --output, or one
// for each file of the input, which is the set, below the folder --output.
func (p *place) openOutputs(set *dataset.Set) error {
	if !set.Tree {
		if store.Is(p.o.Output) && store.Plain(p.o.Output) == store.Plain(p.o.Input) {
			return &publish.TargetError{Path: store.Plain(p.o.Output), What: "is read by this run", Hint: "give another address"}
		}
		f, err := p.set.Add(publish.Target{Path: p.o.Output, Overwrite: p.o.Overwrite})
		p.outputs = outputs{f}
		return p.overwriteHint(err)
	}
	if err := beside(set, p.o); err != nil {
		return err
	}
	p.many, p.completes = true, p.o.RunKey != "" && torn(p.decider())
	t, add := publish.Target{Overwrite: p.o.Overwrite}, p.adopted
	if p.o.Waiting == "" {
		if err := p.set.Stage(p.o.Output); err != nil {
			return err
		}
		t.Same, add = p.o.RunKey != "", p.staged
	}
	if store.Is(p.o.Output) { // what stands where objects shall stand
		if err := p.set.Whole(p.o.Output); err != nil {
			return err
		}
	}
	if err := p.addEach(set, p.o.Output, t, add); err != nil {
		return p.overwriteHint(err)
	}
	return p.open(p.o.Report, report.ListFile)
}

// addEach opens an output for each file of a set, below a folder.
func (p *place) addEach(set *dataset.Set, folder string, t publish.Target,
	add func(t publish.Target, rel string) (*publish.File, error)) error {
	for _, m := range set.Members {
		t.Path = below(folder, m.Rel)
		f, err := add(t, m.Rel)
		if err != nil {
			return err
		}
		p.outputs = append(p.outputs, f)
	}
	return nil
}

// staged is a temporary file.
func (p *place) staged(t publish.Target, _ string) (*publish.File, error) { return p.set.AddStaged(t) }

// adopted is a file that a shard wrote.
func (p *place) adopted(t publish.Target, rel string) (*publish.File, error) {
	return p.set.Adopt(t, below(p.o.Waiting, rel))
}

// beside refuses an output that would join the input, or one that a run which breaks off
// could not be completed at.
func beside(set *dataset.Set, o *request.Release) error {
	joins := set.Root != "" && !store.Is(o.Output) && inside(set.Root, o.Output)
	if store.Is(set.Path) && store.Is(o.Output) {
		joins = strings.HasPrefix(store.Plain(store.Folder(o.Output)), store.Plain(set.Path))
	}
	switch {
	case joins:
		return fault.New(fault.Usage, "give one beside the input", "--output %s lies in the input %s, whose files it "+
			"would join", store.Plain(o.Output), store.Plain(set.Path))
	case store.Is(o.Output) && (o.RunKey == "" || o.RunID == ""):
		return fault.New(fault.Usage, "give --run-key run.key and --run-id 2026-11-23 or another name; tacet key new "+
			"--type run makes a key",
			"many objects are not put in place at once: a run that breaks off can be completed by its run key alone")
	case store.Is(o.Output) && o.Overwrite:
		return fault.New(fault.Usage, "give another address", "--overwrite does not go with many objects: two runs could mix")
	}
	return nil
}

// below is the path of one of many files of an output.
func below(output, rel string) string {
	if store.Is(output) {
		return store.Below(store.Folder(output), rel)
	}
	return filepath.Join(output, filepath.FromSlash(rel))
}

// inside reports whether a path lies in a folder, or is it.
func inside(folder, path string) bool {
	real := func(p string) string {
		abs, err := filepath.Abs(p)
		if err != nil {
			return p
		}
		for above := abs; ; above = filepath.Dir(above) { // what is not there yet has no links
			if found, err := filepath.EvalSymlinks(above); err == nil {
				return filepath.Join(found, strings.TrimPrefix(abs, above))
			}
			if above == filepath.Dir(above) {
				return abs
			}
		}
	}
	_, ok := within(real(folder), real(path))
	return ok
}

// A summing computes the hashes of the files of the input beside other work.
type summing struct {
	cancel context.CancelFunc
	wait   func() ([]string, error) // for the hashes
}

// beginSums starts dataset.Files.Sum.
func beginSums(ctx context.Context, how string, f *dataset.Files) *summing {
	var sums []string
	ctx, stop := context.WithCancel(ctx)
	work := errgroup.Group{}
	work.Go(func() (err error) {
		sums, err = f.Sum(ctx, how)
		return err
	})
	return &summing{stop, func() ([]string, error) {
		err := work.Wait()
		return sums, err
	}}
}

// Stop ends the work. No file is read any more when it returns.
func (h *summing) Stop() {
	h.cancel()
	h.wait()
}

// Hash is the hash that stands for the files of a set, once it is there.
func (h *summing) Hash(set *dataset.Set) (string, error) {
	sums, err := h.wait()
	if err != nil {
		return "", err
	}
	return set.Hash(sums), nil
}
