package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A column is one private column of a release with its documents, and what was proven of it.
type column struct {
	q          Request // the files of this column
	name       string  // of its checks, where there are several columns: "1 "
	stated     *report.Report
	reportData []byte // report.json
	proven     *kernel.Plan
	order      []byte
	data       []byte     // plan.json
	plan       *plan.Plan // the same, as those read it who tell the report; nil where they refuse it
	refuse     error      // why

	bins    *files.Bins // that the plan names; nil where it names none
	in, out *opened     // in is nil for an outside reviewer
	release *kernel.Release
	kernel.Result
	*kernel.Facts
	told  *report.Report // the report told again; nil where it could not be
	found bool           // what needs the input was found in it once more
}

// errNoReport is a report whose figures are none.
var errNoReport = errors.New("a member of the report is of another type than a run writes")

// readDocuments reads report, plan and order.
func (c *column) readDocuments(data []byte) (err error) {
	q := c.q
	if err := legible(data, q.Report); err != nil {
		return err
	}
	c.reportData, c.stated = data, &report.Report{}
	if json.Unmarshal(data, c.stated) != nil {
		return errNoReport
	}
	if c.data, err = read(q.Plan, "--plan"); err != nil {
		return err
	}
	if c.proven, err = kernel.ReadPlan(c.data, q.Plan); err != nil {
		return err
	}
	if c.proven.Hash != c.stated.Plan.Plan || c.proven.Column != c.stated.Column {
		return kernel.Errorf("give the plan.json of the same run", "%s is not the plan of %s (plan_sha256 differs)",
			q.Plan, q.Report)
	}
	if c.order, err = read(q.Order, "--order"); err != nil {
		return err
	}
	c.plan, c.refuse = plan.Decode(c.data, func(name string) ([]byte, error) {
		if name == plan.OrderFile {
			return c.order, nil
		}
		return os.ReadFile(filepath.Join(filepath.Dir(q.Plan), name))
	})
	if c.refuse != nil {
		c.plan = nil
	}
	return nil
}

// legible refuses what is no report of this version.
func legible(data []byte, path string) error {
	switch schema, what := kernel.Members(data); {
	case what != "":
		return kernel.Errorf("it was cut short, changed, or written by another version", "%s %s", path, what)
	case schema != report.Schema && schema != report.JointSchema && schema != report.PublicSchema:
		return kernel.Errorf("it was cut short, changed, or written by another version", "%s is not of format %s", path,
			report.Schema)
	}
	return nil
}

// dialect is that of CSV files, which the report states.
func dialect(of report.File) (d files.Dialect) {
	if d := of.Dialect; d != nil && len(d.Delimiter) == 1 {
		return files.Dialect{Comma: d.Delimiter[0], Header: d.Header}
	}
	return d
}

// open opens output and input.
func (c *column) open(ctx context.Context) (err error) {
	d := dialect(c.stated.Output)
	in := func(in io.ReaderAt, size int64) (files.File, error) { return files.Open(in, size, c.proven.Column, d) }
	out := in
	if rule := c.proven.Bins; rule != nil {
		if _, err := table.ParseBins(rule.Spec); err != nil {
			return kernel.Errorf("it was changed, or written by another version", "the plan has bins that are none")
		}
		b := binsOf(rule.Spec, rule.Of, rule.As)
		c.bins = b
		in = func(in io.ReaderAt, size int64) (files.File, error) {
			return files.OpenBinned(in, size, c.proven.Column, d, b)
		}
		out = func(in io.ReaderAt, size int64) (files.File, error) {
			return files.OpenValued(in, size, c.proven.Column, d, b)
		}
	}
	if c.out, err = openFile(ctx, c.q, c.q.Output, "--output", d, out); err != nil || c.q.Input == "" {
		return err
	}
	c.in, err = openFile(ctx, c.q, c.q.Input, "--input", d, in)
	return err
}

func (c *column) close() {
	for _, o := range []*opened{c.in, c.out} {
		if o != nil {
			o.close()
		}
	}
}

// binsOf are the bins of a rule, whose labels the product's own code reads; none where spec,
// cells and what is published do not go together.
func binsOf(spec, of, as string) *files.Bins {
	ends := func(string) (from, to *big.Rat, ok bool) { return nil, nil, false }
	if b, err := table.BinsOf(spec, of, as); err == nil {
		ends = b.Ends
	}
	return files.NewBins(of, as == table.BinText, ends)
}

