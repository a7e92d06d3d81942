package claim

import (
	"fmt"
	"strings"
)

// leaks is a factor with its epsilon.
func (f *Figure) leaks() string {
	if f.Factor == "" {
		return fmt.Sprintf("%s times as likely (epsilon %s, rounded up%s)", f.times(), RoundUp(f.Nats, 4), f.bound())
	}
	how := f.bound()
	if f.Exact {
		how = Exactly(f.Factor)
	}
	return fmt.Sprintf("%s times as likely (epsilon %s, rounded up%s)", f.times(), RoundUp(f.Nats, 4), how)
}

// nothing reports a factor of 1: no factor is less, so that a bound of 1 is exact.
func (f *Figure) nothing() bool { return f.Factor == "1" }

// tells is what an output tells, as a clause.
func (f *Figure) tells() string {
	if f.nothing() {
		return "the output tells nothing"
	}
	return "at most " + f.leaks()
}

func (f *Figure) bound() string {
	if f.Exact {
		return ""
	}
	return "; a bound, the exact figure is not known"
}

// times is the factor, rounded up.
func (f *Figure) times() string {
	if f.Factor == "" {
		return RoundUp(f.Times, 4)
	}
	return Times(f.Factor, f.Nats)
}

// sees says what the observer sees, as a clause.
func (v Value) sees() string {
	switch v.Observer {
	case KnowsStratum:
		return "knows " + Brisk(v.Given) + " of the record, sees its published cell"
	case MissesStratum:
		return "sees one published cell, and not " + Brisk(v.Given)
	case SeesCells:
		return "sees the published cells of all private columns of a record"
	}
	return "sees one published cell"
}

// whom says which stratum the observer knows, and what else, as a clause.
func (v Value) whom() string {
	switch v.Observer {
	case KnowsStratum:
		return "knows " + Brisk(v.Given) + " of the record and " + v.believes()
	case MissesStratum:
		return "does not know " + Brisk(v.Given) + " of the record and " + v.believes()
	}
	return v.believes()
}

// believes says what the observer knows before, as a clause.
func (v Value) believes() string {
	switch v.Relative {
	case Declared:
		return "expects each value as often as the declared prior" + clause(v.Note) + " says"
	case Smoothed:
		if v.Records == WholeData {
			return "expects each value as often as in the data that the plan was made from, with " + v.Note +
				" records added for every value"
		}
		switch v.Observer {
		case KnowsStratum:
			return "expects each value as often as among the records that share it, with " + v.Note +
				" records added for every value"
		case MissesStratum:
			return "expects each value as often as in this file with " + v.Note + " records added for every value in every " +
				"group of " + Brisk(v.Given)
		}
		return "expects each value as often as in this file with " + v.Note + " records added for every value"
	case PlanData:
		return "expects each value as often as in the data that the plan was made from"
	case OwnStratum:
		if v.Records == Valued {
			return "knows that the cell has a value, and how common each is among the records that share it"
		}
		return "knows how common each value is among the records that share it"
	}
	if v.Records == Valued {
		return "knows that the cell has a value, and how common each is among those of this file"
	}
	return "knows how common each value is in this file"
}

// about names the records of the claim where these are not all.
func (v Value) about() string {
	switch v.Records {
	case Valued:
		return " that has a value"
	case Drawn:
		return " that was drawn anew"
	case DrawnValued:
		return " that has a value and was drawn anew"
	case WholeData:
		return " of the data that this file is a part of"
	}
	return ""
}

// aboutAll names the same of several records.
func (v Value) aboutAll() string {
	return strings.NewReplacer(" has ", " have ", " was ", " were ").Replace(v.about())
}

// scope is a sentence about the records of the claim where these are not all.
func (v Value) scope() string {
	if about := v.about(); about != "" {
		return " It is about every record" + about + "."
	}
	return ""
}

func reason(note string) string {
	if note == "" {
		return ""
	}
	return ": " + note
}

func clause(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}
