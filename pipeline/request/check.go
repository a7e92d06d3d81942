package request

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A conflict is a combination of options that no command can follow.
type conflict struct {
	wrong      bool
	hint, what string
}

// found are the faults among conflicts.
func found(all []conflict) (out []*fault.Fault) {
	for _, c := range all {
		if c.wrong {
			out = append(out, fault.New(fault.Usage, c.hint, "%s", c.what))
		}
	}
	return out
}

// Check finds everything that a command lacks and all contradictions that need no file,
// and tells of them at once.
func (o *Options) Check(command string) error {
	return fault.Together(o.Faults(command, o.MayFollow(command)))
}

// MayFollow reports whether a command may find a plan that says what options leave out.
func (o *Options) MayFollow(command string) bool { return command == "run" && o.Plan+o.Ledger != "" }

// Faults are what Check tells of; planned says whether a plan may say what is left out.
func (o *Options) Faults(command string, planned bool) []*fault.Fault {
	faults := o.missing(command, planned)
	if command == "order" && o.Utility+o.New+o.Bins == "" {
		faults = append(faults, Find("utility").lacking(""))
	}
	for _, t := range For(command) {
		if text := t.text(o); store.Is(text) && !slices.Contains(storable, t.Name) {
			faults = append(faults, fault.New(fault.Usage, "give a file or folder of this machine", "--%s %s: only --input, "+
				"--output and --report may be in a store", t.Name, store.Plain(text)))
		}
		if text := t.text(o); t.Choices != nil && text != "" {
			if _, f := t.Parse(text); f != nil {
				faults = append(faults, f)
			}
		}
	}
	if store.Is(o.Report) {
		faults = append(faults, found([]conflict{
			{o.Overwrite, "give another address", "--overwrite does not go with a --report in a store: two runs could mix"},
			{o.Ledger != "" || o.Memoised(), "give a folder of this machine, and copy it",
				"a --report in a store does not go with record ids and ledgers: what was ended could not be completed"},
		})...)
	}
	return append(slices.Concat(faults, o.checkStream(command), o.checkShard(command)), o.contradictions(command)...)
}

// storable are the options that take addresses.
var storable = []string{"input", "output", "report"}

// text is the value of an option that is one text, "" for any other.
func (t *Option) text(o *Options) string {
	if t.Field != "" {
		if text, ok := t.in(o).(*string); ok {
			return *text
		}
	}
	return ""
}

// contradictions are those that need no file.
func (o *Options) contradictions(command string) (faults []*fault.Fault) {
	if command == "simulate" {
		return o.checkSimulation()
	}
	if command == "frontier" {
		faults = o.checkLimited()
	}
	rank := 1
	if o.FloorRank != nil {
		rank = *o.FloorRank
	}
	faults = append(faults, found([]conflict{
		{o.Threads < 0, "give 0 for one thread per processor", fmt.Sprintf("--threads %d is negative", o.Threads)},
		{o.Floors < 0, "give 0 for all floors", fmt.Sprintf("--floors %d is negative", o.Floors)},
		{o.SolveTime < 0, "give a time such as 60s", "--solve-time is negative"},
		{rank < 1, "ranks count from 1, the worst", fmt.Sprintf("--floor-rank %d is not a rank", rank)},
		{o.FloorBy == "level" && o.Utility != "" && !utility.InLevels(o.Utility), "give --floor-by rank or value",
			"--floor-by level needs an order with levels: hierarchy, tree or prefix"},
		{o.FloorValue != nil && *o.FloorValue != *o.FloorValue, "give a number", "--floor-value is not a number"},
	})...)
	if has(Find("epsilon").In, command) && o.Epsilon+o.MaxFactor != "" {
		_, err := o.ParseEpsilon()
		faults = fault.And(faults, err)
	}
	_, err := o.Binning()
	faults = fault.And(fault.And(faults, err), o.checkConfidence())
	for _, c := range []func() []*fault.Fault{o.checkPrior, o.checkRare, o.checkRepeat,
		o.checkStrata, o.checkShares, o.checkOrder, o.checkRecovery} {
		faults = append(faults, c()...)
	}
	return faults
}

// checkOrder refuses an order of no form, and says which one may be meant.
func (o *Options) checkOrder() []*fault.Fault {
	var unknown *utility.Error
	if o.Utility == "" || !errors.As(utility.Known(o.Utility), &unknown) {
		return nil
	}
	var names []string
	for _, f := range utility.Forms() {
		names = append(names, f.Name)
	}
	hint := unknown.Hint
	name, _, _ := strings.Cut(o.Utility, ":")
	if near := Meant(name, names); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return []*fault.Fault{fault.New(fault.Input, hint, "%s", unknown.What)}
}

// Complete asks for what a run needs that follows no plan.
func (o *Options) Complete() error { return fault.Together(o.missing("run", false)) }

// missing are the options of a command that are.
func (o *Options) missing(command string, planned bool) []*fault.Fault {
	if command == "run" && len(o.Columns) > 0 {
		return nil // each column is checked as the only one
	}
	is := func(t *Option) bool {
		return t.Field != "" && given(t.in(o)) || t.Name == "utility" && o.Bins+o.New != ""
	}
	out := Missing(command, For(command), is, planned)
	counted := o.Input != "" || command != "order" && o.Counts == nil // counts say whose they are
	if column := Find("column"); counted && !is(column) && has(column.In, command) && !has(column.Need, command) {
		out = append(out, column.lacking("give --column "+column.Example))
	}
	return out
}

// Missing are the options, among those that a command takes, that it needs and that
// are not given, and pairs of which one may be given. A plan that is followed gives
// some of them.
func Missing(command string, all []*Option, given func(*Option) bool, planned bool) (out []*fault.Fault) {
	for _, t := range all {
		at := slices.IndexFunc(all, func(other *Option) bool { return other.Name == t.Or })
		instead := at >= 0 && given(all[at])
		switch {
		case given(t) && instead && t.Name < t.Or:
			out = append(out, fault.New(fault.Usage, "give only one of --"+t.Name+" and --"+t.Or,
				"--%s and --%s are both given", t.Name, t.Or))
		case has(t.Need, command) && !given(t) && !instead && !(planned && t.Planned):
			hint := "give --" + t.Name + " " + t.Example
			if at >= 0 {
				hint += " or --" + t.Or + " " + all[at].Example
			}
			out = append(out, t.lacking(hint))
		}
	}
	return out
}

// lacking is the fault of an option that is missing.
func (t *Option) lacking(hint string) *fault.Fault {
	f := fault.New(fault.Usage, cmp.Or(t.Hint, hint), "--%s is missing", t.Name)
	f.Option, f.More = t.Name, t.Explain
	return f
}
