package account

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// declare fills in what was chosen and not computed: the domain, the files
// that say so, the randomness, and when.
func declare(r *report.Report, o *request.Account, p *plan.Plan, d *count.Domain) {
	r.Made = time.Now().UTC().Format(time.DateOnly)
	if r.Stamp != "" {
		r.Made = "" // a run under a test seed repeats byte for byte
	}
	r.About, r.Inside, r.Settings = o.About, o.Inside, slices.Concat([]report.Setting{}, o.Settings)
	if o.About != nil && o.About.Persons != "" {
		r.Prior.Person = o.About.Persons
	}
	r.Domain = report.Domain{Rule: "observed", Declared: d.Named, Null: cmp.Or(p.Null, "refuse"),
		Unseen: "none, the values are those of the file"}
	counts := d.Prior
	if d.Of != "" {
		counts = d.Sample
	}
	for _, c := range counts.Counts() {
		if c > 0 {
			r.Domain.Observed++
		}
	}
	switch {
	case r.Command == "apply":
		r.Domain.Rule, r.Domain.Unseen = "the plan", "refused"
	case o.Declared:
		r.Domain.Rule = "declared"
		r.Domain.Unseen = "values of the file that the domain does not name were added to it"
	}
	if b := p.Bins; b != nil {
		r.Domain.Bins = &report.Bins{Spec: b.Spec, Of: b.Of, As: b.As}
	}
	if p.Other != nil {
		r.Domain.Unseen = "treated as " + p.Other.Label
	}
	r.Declared = sources(o.Files)
	r.Draws = report.Draws{Generator: "AES-128 in counter mode; integers by rejection, so that every draw has exactly " +
		"the law of the plan",
		Key: "32 bytes from the operating system, made for this run, held in memory only, never written or printed; every " +
			"row group has a stream of its own",
		Kind: "fresh"}
	if r.Stamp != "" {
		r.Draws.Key = "derived from a test seed: whoever knows it can undo the draws"
	}
	r.History = report.History{State: "no ledger"}
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
		sum := sha256.Sum256(data)
		out = append(out, report.Source{Flag: f.Flag, Name: filepath.Base(f.Path), SHA256: hex.EncodeToString(sum[:])})
	}
	return out
}
