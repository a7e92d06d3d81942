package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// onSheet are the claims of page one, by key, in the order in which somebody asks who has to
// decide: what is promised, what is kept, what a count is worth. Of alternatives in a row the
// first that is made stands there.
var onSheet = [][]string{{"leakage"}, {"leakage.file"}, {"leakage.unaware"}, {"leakage.earlier"}, {"joint"},
	{"floor.reached", "floor"}, {"unchanged"}, {"counting"}, {"limits"}}

// pageOne makes page one of a report, and leaves the other claims of the lead for after it.
func pageOne(d *report.Document, r *report.Report) {
	taken := map[string]bool{"shift": !public(r)} // counting has it
	for _, keys := range onSheet {
		for _, key := range keys {
			if c, ok := claim.Find(r.Claims, key); ok {
				d.Lead, taken[key] = append(d.Lead, report.Sentence{Head: headOf(c), Body: c.Words}), true
				break
			}
		}
	}
	for _, c := range claim.In(r.Claims, "lead") {
		if !taken[c.Key] {
			d.More = append(d.More, report.Sentence{Head: c.Head, Body: c.Words})
		}
	}
	d.Risks, d.Facts = risksOf(r.Claims), facts(r, r.JointHash != "")
	if public(r) {
		return
	}
	if words := wordsOf(r.Claims, "shift"); words != "" {
		d.More = slices.Insert(d.More, 0, report.Sentence{Head: "shares", Body: words})
	}
	d.Lead = slices.Insert(d.Lead, max(0, len(d.Lead)-1), largest(r.Claims)...)
	d.Lead = append(d.Lead, open(r))
	d.Accept, d.Decision = r.Warnings, r.JointHash == ""
	if all := sharesShown(r); len(all) > 0 {
		d.Picture = drawShares(all, "shares-picture", r.Whose(), points(r.Shares.Shift))
	}
	d.Examples = examples(r)
}

// headOf is the head of a claim on page one, where a floor is what is kept.
func headOf(c claim.Claim) string {
	if strings.HasPrefix(c.Key, "floor") {
		return "kept"
	}
	return c.Head
}

// risksOf are the rows of the table of risks, the worst first.
func risksOf(claims []claim.Claim) (out []report.Risk) {
	for _, c := range claim.Risks(claims) {
		k := c.Risk
		row := report.Risk{Sees: k.Sees, Before: "-", After: "-", Times: k.Factor(), Promised: k.Promised, Do: k.Do}
		bound := yes(k.Least, "at least ", "at most ")
		switch {
		case k.Before > 0 && k.Least:
			row.Before, row.After = short3(100*k.Before), bound+strings.TrimSuffix(inHundredDown(k.After), " in 100")
		case k.Before > 0:
			row.Before, row.After = short3(100*k.Before), bound+strings.TrimSuffix(atMost(k.After), " in 100")
		case k.Certain():
			row.After = "100"
		}
		if k.Certain() {
			row.After = "100: certain"
		}
		out = append(out, row)
	}
	return out
}

// short3 is a number with three digits.
func short3(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// largest is the worst risk as a sentence; none where nothing is claimed.
func largest(claims []claim.Claim) []report.Sentence {
	all := claim.Risks(claims)
	if len(all) == 0 {
		return nil
	}
	return []report.Sentence{{Head: "largest risk", Body: all[0].Risk.Words()}}
}

// facts are what was released, and how to check it; below, on a page a folder below that of
// all private columns.
func facts(r *report.Report, below bool) []report.Sentence {
	return entries("facts", struct {
		*report.Report
		Below bool
	}{r, below})
}

// checkCommand verifies a release from the folder of its report.
func checkCommand(r *report.Report, below bool) string {
	line := "tacet verify --report " + yes(below, "..", ".") + " --output " +
		report.Shell(fromReport(r, r.Output.Path, below))
	if r.Input.Path != "" {
		line += " --input " + report.Shell(fromReport(r, r.Input.Path, below))
	}
	return line
}

// fromReport is a path from the folder of the report; an address, or a path that cannot be
// reached from there, stays as it was given.
func fromReport(r *report.Report, path string, below bool) string {
	folder := cmp.Or(r.Setting("report"), request.ReportOf(r.Output.Path))
	if below {
		folder = filepath.Join(folder, "1")
	}
	to, err := filepath.Rel(folder, path)
	if err != nil || strings.Contains(path, "://") {
		return path
	}
	return filepath.ToSlash(to)
}

// examples show what a count is worth: of the commonest value, of the ten commonest together,
// and of the value that is most too common, or where that is the commonest, of the rarest; nil
// where they are not known.
func examples(r *report.Report) *report.Table {
	all := sharesShown(r)
	if len(all) < 2 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Compare(b.True, a.True) })
	const together = 10
	group, name := Share{}, fmt.Sprintf("the %d commonest together", min(together, len(all)-1))
	most, rarest := 0, 0
	for i, c := range all {
		if i < together && i < len(all)-1 {
			group.True, group.Published = group.True+c.True, group.Published+c.Published
		}
		if c.True > 0 {
			rarest = i
			if c.Published*all[most].True > all[most].Published*c.True {
				most = i
			}
		}
	}
	t := report.NewTable("Examples, in 100 of the "+r.Whose()+"; a group may be off by "+
		points(r.Shares.Shift)+" before chance", "value", "#true", "#published", "#off, in points")
	add := func(name string, c Share) { t.Add(name, short3(100*c.True), short3(100*c.Published), c.gain()) }
	add(show(all[0].Label), all[0])
	add(name, group)
	if most > 0 {
		add(show(all[most].Label)+", most too common", all[most])
	} else if rarest > 0 {
		add(show(all[rarest].Label)+", the rarest", all[rarest])
	}
	return &t
}

// open is what nobody declared yet.
func open(r *report.Report) report.Sentence {
	return report.Sentence{Head: "open", Body: say("undeclared", Undeclared(r)), Link: "declarations"}
}

// releaseName is what was released, and which release it is.
func releaseName(r *report.Report, id string) string {
	name := strings.TrimSpace(of(r.About).Release)
	if name == "" {
		name = quoted(report.FileName(r.Output.Path))
	}
	return fmt.Sprintf("%s, release %s", brisk(name), id)
}

// releaseID is the id of a release in words: that of joint.json where there are several
// private columns, else of its report.json.
func releaseID(r *report.Report) string {
	if r.JointHash != "" {
		return quoted(report.ID(r.JointHash))
	}
	return idOf(r)
}

// idOf is the id of a file in words: in public files that of the public report.
func idOf(of interface{ WriteJSON(io.Writer) error }) string {
	h := sha256.New()
	if of.WriteJSON(h) != nil {
		return "without an id"
	}
	return report.ID(hex.EncodeToString(h.Sum(nil)))
}
