package judge

import "github.com/tacet-privacy/tacet/mechanism"

// A stratum is not judged below Small records, or where more than Unseen of
// its records hold a letter that comes up once in it: about that share of what
// the stratum may hold was never seen [Good 1953], and its frequencies say more
// of the sample than of the column.
const (
	Small  = 20
	Unseen = .1
)

// Figures are what the strata of a column tell of the letters. Shares are of
// the judged records, guesses the chance that the best guess of a letter is
// right.
type Figures struct {
	Records      int64 // judged
	Strata       int   // judged
	SmallStrata  int   // too small to be judged
	SmallRecords int64 // in these

	Alone float64 // l(X->w), nats
	Given float64 // the largest l(X->y|w), nats
	Total float64 // l(X->(w,y)), nats
	Worst Worst   // where Given is reached
	Joint Worst   // where Total is reached

	GuessNone    float64 // knowing neither
	GuessAlone   float64 // knowing w
	GuessDrawn   float64 // knowing y
	GuessBoth    float64 // knowing w and y
	CertainAlone float64 // share of records whose letter w alone tells
	CertainDrawn float64 // whose letter y alone tells
	CertainBoth  float64 // whose letter w and y tell

	Entropy float64 // of the letters, nats
	Removed float64 // share of it that w removes, I(X;W)/H(X), corrected for the size of the sample
}

// Worst is an observation and the guess that it makes likelier the most. Its
// members are -1 where there is none.
type Worst struct {
	Stratum int   // w
	Output  int32 // y
	Letter  int32 // the guess
	Prior   float64
	After   float64 // its chance once seen; Factor is After over Prior
	Factor  float64
}

// Measure computes the figures for records of these letters, each redrawn by
// its own of m, one mechanism for each of the table's. What is drawn tells
// nothing of which mechanism it was that the stratum does not: the law of an
// output is the mean over the records. It takes a step for every output of
// every cell.
func (t *Table) Measure(m ...*mechanism.Mechanism) Figures {
	f := Figures{Worst: none, Joint: none}
	judged := t.strata()
	f.SmallStrata, f.SmallRecords = t.judged.small, t.judged.records
	f.Strata = len(judged)
	g := newGathering(m, judged)
	f.Records = g.n
	if g.n == 0 {
		return f
	}
	for i := range judged {
		g.stratum(&f, &judged[i])
	}
	g.finish(&f, judged)
	return f
}

// Work is how many steps Measure takes.
func (t *Table) Work(m ...*mechanism.Mechanism) (n int) {
	for _, s := range t.strata() {
		for i, x := range s.letter {
			if s.from == nil {
				n += len(m[0].Row(int(x)).Output)
				continue
			}
			law, _ := s.laws(i)
			for _, k := range law {
				n += len(m[k].Row(int(x)).Output)
			}
		}
	}
	return n
}

var none = Worst{Stratum: -1, Output: -1, Letter: -1}
