package claim

import (
	"fmt"
	"strings"
)

// notComputed is said where a claim has no figure.
const notComputed = "not computed"

// Leakage is the promise itself.
func (v Value) Leakage() string {
	if v.Figure == nil {
		return "There was nothing to privatize."
	}
	return fmt.Sprintf("Seeing the published %s makes any guess about the true one at most %s times as likely to be "+
		"right (epsilon %s). This holds for someone who %s and %s.%s",
		Brisk(Quoted(v.Column)), v.Figure.times(), v.Asked, v.sees(), v.believes(), v.scope()+v.apart())
}

// Unaware is the promise to whoever does not know the stratum.
func (v Value) Unaware() string {
	if v.Figure == nil {
		return fmt.Sprintf("Nothing is promised to someone who does not know %s of the record.", Brisk(v.Given))
	}
	return fmt.Sprintf("For someone who does not know %s of the record, and %s: at most %s times as likely, too.",
		Brisk(v.Given), v.believes(), v.Figure.times())
}

// apart names the strata that the promise does not tell apart.
func (v Value) apart() string {
	if v.Observer != KnowsStratum || len(v.Names) == 0 {
		return ""
	}
	return fmt.Sprintf(" It does not hold for someone who knows which of the %s a record is in.", v.Names[0])
}

// Reached is what the mechanism keeps.
func (v Value) Reached() string {
	if v.Figure == nil {
		return notComputed + clause(v.Note) + "."
	}
	whom := "knows " + Brisk(v.Given) + " of the record"
	if v.Relative != OwnStratum {
		whom = v.whom()
	}
	switch {
	case v.Observer == KnowsStratum && v.Figure.nothing():
		return fmt.Sprintf("For someone who %s: the output tells nothing.%s", whom, v.apart())
	case v.Observer == KnowsStratum:
		return fmt.Sprintf("For someone who %s: at most %s.%s", whom, v.Figure.leaks(), v.apart())
	case v.Figure.nothing():
		return fmt.Sprintf("The output tells nothing about the input%s.%s", reason(v.Note), v.scope())
	}
	return fmt.Sprintf("At most %s.%s", v.Figure.leaks(), v.scope())
}

// ThisFile says whether the promise is relative to the histogram of the file,
// too, where it is relative to another prior.
func (v Value) ThisFile() string {
	whom := "someone who " + v.whom()
	if v.Figure == nil {
		return "Nothing is promised for " + whom + ": whoever made the release gave that up."
	}
	return fmt.Sprintf("The same is promised for %s: at most %s times as likely.%s", whom, v.Figure.times(),
		v.scope()+v.apart())
}

// Own is the leakage relative to the histogram of the file, where the promise
// is relative to another prior.
func (v Value) Own() string {
	return fmt.Sprintf("For someone who %s: %s.%s", v.whom(), v.Figure.tells(), v.scope()+v.apart())
}

// OverallOwn is the leakage relative to the records for whoever does not know the
// stratum, where the promise is relative to another prior.
func (v Value) OverallOwn() string {
	s := fmt.Sprintf("For someone who %s: %s.", v.whom(), v.Figure.tells())
	if v.Standing == Told {
		s += " That is not promised."
	}
	return s
}

// Overall is the leakage for whoever does not know the stratum.
func (v Value) Overall() string {
	s := fmt.Sprintf("For someone who does not know %s of the record: ", Brisk(v.Given))
	if v.Relative == Declared || v.Relative == Smoothed {
		s = "For someone who " + v.whom() + ": "
	}
	if s += v.Figure.tells() + "."; v.Standing == Told {
		s += " That is not promised."
	}
	return s
}

// Together is what stratum and output tell someone who knew neither.
func (v Value) Together() string {
	told := "both tell nothing"
	if !v.Figure.nothing() {
		told = "at most " + v.Figure.leaks()
	}
	return fmt.Sprintf("Someone who sees %s of a record and its published cell, and knew neither: %s. That is not "+
		"promised.", Brisk(v.Given), told)
}

// StratumAlone is what the stratum tells without the output.
func (v Value) StratumAlone() string {
	if v.Figure.nothing() {
		return fmt.Sprintf("Of that, %s alone tells nothing.", Brisk(v.Given))
	}
	return fmt.Sprintf("Of that, %s alone tells at most %s. No design lowers that. It is for someone who knows "+
		"this file's counts by heart; what held-out rows show is for someone who learnt them from other rows, and is less.",
		Brisk(v.Given), v.Figure.leaks())
}

