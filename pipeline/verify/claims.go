package verify

import (
	"maps"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// checkClaims holds every claim to the figures of the report, which the other
// checks recompute.
func checkClaims(v *document.View) {
	const name = "claims"
	r := v.Report
	var w document.Faults
	missing, plain := stances(r), plainFigures(r)
	claims := r.List(name)
	var expected []document.Figures
	for _, c := range claims {
		key := c.Text("key")
		s, ok := missing[key]
		f, bare := plain[key]
		delete(missing, key)
		if delete(plain, key); !ok && !bare {
			w.Addf("the claim %q is there twice, or does not belong into this report", key)
		}
		of := onShelf(&w, key)
		of["standing?"], of["bounds?"], of["observer?"], of["relative?"], of["records?"] = s.standing, s.bounds, s.observer,
			s.relative, s.records
		if of["column?"], of["asked?"] = s.column, s.asked; bare { // about which nothing is claimed
			s.figure, of["words"] = nil, f.words
			of["asked?"] = f.asked
		}
		if f.figure != nil {
			of["figure"] = document.Same(f.figure)
		}
		if s.figure != nil {
			of["figure"] = document.Same(s.figure)
			words := c.Text("words")
			silent := s.figure.Factor == "1" && (strings.Contains(words, "tells nothing") || strings.Contains(words,
				"tell nothing"))
			if !silent && (!strings.Contains(words, saidOf(*s.figure)) || key == "leakage.reached" && s.figure.Factor == "1") {
				w.Addf("the words of the claim %q do not say its figure", key)
			}
		}
		if (key == "floor" || key == "floor.reached") && r.Has("other") && r.Int("floor.of") > 0 {
			of["given"] = r.Text("other.label")
			w.Match(strings.Contains(c.Text("words"), "counts as"), "how values without a row of the order are judged, which")
		}
		w.Match(key != "bins" || binned(c, r.Text("domain.bins.of"), r.Text("domain.bins.as")), "the words on bins")
		w.Match(key != "shift" || strings.Contains(c.Text("words"), "within "+s.asked+" of all") ||
			strings.Contains(c.Text("words"), "at most "+s.asked), "the words on shares")
		expected = append(expected, of)
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(missing)), slices.Collect(maps.Keys(plain))) {
		w.Addf("the claim %q is missing", key)
	}
	v.Expect(&w, document.Figures{name: expected})
	checkChosen(&w, claims, chosenOf(r))
	slices.Sort(w)
	v.Settle(name, w, "%d sentences say of whom, relative to what and of which records, with the figures of the report",
		len(claims))
}

// chosenOf is what the sentence on choices must name: each figure of the report
// that was chosen from the data.
func chosenOf(r *document.Report) (parts []string) {
	if r.Int("floor.of") > 0 && r.Text("floor.asked") == "best" {
		parts = append(parts, floorOf(r.At("floor")).place())
	}
	if r.Has("other") {
		parts = append(parts, "treated as ")
	}
	if r.Has("strata") && !r.Bool("strata.published") {
		parts = append(parts, "strata of ")
	}
	if r.Bool("epsilon.least") {
		parts = append(parts, "the least at the floor")
	}
	if r.Has("joint.target") {
		parts = append(parts, "lowered")
	}
	return parts
}

// checkChosen holds the sentence on choices to what it must name, and to name
// nothing else.
func checkChosen(w *document.Faults, claims []document.Node, parts []string) {
	for _, c := range claims {
		if c.Text("key") != "chosen" {
			continue
		}
		names, words := c.Texts("names"), c.Text("words")
		if len(names) != len(parts) {
			w.Addf("other figures are said to be chosen from the data than the report has")
			return
		}
		for i, part := range parts {
			if !strings.Contains(names[i], part) || !strings.Contains(words, names[i]) {
				w.Addf("the sentence on choices does not name what was chosen from the data")
			}
		}
		if !strings.Contains(words, "depend on the data, too") {
			w.Addf("the sentence on choices does not name those made after a look at the data")
		}
	}
}
