package count

import (
	"maps"
	"math/big"
	"slices"

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
	Counted  *Counted    // what it was made of, with the declared letters; nil where no file was read
	Bins     *table.Bins // that values were put into; nil for none
	Letters  utility.Letters
	Prior    mechanism.Prior
	Kind     utility.Kind
	Nulls    *report.Nulls
	Listed   map[string]bool // labels that the --domain and --prior files and --other name
	Declared map[string]bool // labels that stand in a file of the user; messages may name them
	Named    int             // letters that the --domain file names
	Given    [][]int64       // by group and letter of a plan that is followed; nil where none is
	Rare     request.Rare    // the rule that put rare values into one letter
	Merged   []string        // the values that it put there
	law      *Law            // that was declared, nil for the frequencies
	Of       string          // what prior is, as in the plan
	Sample   mechanism.Prior // the counts of the records, whatever Prior is
	By       plan.Given      // the column given which epsilon is asked for
	Shown    bool            // it stands in the output
	Groups   []plan.Group    // of the records, which a plan is to draw; none without letters
	table    *plan.Table     // of the strata, where a counts file has them
}

// NewDomain adds the declared letters, applies the null rule and refuses columns
// that look like identifiers.
func NewDomain(asked request.Letters, c *Counted) (*Domain, error) {
	d := &Domain{Declared: map[string]bool{}, Listed: map[string]bool{}}
	if c.listed {
		for _, l := range c.Alphabet.Labels() {
			d.Declared[l] = true
		}
	}
	if err := refuseIdentifier(asked.AllowIdentifier, c); err != nil {
		return nil, err
	}
	named, err := d.declarations(asked, c.Alphabet.Type().Bins)
	if err != nil {
		return nil, err
	}
	if d.Counted, err = d.declare(asked.Rare.Other, named, c); err != nil {
		return nil, err
	}
	if c, err = d.applyNullRule(asked, d.Counted); err != nil {
		return nil, err
	}
	if c, err = d.merge(asked.Rare, c); err != nil {
		return nil, err
	}
	if n := c.Alphabet.Len(); n > mechanism.MaxLetters {
		path := c.Path
		if len(named) > 0 {
			path = named[0].path
		}
		return nil, fault.New(fault.Input, "merge values before the run", "%s: %d values are more than the %d supported",
			path, n, mechanism.MaxLetters)
	}
	d.alphabet, d.table = c.Alphabet, c.Table
	d.Letters = utility.Letters{Label: d.alphabet.Labels(), Null: d.alphabet.Null() >= 0}
	d.Kind, d.Bins = KindOf(d.alphabet.Type()), d.alphabet.Type().Bins
	if c.counts.Letters() == 0 {
		return d, nil // no row, or nothing but public nulls: there is nothing to design
	}
	d.Prior, d.Sample = c.counts, c.counts
	return d, nil
}

// Ordered is what an order of these values is built for.
func (d *Domain) Ordered(asked request.Order) (in utility.Input, err error) {
	in = utility.Input{Letters: d.Letters, Kind: d.Kind, ReadFile: ReadSpec, Place: plan.BinPlace(d.Bins),
		Known: func(label string) bool { return d.Declared[label] }}
	if asked.Labels != "" {
		in.Outputs, err = ReadLabels(asked.Labels, "--labels")
	}
	return in, err
}

// applyNullRule makes null a letter or takes it out of the counts.
func (d *Domain) applyNullRule(asked request.Letters, c *Counted) (*Counted, error) {
	null := c.Alphabet.Null()
	if null < 0 {
		return c, nil
	}
	n, rows := c.counts.Count(int(null)), c.counts.Total()
	d.Nulls = NullsOf(asked.Null, n, rows)
	switch asked.Null {
	case "draw":
		return c, nil
	case "public":
		return c.over(c.Alphabet.Without())
	}
	hint := "choose --null draw (randomize nulls like any value) or --null public (publish them as null, unprotected)"
	if asked.Planned {
		hint = "make a new plan with --null draw or --null public"
	}
	return nil, fault.New(fault.Input, hint, "%s holds %s and --null is refuse", c.where(),
		report.Several(n, "null", "nulls"))
}

