package request

import "slices"

// Reading is what is read of an input, and what of it goes on.
type Reading struct {
	Path       string
	Delimiter  string            // of a CSV file, as in Options
	Header     string            // of a CSV file, as in Options
	Keep, Drop []string          // as in Options
	Metadata   []string          // keys of file metadata that are kept
	IDs        []string          // columns that ids are read from; dropped unless kept by name
	Strata     string            // the column given; "" for none
	Bins       map[string]string // by private column, of those that have bins
	Since      []string          // as in Options
	Own        string            // report folder, that is none of them
	Shard      Shard             // of the files
	Rewritten  bool              // the input is read to be written again
	Pace
}

// Reading is that of the options, whose strata have been checked.
func (o *Options) Reading() (_ Reading, err error) {
	shard, b := got(o.ParseShard())(&err), got(o.Binning())(&err)
	return Reading{Bins: map[string]string{o.Column: b}, Path: o.Input, Since: o.Since, Own: o.Report,
		Shard: shard, Delimiter: o.Delimiter, Header: o.Header, Keep: o.Keep, Drop: o.Drop, Metadata: o.Metadata,
		IDs: o.Identifiers(), Strata: o.Strata, Rewritten: o.Output != "", Pace: o.Pace()}, err
}

// Beside are the columns that are read beside the private one: ids, then that
// of the strata.
func (r *Reading) Beside() []string {
	if r.Strata == "" {
		return r.IDs
	}
	return slices.Concat(r.IDs, []string{r.Strata})
}

// StratumAt is the place of the strata column among them.
func (r *Reading) StratumAt() int { return len(r.IDs) }

// shows reports whether a column stands in the output as it is.
func (o *Options) shows(column string) bool {
	if o.Keep != nil {
		return slices.Contains(o.Keep, column)
	}
	return !slices.Contains(slices.Concat(o.Drop, o.Identifiers()), column)
}

// Letters says which values a column has, and which become others.
type Letters struct {
	Null            string // "refuse" (default), "draw", "public"
	Planned         bool   // a plan says what nulls are
	AllowIdentifier bool   // nearly all values may be different
	Domain, Prior   string // files of the user that name values; "" for none
	Rare            Rare
}

// Letters are those of the options' column.
func (o *Options) Letters() Letters {
	return Letters{Null: o.Null, Planned: o.Plan != "", AllowIdentifier: o.AllowIdentifier, Domain: o.Domain,
		Prior: o.Prior, Rare: Rare{o.Other, o.MinCount}}
}

// Rare says which values become another.
type Rare struct {
	Other    string // label of that; "" where none do
	MinCount int64  // values of fewer records do
}

// Order is how one value may stand for another.
type Order struct {
	Spec   string // a utility spec
	Labels string // file of output labels, one a line; "" for those of the spec
}

// Order is that of the options.
func (o *Options) Order() Order {
	return Order{Spec: o.order(), Labels: o.Labels}
}

// Study is what a design or a frontier is worked out from.
type Study struct {
	Bins      string   // of the column
	Counts    []string // counts.csv of parts of the data, which add up; nil where the input is read
	Column    string
	Reading   Reading
	Letters   Letters
	Files     []string // that are read, and so may not be written
	Overwrite bool
}

// Study is that of the options.
func (o *Options) Study() (_ Study, err error) {
	r := got(o.Reading())(&err)
	s := Study{Bins: r.Bins[o.Column], Column: o.Column, Reading: r, Letters: o.Letters(), Files: o.Reads(),
		Overwrite: o.Overwrite, Counts: got(o.counted())(&err)}
	s.Files = append(s.Files, s.Counts...)
	return s, err
}
