package count

import (
	"encoding/csv"
	"io"
	"math/big"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"

	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A Domain is the closed list of input letters with their records.
type Domain struct {
	alphabet *table.Alphabet
	Letters  utility.Letters
	Prior    mechanism.Prior
	Kind     utility.Kind
	Nulls    *report.Nulls
	Declared map[string]bool // labels that stand in a file of the user; messages may name them
	Named    int             // letters that the --domain file names
	Counted  bool            // the letters come from a counts file
	Counts   []int64         // over the letters of a plan that is followed; nil where none is
	Given    [][]int64       // those of its groups; nil where they are not known
	law      *Law            // that was declared, nil for the frequencies
	Of       string          // what prior is, as in the plan
	Fold     *Folding        // of the letters into those of the design, nil where that has all
	Sample   mechanism.Prior // the counts, where prior is something else
	By       plan.Given      // the column given which epsilon is asked for
	Shown    bool            // it stands in the output
	Groups   []plan.Group    // of the records, which a plan is to draw; none without letters
}

// NewDomain applies the null rule, adds the declared letters and refuses
// columns that look like identifiers.
func NewDomain(asked request.Letters, s *Source) (*Domain, error) {
	d := &Domain{alphabet: s.Alphabet, Declared: map[string]bool{}}
	if err := refuseIdentifier(asked.AllowIdentifier, s); err != nil {
		return nil, err
	}
	counts, err := d.applyNullRule(asked, s)
	if err != nil {
		return nil, err
	}
	if counts, err = d.declare(asked, counts); err != nil {
		return nil, err
	}
	d.Letters = utility.Letters{Label: d.alphabet.Labels(), Null: d.alphabet.Null() >= 0}
	d.Kind = KindOf(d.alphabet.Type())
	if counts.Letters() == 0 {
		return d, nil // no row, or nothing but public nulls: there is nothing to design
	}
	d.Prior, err = estimate.Empirical(counts)
	return d, err
}

// countedDomain takes the letters from a counts file, in the file's order.
func countedDomain(path string) (*Domain, error) {
	rows, err := ReadCounts(path)
	if err != nil {
		return nil, err
	}
	d := &Domain{Declared: map[string]bool{}, Counted: true, Letters: utility.Letters{Label: []string{}}}
	count := make([]int64, len(rows))
	for x, row := range rows {
		count[x] = row.Count
		switch {
		case !row.Null:
			d.Letters.Label = append(d.Letters.Label, row.Label)
			d.Declared[row.Label] = true
		case x < len(rows)-1:
			return nil, fault.New(fault.Input, "move the line of null to the end", "%s: null is not the last value", path)
		default:
			d.Letters.Null = true
		}
	}
	d.Kind = KindOfLabels(d.Letters.Label)
	if d.Prior, err = mechanism.NewPrior(count); err != nil {
		return nil, fault.New(fault.Input, "make the file with tacet estimate", "%s: %v", path, err)
	}
	return d, nil
}

// applyNullRule makes null a letter or takes it out of the counts.
func (d *Domain) applyNullRule(asked request.Letters, s *Source) (*estimate.Counts, error) {
	null := d.alphabet.Null()
	if null < 0 {
		return s.counts, nil
	}
	n, rows := s.counts.Count(int(null)), s.counts.Total()
	d.Nulls = &report.Nulls{Rule: asked.Null, Count: n, Share: float64(n) / float64(rows)}
	switch asked.Null {
	case "letter":
		return s.counts, nil
	case "public":
		shown := big.NewRat(rows, n)
		if d.Nulls.Factor, d.Nulls.Nats = shown.RatString(), mechanism.Nats(shown); rows > n {
			present := big.NewRat(rows, rows-n)
			d.Nulls.Present, d.Nulls.Valued = present.RatString(), mechanism.Nats(present)
		}
		d.alphabet = d.alphabet.Without()
		return estimate.CountsOf(s.counts.Counts()[:null])
	}
	hint := "choose --null letter (randomize nulls like any value) or --null public (publish them as null, unprotected)"
	if asked.Planned {
		hint = "make a new plan with --null letter or --null public"
	}
	return nil, fault.New(fault.Input, hint,
		"%s: column %q holds %s and --null is refuse", s.Path, s.Column.Name, report.Several(n, "null", "nulls"))
}

// CountFor counts the records by letter of a plan that was made from other
// counts. Letters that only a file of the user names have none.
func (d *Domain) CountFor(p *plan.Plan) {
	d.Counts = make([]int64, p.Inputs.Len())
	place := make(map[string]int, len(p.Inputs.Label))
	for x, l := range p.Inputs.Label {
		place[l] = x
	}
	for x := range d.Prior.Letters() {
		to, known := len(p.Inputs.Label), true
		if x < len(d.Letters.Label) {
			to, known = place[d.Letters.Label[x]]
		}
		if known && to < len(d.Counts) {
			d.Counts[to] = d.Prior.Count(x)
		}
	}
	if !p.Stratified() {
		d.Given = [][]int64{d.Counts}
	}
}

// declare merges the letters of the --domain and --prior files, with no
// records, into the alphabet.
func (d *Domain) declare(asked request.Letters, counts *estimate.Counts) (*estimate.Counts, error) {
	named, err := d.declarations(asked)
	if err != nil || len(named) == 0 {
		return counts, err
	}
	d.Named = len(named)
	t, known := d.alphabet.Type(), d.alphabet.Values()
	value, seen := slices.Clone(known), d.alphabet.Index()
	for _, n := range named {
		v, err := t.Parse(n.label)
		if err != nil {
			return nil, fault.New(fault.Input, "the column holds "+t.String()+" values", "%s: line %d: %v", n.path, n.line, err)
		}
		d.Declared[n.label] = true
		if _, ok := seen[v]; !ok {
			seen[v] = -1
			value = append(value, v)
		}
	}
	slices.SortFunc(value, t.Compare)
	whole := table.NewAlphabet(t, value, d.alphabet.Null() >= 0)
	if whole.Len() > mechanism.MaxLetters {
		return nil, fault.New(fault.Input, "merge values before the run", "%s: %d values are more than the %d "+
			"supported", named[0].path,
			whole.Len(), mechanism.MaxLetters)
	}
	place, at := whole.Index(), make([]int32, 0, d.alphabet.Len())
	for _, v := range known {
		at = append(at, place[v])
	}
	if null := whole.Null(); null >= 0 {
		at = append(at, null)
	}
	d.alphabet = whole
	return counts.Place(whole.Len(), at)
}

// refuseIdentifier stops on columns whose letters are nearly all different:
// the prior of such a column says nothing.
func refuseIdentifier(allow bool, s *Source) error {
	distinct, rows := s.counts.Letters(), s.counts.Total()
	if rows > 1000 && int64(distinct) > rows/2 && !allow {
		return fault.New(fault.Privacy, "drop the column, group its values, or privatize it nevertheless with "+
			"--allow-identifier",
			"%s: column %q looks like an identifier: %d different values in %d rows", s.Path, s.Column.Name, distinct, rows)
	}
	return nil
}

// WriteCounts writes counts.csv: label,count and, where null is a letter, null.
func WriteCounts(w io.Writer, d *Domain) error {
	csvw := csv.NewWriter(w)
	header := []string{"label", "count"}
	if d.Letters.Null {
		header = append(header, "null")
	}
	csvw.Write(header)
	for x := range d.Prior.Letters() {
		record := []string{"", strconv.FormatInt(d.Prior.Count(x), 10)}
		null := x == len(d.Letters.Label)
		if !null {
			record[0] = d.Letters.Label[x]
		}
		if d.Letters.Null {
			record = append(record, map[bool]string{true: "1", false: ""}[null])
		}
		csvw.Write(record)
	}
	csvw.Flush()
	return csvw.Error()
}
