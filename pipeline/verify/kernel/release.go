package kernel

import (
	"context"
	"io"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A Release is what is to be proven.
type Release struct {
	PlanData  []byte      // plan.json
	Plan      *Plan       // the same, read by ReadPlan
	OrderData []byte      // order.csv
	Weights   io.Reader   // plan.weights; nil where the plan has its rows
	Bins      *files.Bins // that the plan names; nil where it names none
	// Utility fills in a row of an order that is too large for a table; nil where it is none.
	Utility func(x int, value []float64)
	In      *File // nil for an outside reviewer
	Out     *File
	Claimed Claimed
}

// A File is an opened input or output. Who opens it names it in errors.
type File struct {
	files.File
	// Beside opens the same file again for a column beside the private one.
	Beside func(column string) (files.File, error)
	// Fault names the file in what package files says of it.
	Fault func(error) error
}

// Claimed is what neither plan nor files say. It is taken from the report: where it is
// false, a proof fails or the report that is told again is another.
type Claimed struct {
	Followed bool      // the plan was made before, and followed
	Counts   [][]int64 // records of this file by group and letter, where they are not the plan's
	Part     bool      // the file is called a part of the data that the plan was made from
	Columns  []Column  // of the input, in their order
	Keep     []string  // keys of metadata that were to be kept
	ByPerson bool      // rows of one person share draws
	Held     int64     // rows that show something earlier, or nothing
	Hidden   int64     // of these, rows that have a value and show none
	Shown    int64     // of these, rows that have no value and show one
}

// A Column of the input, and what became of it.
type Column struct{ Name, Fate string }

// The fates of columns.
const (
	Private   = "privatized"
	Published = "published in clear"
	Dropped   = "dropped"
)

// Facts are what was proven; what could not be is nil.
type Facts struct {
	Order  *files.Order // nil where order.csv is not a table of utilities
	Allow  *Support     // what the floor leaves
	Groups []Group      // of the records, one where no column is given; nil where rows are not known

	Rank  int     // the worst that any row can give
	Value float64 // and its utility

	Made Told // under the plan's prior, as it was made
	Now  Told // under the prior that the records of this file make of it
	Own  Told // relative to the records of this file themselves
	Part Told // relative to those of the input, where that is called a part of the plan's data

	Records []int64    // of this file, by letter
	Shift   *big.Rat   // of all records
	Shifts  []*big.Rat // of each group

	Tally     *Tally   // of input and output, or of the output alone
	Null, Not *big.Rat // what a null tells, and a value, where nulls are public
}

// A Group is records that are drawn by one mechanism.
type Group struct {
	Rows    []Row
	Prior   []int64 // counts that the plan's promise is relative to
	Records []int64 // that these were made of: the same but for a declared or smoothed prior
	Now     []int64 // the prior that records of this file make
	Here    []int64 // records of this file: the plan's, or those that were claimed
	Written []int64 // records of the input, by letter; nil without
}

// Told is the largest e^l(y) under some counts, 1 where nothing is produced.
type Told struct {
	Groups []*big.Rat // of each group, for whoever knows it
	Given  *big.Rat   // the largest of Groups
	All    *big.Rat   // for whoever does not know the group
	Most   *big.Rat   // the larger of those that epsilon is kept for
}

// Figures are the exact figures of a report that were proven, by the place where it states
// them, if it does.
func (f *Facts) Figures() map[string]string {
	figures := map[string]string{}
	for path, q := range map[string]*big.Rat{"epsilon.factor": f.Now.Most, "strata.overall_factor": f.Now.All,
		"strata.given_factor": f.Now.Given, "prior.own_factor": f.Own.Most, "prior.part.factor": f.Part.Most,
		"shares.shift": f.Shift, "nulls.null_factor": f.Null, "nulls.value_factor": f.Not} {
		if q != nil && f.Groups != nil {
			figures[path] = q.RatString()
		}
	}
	return figures
}

// Prove makes every proof that the files allow. It fails with *Error where a file cannot be
// read or does not belong to the others. A plan whose parts do not fit is not followed further.
func Prove(ctx context.Context, r *Release) (facts *Facts, result *Result, err error) {
	p := &proof{Release: r, Facts: &Facts{}, Result: &Result{}}
	defer func() {
		if recover() != nil {
			p.Add("factors", false, "the parts of the plan do not fit together")
		}
	}()
	facts, result = p.Facts, p.Result
	return facts, result, p.run(ctx)
}

// A proof is a release with what is known of it so far.
type proof struct {
	*Release
	*Facts
	*Result
	// the utilities of an input, filled in where there is no table; nil where the order is not known
	row func(x int, into []float64) []float64
}

// run makes one proof after another.
func (p *proof) run(ctx context.Context) error {
	prior, records, usable := p.plan()
	if usable {
		p.otherCounts(prior)
	}
	p.floor()
	p.factors()
	p.target()
	if usable {
		p.certificate(prior, records)
	}
	p.shares()
	p.maxShift()
	if usable {
		if err := p.count(ctx); err != nil {
			return err
		}
	}
	p.written()
	return ctx.Err()
}

// plan reads what the plan says of letters, counts, rows and groups, as far as it fits together.
func (p *proof) plan() (prior, records []int64, usable bool) {
	p.hashes()
	usable = p.letters()
	prior, records, ok := p.counts()
	if usable = usable && ok; usable {
		p.Records = records
		p.utilities()
		if laws, ok := p.laws(); ok && !p.Plan.Empty() {
			p.groups(laws, prior, records)
		}
	}
	return prior, records, usable
}

// written makes the proofs that take the records.
func (p *proof) written() {
	if p.Tally == nil {
		for _, name := range []string{"counts", "alphabet", "forbidden cells", "fit"} {
			p.Skip(name, "the records could not be counted")
		}
		return
	}
	for i := range p.Groups {
		if len(p.Tally.In) == len(p.Groups) {
			p.Groups[i].Written = p.Tally.In[i]
		}
	}
	p.inputCounts()
	p.alphabet()
	p.forbidden()
	p.nulls()
	p.fit()
	if p.Claimed.Part && len(p.Groups) > 0 && p.Groups[0].Written != nil {
		p.Part = p.tell(writtenOf)
	}
}