// NullsOf is what a report says of so many nulls among some rows; nil where there is none.
func NullsOf(rule string, nulls, rows int64) *report.Nulls {
	if nulls == 0 {
		return nil
	}
	out := &report.Nulls{Rule: rule, Count: nulls, Share: float64(nulls) / float64(rows)}
	if rule != "public" {
		return out
	}
	shown := big.NewRat(rows, nulls)
	if out.Factor, out.Nats = shown.RatString(), mechanism.Nats(shown); rows > nulls {
		present := big.NewRat(rows, rows-nulls)
		out.Present, out.Valued = present.RatString(), mechanism.Nats(present)
	}
	return out
}

// CountFor counts the records by letter of a plan that was made from other
// counts.
func (d *Domain) CountFor(p *plan.Plan) {
	d.Given = [][]int64{d.RecordsOf(p)}
}

// RecordsOf are the records of this file by the letters of a plan.
func (d *Domain) RecordsOf(p *plan.Plan) []int64 {
	here, _ := d.over(p, d.Sample)
	return here
}

// Lacking are the letters with records that a plan lacks, null last.
func (d *Domain) Lacking(p *plan.Plan) []int {
	_, lacking := d.over(p, d.Prior)
	return lacking
}

// over has counts by the letters of a plan, and the letters with counts that it lacks.
func (d *Domain) over(p *plan.Plan, of mechanism.Prior) (count []int64, lacking []int) {
	place, label := p.Places(), report.Labels(d.Letters.Label, d.Letters.Null)
	count, rest := make([]int64, len(place)), p.Rest()
	for x := range of.Letters() {
		n := of.Count(x)
		to, known := place[label[x]]
		if !known && !label[x].Null {
			to, known = rest, rest >= 0
		}
		if known {
			count[to] += n
		} else if n > 0 {
			lacking = append(lacking, x)
		}
	}
	return count, lacking
}

// declare merges the letters of the --domain and --prior files, with no records,
// into those that were counted. Where these are bins, others than bins are refused, but
// for the one that rare ones become.
func (d *Domain) declare(other string, named []declaration, c *Counted) (*Counted, error) {
	if len(named) == 0 {
		return c, nil
	}
	d.Named = len(named)
	t := c.Alphabet.Type()
	value, seen := slices.Clone(c.Alphabet.Values()), maps.Clone(c.Alphabet.Index())
	for _, n := range named {
		v, err := t.Parse(n.label)
		if err != nil {
			return nil, fault.New(fault.Input, "the column holds "+t.String()+" values", "%s: line %d: %v", n.path, n.line, err)
		}
		if t.Bins != nil && n.label != other {
			if _, ok := t.Bins.Place(n.label); !ok {
				return nil, fault.New(fault.Input, "write labels as the bins have them, such as those of tacet estimate --bins",
					"%s: line %d: the value is no bin of %s", n.path, n.line, t.Bins.Spec)
			}
		}
		d.Declared[n.label], d.Listed[n.label] = true, true
		if _, ok := seen[v]; !ok {
			seen[v] = -1
			value = append(value, v)
		}
	}
	slices.SortFunc(value, t.Compare)
	return c.over(table.NewAlphabet(t, value, c.Alphabet.Null() >= 0))
}

// merge puts values of fewer records than the rule says, and all that come later, into the
// letter of the rule, which was declared. Null is never rare.
func (d *Domain) merge(rule request.Rare, c *Counted) (*Counted, error) {
	if d.Rare = rule; rule.MinCount == 0 {
		return c, nil
	}
	var common []table.Value
	other, t := 0, c.Alphabet.Type()
	for x, v := range c.Alphabet.Values() {
		switch label := t.Label(v); {
		case label == rule.Other:
			other = len(common)
		case c.counts.Count(x) < rule.MinCount:
			d.Merged = append(d.Merged, label)
			continue
		}
		common = append(common, v)
	}
	if d.law != nil {
		d.law.merge(d.Merged, rule.Other)
	}
	return c.over(table.NewAlphabet(t, common, c.Alphabet.Null() >= 0).Else(other))
}

// refuseIdentifier stops on columns whose letters are nearly all different:
// the prior of such a column says nothing.
func refuseIdentifier(allow bool, c *Counted) error {
	distinct, rows := c.seen(), c.counts.Total()
	if rows > 1000 && distinct > rows/2 && !allow {
		return fault.New(fault.Privacy, "drop the column, group its values, or privatize it nevertheless with "+
			"--allow identifier",
			"%s looks like an identifier: %d different values in %d rows", c.where(), distinct, rows)
	}
	return nil
}
