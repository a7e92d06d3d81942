package page

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// onSheet are the claims of page one, by key, in the order in which somebody asks who
// has to decide: what is promised, to whom, what is reached, and what others can add.
// Of alternatives in a row the first that is made stands there.
var onSheet = [][]string{{"leakage"}, {"leakage.file"}, {"leakage.unaware"}, {"leakage.earlier"}, {"leakage.reached"},
	{"floor.reached", "floor"}, {"joint.reached"}, {"neighbours"}, {"leakage.together"}, {"cumulative"}}

// risk are the heads on page one of claims that tell what the promise does not cover.
var risk = map[string]string{"neighbours": "largest risk", "joint.reached": "columns", "leakage.together": "risk, too"}

// pageOne makes page one of a report, and leaves the other claims of the lead for after it.
func pageOne(d *report.Document, r *report.Report) {
	taken := map[string]bool{"limits": true, "shift": true, "unchanged": true, "unchanged.reached": true}
	add := func(key string) bool {
		c, ok := claim.Find(r.Claims, key)
		if ok {
			head := c.Head
			if h := risk[key]; h != "" {
				head = h
			}
			d.Lead = append(d.Lead, report.Sentence{Head: head, Body: c.Words})
		}
		taken[key] = ok || taken[key]
		return ok
	}
	for _, keys := range onSheet {
		for _, key := range keys {
			if add(key) {
				break
			}
		}
	}
	add("unchanged")
	add("unchanged.reached")
	d.Lead = append(d.Lead, mayCount(r))
	add("limits")
	d.Lead = append(d.Lead, open(r)...)
	for _, c := range claim.In(r.Claims, "lead") {
		if !taken[c.Key] {
			d.More = append(d.More, report.Sentence{Head: c.Head, Body: c.Words})
		}
	}
	d.Decision = true
	counted, _ := sharesArt(r)
	d.Art = slices.Concat(captioned("Published against true shares", counted),
		captioned("What other floors cost", frontierArt(r)))
}

// captioned are pictures with a caption.
func captioned(caption string, art []template.HTML) (out []report.Picture) {
	for _, svg := range art {
		out = append(out, report.Picture{Caption: caption, SVG: svg})
	}
	return out
}

// mayCount says whether the published column may be counted, and what else it is for.
func mayCount(r *report.Report) report.Sentence {
	c, asked := claim.Find(r.Claims, "shift")
	off := wordsOf(r.Claims, "shares")
	switch {
	case asked && c.Standing == claim.Promised:
		return field("counting", "Yes, within the limit that was asked for. %s The shares are %s.", c.Words, off)
	case asked:
		return field("counting", "Not as it stands. %s", c.Words)
	case r.Shares == nil:
		return field("counting", "Not as it stands: how far its shares are off was not computed, and no limit was asked for.")
	case value(r.Shares.Shift) == 0:
		return field("counting", "Yes: before chance in the draws no share is off, which no limit promises.")
	}
	return field("counting", "Not as it stands, no limit was asked for: the share of a set of values is %s, before "+
		"chance.", off)
}

// open is what a reviewer has to look at before signing.
func open(r *report.Report) (out []report.Sentence) {
	missing := undeclared(r)
	s := report.Sentence{Head: "open", Body: "No declaration is missing.", Link: "declarations"}
	if n := len(missing); n > 0 {
		s.Body = fmt.Sprintf("%s missing: %s.", count(n, "declaration"), names(missing, 8))
	}
	out = append(out, s)
	if n := len(r.Warnings); n > 0 {
		out = append(out, report.Sentence{Head: "warnings", Link: "warnings", Body: fmt.Sprintf("%s to accept; the first: "+
			"%s.", count(n, "warning"), strings.TrimSuffix(Cut(r.Warnings[0], 200), "."))})
	}
	return out
}

// releaseName is what was released, and which release it is.
func releaseName(r *report.Report, id string) string {
	name := strings.TrimSpace(about(r.About).Release)
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
