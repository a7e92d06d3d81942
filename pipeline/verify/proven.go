package verify

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// prove makes the proofs of the kernel.
func (c *column) prove(ctx context.Context) error {
	if c.hashed() {
		var work sync.WaitGroup
		for _, o := range []*opened{c.in, c.out} {
			if o != nil {
				work.Go(func() { _, _ = o.sum(ctx) }) // who takes the sum says what is wrong
			}
		}
		work.Wait()
	}
	for _, f := range []struct {
		name string
		of   *opened
		is   report.File
	}{{"input", c.in, c.stated.Input}, {"output", c.out, c.stated.Output}} {
		if err := c.holds(ctx, f.name, f.of, f.is); err != nil {
			return err
		}
	}
	r := &kernel.Release{PlanData: c.data, Plan: c.proven, OrderData: c.order, Out: &c.out.File, Bins: c.bins,
		Claimed: c.claimed()}
	if c.in != nil {
		r.In = &c.in.File
	}
	apart := c.proven.Apart() != ""
	if _, own := stating(c.q.Report, false); c.q.stated != nil &&
		(c.q.stated.SumOf(path.Join(path.Dir(own), files.WeightsFile)) != "") != apart {
		c.Add("stated weights", false, "the statement of the release and the plan do not say the same of a file of weights")
	}
	if apart {
		name := filepath.Join(filepath.Dir(c.q.Plan), files.WeightsFile)
		weights, err := os.Open(name)
		if err != nil {
			return unreadable(name, "--plan, whose rows it has", err)
		}
		defer weights.Close()
		r.Weights = weights
	}
	r.Utility = placed(c.plan)
	facts, result, err := kernel.Prove(ctx, r)
	c.release, r.PlanData, r.OrderData, c.data, c.order = r, nil, nil, nil, nil // which were proven
	c.Facts, c.Checks = facts, append(c.Checks, result.Checks...)
	return err
}

// hashed reports whether anything that is stated says that the run took hashes: it takes those of
// input and output, or neither.
func (c *column) hashed() bool {
	r := c.stated
	how := r.Setting("hash")
	return r.Input.SHA256 != "" || r.Output.SHA256 != "" || r.History.Series != nil || how != "" && how != "none"
}

// holds compares hash, size and rows of a file with what the report says. An input that is
// another file, as that of another night, is an error: nothing that is compared with it
// would say anything of the release.
func (c *column) holds(ctx context.Context, name string, of *opened, is report.File) error {
	if of == nil {
		c.Skip(name+" hash", "no input")
		c.Skip(name+" file", "no input")
		return nil
	}
	another := kernel.Errorf("name the file that was privatized, as it was then",
		"%s is another file than the input that the report is about", of.path)
	switch {
	case is.SHA256 == "" && c.hashed():
		c.Add(name+" hash", false, "the report holds no hash, and its options, the other hash or the ledger say that there "+
			"is one")
	case is.SHA256 == "":
		c.Skip(name+" hash", "the report holds no hash")
	default:
		sum, err := of.sum(ctx)
		if err != nil {
			return err
		}
		same := sum == is.SHA256
		if !same && of == c.in {
			return another
		}
		c.Add(name+" hash", same, "the file is %s that the report is about", kernel.Either(same, "byte for byte the one",
			"another than the one"))
	}
	var w kernel.Faults
	w.Match(of.rows() == is.Rows && of.size == is.Bytes && of.Format() == is.Format, "rows, bytes or format")
	w.Match(of.files() == is.Files, "the number of files")
	w.Match((of.Format() == "csv") == (is.Dialect != nil), "how the file is written")
	if of == c.in && len(w) > 0 && is.SHA256 == "" {
		return another
	}
	c.Settle(name+" file", w, "%d rows, %d bytes, %s", of.rows(), of.size, of.Format())
	return nil
}

// claimed is what the kernel takes from the report.
func (c *column) claimed() kernel.Claimed {
	r := c.stated
	k := kernel.Claimed{Followed: r.Command == "apply" || r.Pinned.Followed(),
		Part: r.Prior.Part != nil, ByPerson: r.Draws.Unit == "person",
		Counts: statedCounts(r)}
	if k.Keep, _ = report.Names(r.Setting("keep-metadata")); r.Setting("keep-metadata") == "" {
		k.Keep = nil
	}
	for _, f := range r.Columns {
		k.Columns = append(k.Columns, kernel.Column{Name: f.Name, Fate: f.Fate})
	}
	if s := r.History.Series; s != nil && s.Published != nil && s.Published.Held != nil {
		k.Held, k.Shown = s.Published.Held.Rows, s.Published.Held.Absent
		for _, o := range s.Published.Held.Outputs {
			if o.Label.Null && !c.proven.NullOutput() {
				k.Hidden = o.Rows
			}
		}
	}
	return k
}

// statedCounts are those of the file by group and letter, where the report states others
// than the plan's, none of a group where one is no number; nil where it does not.
func statedCounts(r *report.Report) (given [][]int64) {
	if r.Prior.Counts == nil {
		return nil
	}
	texts := [][]string{r.Prior.Counts}
	if r.Strata != nil {
		texts = nil
		for _, g := range r.Strata.Groups {
			texts = append(texts, g.Counts)
		}
	}
	for _, counts := range texts {
		own, _ := kernel.Wholes(counts, len(counts))
		given = append(given, own)
	}
	return slices.Clip(given)
}

// placed are the rows of utilities of an order by position; nil for other forms.
func placed(p *plan.Plan) func(x int, value []float64) {
	if p == nil || p.Empty() || p.Bins != nil ||
		!slices.Contains([]string{"positions", "ordered", "circular", "numeric"}, p.Spec.Form) {
		return nil
	}
	return func(x int, value []float64) { p.Order.Row(x, nil, value) }
}
