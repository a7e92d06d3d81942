package options

import (
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// Repeat is what a user asks for of a release that is made again and again.
// Without any of it every run draws anew and remembers nothing.
type Repeat struct {
	RecordID []string // columns that identify a record; dropped unless kept by name
	Person   string   // column that identifies a person, who may have several rows; dropped likewise
	KeyFile  string   // place of the key of memoised draws: a file or "fd:3"

	Ledger       string // file that remembers releases; made where there is none
	Dataset      string // Required with Ledger. Name of what is released again and again.
	Population   string // name of the people or things that the file is about
	TotalEpsilon string // most that all releases may tell of a record; "" sets no bound
	OnChange     string // of a record whose letter changed: "publish", "hold" or "refuse"; "" is "publish" without a total
	OverBudget   string // what is published where a draw would pass the total: "repeat", "suppress" or "refuse"
	Degrade      bool   // draw from what was published last where the new design is a post-processing of the one before
	Independent  bool   // draw anew without record ids although there was a release before

	PreviousInput string // input of the release before, to count changed letters in the internal report; "" for none
}

// Memoised reports whether draws are a function of ids.
func (r *Repeat) Memoised() bool { return len(r.RecordID) > 0 || r.Person != "" }

// Identifiers are the columns that ids are read from, each once.
func (r *Repeat) Identifiers() (names []string) {
	if r.Person != "" {
		names = append(names, r.Person)
	}
	for _, n := range r.RecordID {
		if n != r.Person {
			names = append(names, n)
		}
	}
	return names
}

// changes is what happens to records whose letter changed.
func (r *Repeat) changes() string {
	if r.OnChange == "" && r.Memoised() {
		return "publish"
	}
	return r.OnChange
}

// Handling is what happens to records that were published before, as the
// ledger writes it down.
func (r *Repeat) Handling() string {
	if r.Degrade {
		return r.changes() + "; degrade"
	}
	return r.changes()
}

// checkRepeat finds contradictions that need no file.
func (o *Options) checkRepeat() error {
	seen := map[string]bool{}
	for _, n := range o.RecordID {
		if n == "" || seen[n] {
			return fault.New(fault.Usage, "name each column once", "--record-id names a column twice, or none")
		}
		seen[n] = true
	}
	for _, n := range o.Identifiers() {
		if n == o.Column {
			return fault.New(fault.Usage, "name the column that says whose row it is", "--record-id and --person cannot name the private column %q", n)
		}
	}
	for _, c := range []struct {
		wrong      bool
		hint, what string
	}{
		{o.Memoised() && o.KeyFile == "", "make a key with tacet key new, and name its file with --key-file", "--record-id and --person need a key"},
		{!o.Memoised() && o.KeyFile != "", "name the columns that identify a record with --record-id", "--key-file is given without ids to draw by"},
		{o.Memoised() && o.TestSeed != nil, "make a key for tests with tacet key new", "--test-seed has no use where a key draws"},
		{o.Ledger != "" && o.Dataset == "", "name what is released again and again with --dataset", "--ledger needs the name of a dataset"},
		{o.Ledger != "" && o.Hash == "none", "leave --hash none out", "--ledger needs the hashes that --hash none leaves out"},
		{o.Ledger != "" && o.TestSeed != nil, "leave --test-seed out", "a release from a test seed does not belong into a ledger"},
		{o.Ledger != "" && o.Person != "" && len(o.RecordID) == 0, "name the columns that identify a record with --record-id too", "--ledger remembers records, and --person alone names none"},
		{o.Ledger == "" && (o.Dataset != "" || o.Population != "" || o.TotalEpsilon != "" || o.OnChange != "" || o.OverBudget != "" || o.Independent),
			"name the ledger with --ledger", "--dataset, --population, --total-epsilon, --on-change, --over-budget and --independent-releases need a ledger"},
		{!o.Memoised() && (o.OnChange != "" || o.OverBudget != ""), "name the columns that identify a record with --record-id", "--on-change and --over-budget need record ids"},
		{o.Memoised() && o.Independent, "leave it out: releases with record ids are not independent", "--independent-releases is for draws without record ids"},
		{o.Memoised() && o.TotalEpsilon != "" && o.OnChange == "", "choose --on-change publish, hold or refuse; there is no default, since nobody else can choose it", "--total-epsilon does not say what happens to records that change"},
		{o.Memoised() && o.TotalEpsilon != "" && o.OverBudget == "", "choose --over-budget repeat, suppress or refuse", "--total-epsilon does not say what is published where a draw would pass it"},
		{o.OverBudget != "" && o.TotalEpsilon == "", "give --total-epsilon too", "--over-budget is given without a total"},
		{o.Degrade && (o.Ledger == "" || !o.Memoised()), "draw by --record-id, and name the ledger with --ledger", "--degrade draws from what a ledger remembers of records"},
		{o.PreviousInput != "" && len(o.RecordID) == 0, "name the columns that identify a record with --record-id", "--previous-input is compared record by record"},
		{o.Degrade && o.OnChange == "hold", "leave --degrade out: held records stay as they are", "--degrade and --on-change hold contradict each other"},
		{o.OverBudget == "suppress" && o.Null == "public", "choose --over-budget repeat, or --null letter", "suppressed records cannot be told from nulls that stay"},
	} {
		if c.wrong {
			return fault.New(fault.Usage, c.hint, "%s", c.what)
		}
	}
	_, err := o.ParseTotal()
	return err
}

// ParseTotal is the bound over all releases, nil where there is none.
func (o *Options) ParseTotal() (*mechanism.Epsilon, error) {
	if o.TotalEpsilon == "" {
		return nil, nil
	}
	e, err := mechanism.ParseEpsilon(o.TotalEpsilon)
	if err != nil {
		return nil, fault.New(fault.Usage, "give it as --epsilon: 1.5, or log(9/2)", "--total-epsilon: %v", err)
	}
	return &e, nil
}
