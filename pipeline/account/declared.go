package account

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// declare fills in what was chosen and not computed: the domain, the files
// that say so, the randomness, and when.
func declare(r *report.Report, f *Facts) {
	p := f.Reads
	r.Declared, r.Settings = []report.Source{}, slices.Concat([]report.Setting{}, f.Settings)
	if f.Stamp != "" {
		r.Stamp = report.NotPrivate
	}
	switch r.Prior.Person = "not stated"; {
	case f.Persons != nil:
		r.Prior.Person = fmt.Sprintf("at most %d: %d persons in %d rows", f.Persons.Most, f.Persons.Persons, r.Records)
	case f.About != nil && f.About.Persons != "":
		r.Prior.Person = f.About.Persons
	}
	r.Domain = report.Domain{Rule: "the plan", Null: cmp.Or(p.Null, "refuse"),
		Unseen: "none, the values are those of the file"}
	for _, c := range f.Records {
		if c > 0 {
			r.Domain.Observed++
		}
	}
	if s := p.Stated; s != nil {
		r.Declared, r.Design.Asked, r.Design.NoLimit = s.Files, s.Design, s.NoLimit
		r.Domain.Rule, r.Domain.Declared = s.Domain, s.Values
	}
	switch {
	case r.Command == "apply":
		r.Domain.Unseen = "refused"
	case r.Domain.Rule == "declared":
		r.Domain.Unseen = "values of the file that the domain does not name were added to it"
	}
	if b := p.Bins; b != nil {
		r.Domain.Bins = &report.Bins{Spec: b.Spec, Of: b.Of}
	}
	if p.Other != nil {
		r.Domain.Unseen = "treated as " + p.Other.Label
	}
	r.Draws, r.Beside = Draws(f.Draws, f.Stamp != ""), knowingMore(&f.Beside)
	if r.History.State = "no ledger"; f.History.Series != nil {
		r.History.State = "ledger"
	}
}

// Stated is what was declared for a plan: the design, and the files that say which values
// there are and in which order; named are those that a file names.
func Stated(p *plan.Plan, o *request.Account, named map[string]bool, values int) *plan.Stated {
	s := &plan.Stated{Design: cmp.Or(o.Design, "auto"), Domain: "observed", Values: values, All: p.Names(named),
		Files: sources(o.Files)}
	if o.NamesValues {
		s.Domain = "declared"
	}
	if p.Stated != nil {
		s.NoLimit = p.Stated.NoLimit
	}
	return s
}

// Draws tells of draws what follows from their kind, their unit and the ids of key and run: they are
// by a draw key, or fresh under a test seed, by a run key, or by neither.
func Draws(of report.Draws, seeded bool) report.Draws {
	d, key := report.Draws{Kind: "fresh"}, "fresh"
	switch {
	case of.Kind == "memoised":
		d, key = report.Draws{Kind: of.Kind, KeyID: of.KeyID, Unit: of.Unit}, of.Kind
	case of.KeyID != "":
		d.KeyID, d.RunID, key = of.KeyID, of.RunID, "run"
	case seeded:
		key = "seed"
	}
	d.Generator, d.Key = text().Must("generator "+d.Kind, d), text().Must("key "+key, d)
	return d
}

// sources hashes the files that the user's choices stand in. A file that is
// gone by now is left out.
func sources(files []request.Named) []report.Source {
	out := []report.Source{}
	for _, f := range files {
		if f.Path == "" {
			continue
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			continue
		}
		file := report.SubjectOf(filepath.Base(f.Path), data)
		out = append(out, report.Source{Flag: f.Flag, Name: file.Name, SHA256: file.Digest.SHA256})
	}
	return out
}
