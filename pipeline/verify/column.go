package verify

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
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

// check reads the documents of one column and proves its release: what only the proofs need
// is gone before those of the next column are read.
func (c *column) check(ctx context.Context) error {
	if err := c.readDocuments(); err != nil {
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

// readDocuments reads report, plan and order.
func (c *column) readDocuments() (err error) {
	q := c.q
	if _, err := legible(c.reportData, q.Report); err != nil {
		return err
	}
	c.stated = &report.Report{}
	if json.Unmarshal(c.reportData, c.stated) != nil {
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

// legible is the format of a report, and refuses what is none of this version.
func legible(data []byte, path string) (schema string, err error) {
	schema, what := kernel.Members(data)
	if what == "" && !slices.Contains([]string{report.Schema, report.JointSchema, report.PublicSchema}, schema) {
		what = "is not of format " + report.Schema
	}
	if what != "" {
		return schema, kernel.Errorf("it was cut short, changed, or written by another version", "%s %s", path, what)
	}
	var of struct{ Output struct{ Order string } }
	if json.Unmarshal(data, &of) == nil && of.Output.Order != "" {
		return schema, kernel.Errorf("verify it by the version that wrote it", "%s is of rows in a random order, which "+
			"earlier versions wrote", path)
	}
	return schema, nil
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
	of := files.Column{Name: c.proven.Column, Dialect: dialect(c.stated.Output)}
	if rule := c.proven.Bins; rule != nil {
		b, err := plan.BinsOf(rule.Spec, rule.Of, rule.As)
		if err != nil {
			return kernel.Errorf("it was changed, or written by another version", "the plan has bins that are none")
		}
		c.bins = binsOf(b)
	}
	if c.out, err = openFile(ctx, c.q, c.q.Output, "--output", of); err != nil || c.q.Input == "" {
		return err
	}
	of.Bins = c.bins
	c.in, err = openFile(ctx, c.q, c.q.Input, "--input", of)
	return err
}

func (c *column) close() {
	for _, o := range []*opened{c.in, c.out} {
		if o != nil {
			o.close()
		}
	}
}
