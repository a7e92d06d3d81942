package count

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// ShownRows is how many rows a message about unknown letters names.
const ShownRows = 5

// Lacking says which letters an order has no row for, where it failed for that: by
// name where the user wrote the name down, by number and first rows where the data
// alone know it. Any other error, or none, is returned as it is.
func Lacking(ctx context.Context, d *Domain, s *Source, failed error) error {
	var missing *utility.MissingError
	if !errors.As(failed, &missing) {
		return failed
	}
	what, hint := missing.Error(), missing.Cause.Hint
	if s == nil || len(missing.Named) == len(missing.Letters) {
		return &fault.Fault{Class: fault.Input, What: what, Hint: hint, Err: missing}
	}
	rows, err := firstRows(ctx, s, d.alphabet, missing.Letters)
	if err != nil {
		return err
	}
	if rows != "" {
		what += fmt.Sprintf("; column %q of %s has such values in row %s", s.Column.Name, s.Path, rows)
	}
	if command := mend(missing.Spec, s); command != "" {
		hint = command
	} else {
		hint += "; " + toList
	}
	return &fault.Fault{Class: fault.Input, What: what, Hint: hint, Err: missing}
}

// toList is how the names of values are had that no message has.
const toList = "tacet estimate writes all values of the column to a private file"

// mend is the command that begins a file of the values that an order lacks, "" where
// there is none. The file is for its owner alone.
func mend(spec string, s *Source) string {
	begin, whole := utility.Mend(spec)
	if begin == "" {
		return ""
	}
	command := "tacet order --input " + report.Shell(s.Path) + " --column " + report.Shell(s.Column.Name)
	if whole {
		return command + " --new " + begin + " writes all values to a private file: put them in order there, and give " +
			"--utility " + begin
	}
	return command + " --utility " + report.Shell(spec) + " --new " + begin + " writes them to a private file; give " +
		"them their places in " + utility.FileOf(spec)
}

// RefuseUnknown refuses a file with letters that the plan does not have.
func RefuseUnknown(ctx context.Context, order request.Order, s *Source, d *Domain, p *plan.Plan) error {
	if d.Letters.Null && !p.Inputs.Null {
		return fault.New(fault.Privacy, "make a new plan with --null draw (randomize nulls) or --null public (publish "+
			"them as null, unprotected)",
			"column %q of %s holds nulls, and the plan was made without nulls", s.Column.Name, s.Path)
	}
	unknown := d.Lacking(p)
	if len(unknown) == 0 {
		return nil
	}
	rows, err := firstRows(ctx, s, d.alphabet, unknown)
	if err != nil {
		return err
	}
	return fault.New(fault.Privacy, "make a new plan, with --domain FILE if later files may bring other values; "+toList,
		"column %q of %s holds %s that the plan lacks%s, in %s, first in row %s", s.Column.Name, s.Path,
		report.Several(len(unknown), "value", "values"), d.amongNew(order, unknown), report.Several(d.held(unknown), "record",
			"records"), rows)
}

// firstRows are the first rows, from 1 on, that hold one of the letters.
func firstRows(ctx context.Context, s *Source, a *table.Alphabet, letters []int) (string, error) {
	wanted := make([]bool, a.Len())
	for _, x := range letters {
		wanted[x] = true
	}
	var found []string
	enough := errors.New("enough")
	for unit := range s.File.Units() {
		err := s.File.Read(ctx, unit, s.by(a), func(b table.Batch) error {
			for i, x := range b.Letters[s.at] {
				if x >= 0 && wanted[x] {
					if found = append(found, fmt.Sprint(b.Row+int64(i)+1)); len(found) == ShownRows {
						return enough
					}
				}
			}
			return nil
		})
		if errors.Is(err, enough) {
			found = append(found, "...")
			break
		}
		if err != nil {
			return "", s.Failed(err)
		}
	}
	return strings.Join(found, ", "), nil
}