// placed are the rows of utilities of an order by position; nil for other forms.
func placed(p *plan.Plan) func(x int, value []float64) {
	if p == nil || p.Empty() || p.Bins != nil ||
		!slices.Contains([]string{"positions", "ordered", "circular", "numeric"}, p.Spec.Form) {
		return nil
	}
	return func(x int, value []float64) { p.Order.Row(x, nil, value) }
}

// prove makes the proofs of the kernel.
func (c *column) prove(ctx context.Context) error {
	if c.stated.Input.SHA256 != "" || c.stated.Output.SHA256 != "" {
		var work sync.WaitGroup
		for _, o := range []*opened{c.in, c.out} {
			if o != nil {
				work.Go(func() { _ = o.hash(ctx) }) // who takes the sum says what is wrong
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
	if Stated(c.q.Report) && statesWeights(c.q.Report) != apart {
		c.Add("stated weights", false, "the statement of the release and the plan do not say the same of a file of weights")
	}
	if apart {
		path := filepath.Join(filepath.Dir(c.q.Plan), files.WeightsFile)
		weights, err := os.Open(path)
		if err != nil {
			return unreadable(path, "--plan, whose rows it has", err)
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
	switch how := c.stated.Setting("hash"); {
	case is.SHA256 == "" && how != "" && how != "none":
		c.Add(name+" hash", false, "the report holds no hash, and its options say that there is one")
	case is.SHA256 == "":
		c.Skip(name+" hash", "the report holds no hash")
	default:
		if err := of.hash(ctx); err != nil {
			return err
		}
		if same := of.sum() == is.SHA256; !same && of == c.in {
			return another
		} else if same {
			c.Add(name+" hash", true, "the file is, byte for byte, the one that the report is about")
		} else {
			c.Add(name+" hash", false, "the file is another than the one that the report is about")
		}
	}
	var w kernel.Faults
	w.Match(of.rows() == is.Rows && of.size == is.Bytes && of.Format() == is.Format, "rows, bytes or format")
	w.Match(len(of.members) == is.Files, "the number of files")
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
		Part: r.Prior.Part != nil, Shuffled: r.Output.Order != "", ByPerson: r.Draws.Unit == "person",
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

// seen is what the kernel counted.
func (c *column) seen() *seen {
	s := &seen{rows: c.out.rows(), units: len(c.out.Units())}
	t := c.Tally
	if c.proven.Empty() {
		s.nulls, s.absent = s.rows, s.rows
	}
	if t == nil {
		return s
	}
	s.output, s.nulls = t.Out, t.OutNulls
	if t.In == nil || len(t.In) != len(c.plan.Groups) {
		return s
	}
	s.given, s.absent, s.torn = t.In, t.InNulls, t.Torn > 0
	if c.Loose == 0 {
		s.each = t.Of
	}
	return s
}

// check reads the documents of one column and proves its release: what only the proofs need
// is gone before those of the next column are read.
func (c *column) check(ctx context.Context, data []byte) error {
	if err := c.readDocuments(data); err != nil {
		return err
	}
	if err := c.open(ctx); err != nil {
		return err
	}
	if err := c.prove(ctx); err != nil {
		return err
	}
	if err := c.checkNights(ctx); err != nil {
		return err
	}
	return c.checkList(ctx)
}

// checkColumns tells the reports of columns that were proven again.
func (v *Result) checkColumns(ctx context.Context, q Request, all []*column, joint []byte) error {
	if err := retell(ctx, q, all); err != nil {
		return err
	}
	for _, c := range all {
		c.checkTold()
		for _, k := range c.Checks {
			k.Name = c.name + k.Name
			v.Checks = append(v.Checks, k)
		}
		v.Stated = append(v.Stated, c.unseen()...)
	}
	return v.checkTogether(ctx, q, all, joint)
}

// retell tells the report of every column again, and what all of them tell together.
func retell(ctx context.Context, q Request, all []*column) error {
	var plans []*plan.Plan
	for _, c := range all {
		if plans = append(plans, c.plan); c.plan == nil {
			return nil
		}
	}
	first := 0 // of them among the plans of the release
	if len(all) == 1 {
		plans, first = all[0].siblings()
	}
	var input *pipeline.Again
	if q.Input != "" && plans != nil {
		var err error
		if input, err = pipeline.OpenAgain(ctx, readingOf(q.Input, all[0].stated, plans), plans); err != nil {
			all[0].Add("told again", false, "the input: %v", err)
			return ctx.Err()
		}
		defer input.Close()
	}
	var reads []*plan.Plan
	var tellers []*teller
	for i, c := range all {
		t := &teller{stated: c.stated, plan: c.plan, seen: c.seen(), input: input, at: first + i}
		var err error
		if t.reads, err = t.read(); err != nil {
			c.Add("told again", false, "%v", err)
			return ctx.Err()
		}
		reads, tellers = append(reads, t.reads), append(tellers, t)
	}
	joint := all[0].stated.Joint
	if input != nil && joint != nil && len(all) > 1 {
		var err error
		if joint, err = jointly(ctx, input, reads, joint); err != nil {
			return err
		}
	}
	for i, c := range all {
		tellers[i].joint, c.found = joint, input != nil
		var err error
		if c.told, err = tellers[i].again(ctx); err != nil {
			c.Add("told again", false, "%v", err)
		}
	}
	return ctx.Err()
}

// siblings are the plans of all private columns of the release that the column is one of, and
// its place among them; nil where these are not in the folders beside.
func (c *column) siblings() (plans []*plan.Plan, at int) {
	if c.stated.Joint == nil {
		return []*plan.Plan{c.plan}, 0
	}
	above := filepath.Dir(filepath.Dir(c.q.Report))
	for i, of := range c.stated.Joint.Columns {
		if of.Column == c.plan.Column {
			plans, at = append(plans, c.plan), i
			continue
		}
		p, err := decide.LoadPlan(filepath.Join(above, request.PartFolder(i), plan.File))
		if err != nil || p.Column != of.Column {
			return nil, 0
		}
		plans = append(plans, p)
	}
	return plans, at
}

// readingOf is how a run read its input, as far as a report of it says so.
func readingOf(path string, told *report.Report, plans []*plan.Plan) request.Reading {
	r := request.Reading{Path: path, Bins: map[string]plan.Binning{}}
	for _, f := range told.Columns {
		if f.Fate == "dropped" {
			r.Drop = append(r.Drop, f.Name)
		}
	}
	if d := told.Input.Dialect; d != nil {
		r.Delimiter, r.Header = d.Delimiter, "no"
		if d.Header {
			r.Header = "yes"
		}
	}
	for _, p := range plans {
		r.Bins[p.Column] = p.Bins.Asked()
		if p.Given.Column != "" {
			r.Strata = plan.Spec{Column: p.Given.Column, Function: p.Given.Function}
		}
	}
	return r
}

// checkTold compares the report with what is told again, member by member, and its views
// byte for byte.
func (c *column) checkTold() {
	const name = "told again"
	if c.plan == nil {
		c.Add(name, false, "plan.json %v", c.refuse)
		return
	}
	if c.told == nil {
		return
	}
	var want bytes.Buffer
	if err := c.told.WriteJSON(&want); err != nil {
		c.Add(name, false, "the report cannot be written again: %v", err)
		return
	}
	differ := differences(c.reportData, want.Bytes())
	proven := c.Figures()
	for path, told := range texts(want.Bytes(), maps.Keys(proven)) {
		if told != proven[path] {
			differ = append(differ, path+", which is proven to be another,")
		}
	}
	detail := "every member of report.json follows from plan, files and what is stated"
	if len(differ) > 0 {
		detail = "what the files give differs in " + firstOf(differ)
		if v := c.stated.Version; v != c.q.Version {
			detail += fmt.Sprintf("; version %.40q wrote it, and this is %s, which may say it in other words", v, c.q.Version)
		}
	}
	c.Add(name, len(differ) == 0, "%s", detail)
	c.checkSpec()
	c.checkOptions()
	c.checkViews()
}

// unseen names what the report says that no file shows.
func (c *column) unseen() (names []string) {
	r := c.stated
	for _, of := range []struct {
		name string
		is   bool
	}{
		{"about", r.About != nil || r.Inside != nil}, {"date", r.Made != ""}, {"version", r.Version != ""},
		{"declared files", len(r.Declared) > 0}, {"options", len(r.Settings) > 0}, {"paths", true},
		{"neighbours", !c.found && r.Beside.Records > 0}, {"types of columns", !c.found},
		{"counts of the input", c.in == nil}, {"releases before", r.History.Series != nil && c.q.Ledger == ""},
		{"plan before", r.Pinned != nil && !r.Pinned.Followed()},
		{"persons", r.Persons != nil && c.q.Key == ""},
	} {
		if of.is {
			names = append(names, of.name)
		}
	}
	return names
}

// statedCounts are those of the file by group and letter, where the report states others
// than the plan's; nil where it does not.
func statedCounts(r *report.Report) (given [][]int64) {
	if r.Prior.Counts == nil {
		return nil
	}
	if r.Strata == nil {
		return [][]int64{wholes(r.Prior.Counts)}
	}
	for _, g := range r.Strata.Groups {
		given = append(given, wholes(g.Counts))
	}
	return slices.Clip(given)
}