// Population is what holds of the law that the records were drawn from. Asked
// is the chance over the sample that it does not.
func (v Value) Population() string {
	whom := "someone who knows the distribution that the records were drawn from"
	if v.Given != "" {
		whom = "someone who knows " + Brisk(v.Given) + " of the record and the distribution of its stratum"
	}
	if v.Figure == nil {
		return fmt.Sprintf("With probability 1 - %s over the sample nothing can be said for %s: %s.", v.Asked, whom, v.Note)
	}
	return fmt.Sprintf("With probability at least 1 - %s over the sample: at most %s times as likely (epsilon %s, "+
		"rounded up), for %s; by %s.%s",
		v.Asked, v.Figure.times(), RoundUp(v.Figure.Nats, 4), whom, v.Note, v.scope())
}

// Floor is the worst replacement that can occur, as it may be told to all.
func (v Value) Floor() string {
	switch {
	case v.Figure == nil && v.Asked == "":
		return "There was nothing to replace."
	case v.Figure == nil:
		return fmt.Sprintf("No record%s was replaced by anything below the floor that was declared (%s)%s.", v.about(),
			v.Asked, v.stranger())
	}
	return v.worst()
}

// FloorReached is the worst replacement where the floor was declared.
func (v Value) FloorReached() string {
	if v.Figure == nil {
		return notComputed + clause(v.Note) + "."
	}
	return v.worst()
}

// worst names the worst replacement.
func (v Value) worst() string {
	f := v.Figure
	place := Place(f.Level, f.Rank, f.Of)
	if v.Note != "" {
		place = Brisk(v.Note) + "; " + place
	}
	if f.Level != nil && f.Level.At == 0 {
		return fmt.Sprintf("A record%s may be published as any value (%s)%s.", v.about(), place, v.stranger())
	}
	if f.Level != nil {
		return fmt.Sprintf("Every record%s is published as a value of its group (%s)%s.", v.about(), place, v.stranger())
	}
	return fmt.Sprintf("Every record%s is published as one of its %d nearest values (%s, 1 is the worst)%s.", v.about(),
		f.Of-f.Rank+1, place, v.stranger())
}

// stranger is a clause on values that the order has no row for, where rare
// values are drawn as if they were Given.
func (v Value) stranger() string {
	if v.Given == "" {
		return ""
	}
	return fmt.Sprintf(", where a value that the order has no row for counts as %s", Brisk(Quoted(v.Given)))
}

// Joint is the promise for all private columns together.
func (v Value) Joint() string {
	if v.Figure == nil {
		return fmt.Sprintf("No limit was asked for what the %d private columns tell together.", len(v.Names))
	}
	return fmt.Sprintf("Seeing all %d private columns of one record makes any guess about their true values at most %s "+
		"times as likely to be right (epsilon %s). This holds for someone who knows how common each combination is in this "+
		"file%s.",
		len(v.Names), v.Figure.times(), v.Asked, v.sameNulls())
}

// JointReached is what all private columns tell together.
func (v Value) JointReached() string {
	return fmt.Sprintf("All %d private columns of one record together: %s%s.", len(v.Names), v.Figure.tells(),
		v.forNulls())
}

// JointPresence is what all cells of a record tell with which of them are null.
func (v Value) JointPresence() string {
	given := ""
	if v.Given != "" {
		given = fmt.Sprintf("knows the group of %s and ", Brisk(v.Given))
	}
	return fmt.Sprintf("All %d private columns of one record together, for someone who %sdoes not know before which of "+
		"its cells are null: %s.", len(v.Names), given, v.Figure.tells())
}

// JointUnaware is what all cells of a record tell whoever does not know its group.
func (v Value) JointUnaware() string {
	return fmt.Sprintf("All %d private columns of one record together, for someone who does not know before which group "+
		"of %s the record is in, with or without the group: %s. That is not promised.", len(v.Names), Brisk(v.Given),
		v.Figure.tells())
}

// sameNulls is a clause where nulls stay, or records are in groups.
func (v Value) sameNulls() string {
	var in []string
	if v.Given != "" {
		in = append(in, "in the same group of "+Brisk(v.Given))
	}
	if v.Records == Valued {
		in = append(in, "null in the same columns")
	}
	if in == nil {
		return ""
	}
	return " among the records that are " + strings.Join(in, " and ") + ", and which these are"
}

// forNulls names the observer of joint leakage where nulls stay, or records are in groups.
func (v Value) forNulls() string {
	if v.sameNulls() == "" {
		return ""
	}
	return ", for someone who knows how common each combination is" + v.sameNulls()
}

// Presence is how nulls that stay are meant.
func (Value) Presence() string {
	return "Nulls stay as they are, and reveal themselves, as a value reveals that it is there. What is promised is " +
		"promised to those who know whether the record has a value, of the records that have one; shares are of these."
}

// OfNull is what a null tells.
func (v Value) OfNull() string {
	switch {
	case v.Figure == nil:
		return "What a null tells by being there: " + notComputed + clause(v.Note) + "."
	case v.Figure.nothing():
		return "A null tells nothing by being there, to someone who knows how common nulls are: every cell is null."
	}
	return fmt.Sprintf("For someone who knows how common nulls are: that the cell is null becomes at most %s.",
		v.Figure.leaks())
}

// OfValue is what a value tells by being there.
func (v Value) OfValue() string {
	switch {
	case v.Figure == nil:
		return "What a value tells by being there: " + notComputed + clause(v.Note) + "."
	case v.Figure.nothing():
		return "A value tells nothing by being there, to someone who knows how common nulls are: no cell is null."
	}
	return fmt.Sprintf("For someone who knows how common nulls are: that the cell has a value becomes at most %s; what "+
		"the output tells of the value multiplies that.", v.Figure.leaks())
}

// Merged is how values of few records are treated. Given is the value as which
// they are, Asked the number of records; Note says how they are judged.
func (v Value) Merged() string {
	return fmt.Sprintf("Values of fewer than %s records, and values that the plan does not have, are drawn as if they "+
		"were %s. Floor and utility are by their own rows of the order, where the plan's order has them. Which values are "+
		"rare was chosen from the data.",
		v.Asked, Brisk(Quoted(v.Given)))
}

// Shift is the limit of what shares of published values may be off by, as it was
// asked for. Given is the column of strata, "" for none.
func (v Value) Shift() string {
	if v.Standing == Nothing {
		return fmt.Sprintf("The design keeps shares of published values within %s of all records where every record is "+
			"drawn anew. Nothing is promised of shares where rows show earlier draws.", v.Asked)
	}
	where := ""
	if v.Given != "" {
		where = ", in every group of " + Brisk(v.Given)
	}
	among := strings.Replace(v.aboutAll(), " that have a value", " that have one", 1)
	if among != "" {
		among = " among the cells" + among
	}
	return fmt.Sprintf("The published share of any group of values%s is within %s of the truth%s, plus chance. Counts "+
		"are meant to be read off; epsilon does not hide them.", among, Points(v.Asked), where)
}

// ValuesKept says that every value is published, and how often at least.
func (v Value) ValuesKept() string {
	among := strings.Replace(v.aboutAll(), " that have a value", " that have one", 1)
	return fmt.Sprintf("Among the published cells%s, every value that occurs has at least half of its true share, before "+
		"chance in the draws.", among)
}

// Unchanged says that nothing kept the data from being published as they are.
func (Value) Unchanged() string {
	return "It was allowed to publish the values as they are, up to their names: a published value " +
		"may tell the true one for certain."
}

// UnchangedReached says that they were.
func (Value) UnchangedReached() string {
	return "The output is the input, up to the names of values: every published value can come from one value only."
}

// Confirmed is the share of records that an output confirms.
func (v Value) Confirmed() string {
	switch {
	case v.Figure == nil:
		return notComputed + reason(v.Note) + "."
	case v.Figure.Share == 0:
		return fmt.Sprintf("No record%s: every output that occurs can come from several values.", v.about())
	}
	return fmt.Sprintf("At most %s of the records%s are expected to be published as an output that no other value "+
		"gives, which confirms theirs.", InHundred(v.Figure.Share), v.aboutAll())
}

// Neighbours is what the columns published beside the private one add. Asked is
// what of them is open.
func (v Value) Neighbours() string {
	open := "."
	if v.Asked != "" {
		open = "; " + v.Asked + "."
	}
	switch {
	case v.Figure != nil:
		return fmt.Sprintf("Seeing %s of a record, and nothing else, makes some guess at least %s times as likely to be "+
			"right (held-out rows). The promise is about the cell; a column left in clear can say more%s%s", Brisk(v.Given),
			TimesDown(v.Figure.Least), v.Note, open)
	case v.Note != "":
		return v.Note + open
	}
	return fmt.Sprintf("What the other published columns reveal: %s%s", notComputed, open)
}

// Limits is what is expressly not promised.
func (v Value) Limits() string {
	return fmt.Sprintf("The promise is about one published cell. It does not cover %s, or several rows of one person "+
		"(rows per person: %s).",
		strings.Join(v.Names, ", "), Brisk(v.Note))
}

// Chosen lists the figures that were chosen from the data.
func (v Value) Chosen() string {
	const also = "Choices that were made after a look at the data, such as at a frontier, depend on the data, too."
	if len(v.Names) == 0 {
		return "No figure of this report. " + also
	}
	return strings.Join(v.Names, ", ") + ". " + also
}
