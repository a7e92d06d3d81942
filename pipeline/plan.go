package pipeline

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// PlanSchema names the format of plan.json.
const PlanSchema = "tacet.plan/v1"

// A Plan is all that is decided before a record is touched. It holds the
// counts, so it is as confidential as they are.
type Plan struct {
	Column    string
	Null      string // what nulls are: "refuse", "letter" or "public"
	Inputs    utility.Letters
	Outputs   utility.Letters
	Prior     mechanism.Prior      // counts in the order of Inputs
	Mechanism *mechanism.Mechanism // nil where there is no letter at all
	Order     mechanism.Order
	Kind      string // of the design

	Target       string // epsilon as the user wrote it
	Epsilon      mechanism.Epsilon
	Leakage      mechanism.Leakage
	Rank         int             // the worst that can occur
	Value        float64         // the worst that can occur
	Words        string          // what Value promises: "at most 412.3 km away"
	Floor        mechanism.Floor // that shaped the support
	Pi           []int64         // weights that prove Lower at Floor; nil where the binding row alone does
	Asked        string          // "best", or the floor that was fixed
	Lower, Upper *big.Rat
	Stopped      bool    // time, not proof, ended the search
	UpperBound   float64 // of the expected utility at this floor and factor
	Expected     float64
	Gap          float64  // between UpperBound and Expected, proven by the optimum, in shares of the range of what is preferred
	Prefer       string   // "unchanged" where that share was made large instead of the utility; else ""
	Share        float64  // of records expected to stay unchanged; 0 unless preferred
	ShareBound   float64  // of Share, at this floor and factor
	NextRank     int      // the next better floor, 0 where there is none
	NextFactor   *big.Rat // least factor known for it
	next         *mechanism.Floor
	advice       *Advice

	Spec       OrderSpec
	OrderCSV   []byte // the normalised order, order.csv
	DesignHash string // hex SHA-256 of what draws depend on
	Hash       string // hex SHA-256 of the plan file
}

// OrderSpec says where the utility order came from and how to load it again.
type OrderSpec struct {
	Spec   string // as given
	Form   string
	Kind   string // what labels are read as: text, integer, date, boolean
	Load   string // spec that reads order.csv, "matrix:order.csv" where it is a table
	SHA256 string // of order.csv
	Ties   int
	Extra  int
	Unit   string
}

// Factor is e^epsilon reached.
func (p *Plan) Factor() *big.Rat {
	_, f := p.Leakage.Max()
	return f
}

// Empty reports a plan without letters: no rows, or public nulls only.
func (p *Plan) Empty() bool { return p.Mechanism == nil }

// InputLabels are the letters of the column, null last.
func (p *Plan) InputLabels() []report.Label {
	return report.Labels(p.Inputs.Label, p.Inputs.Null)
}

// OutputLabels are the letters that may be published, null last.
func (p *Plan) OutputLabels() []report.Label {
	return report.Labels(p.Outputs.Label, p.Outputs.Null)
}

// designHash is the SHA-256 of what draws depend on: the input labels, the
// output labels and the rows, in this order. A list is its length as 8 bytes
// and then its members; a label is a byte 1, its length as 8 bytes and its
// text, or a byte 0 for null; a row is its total, its number of outputs, and
// per output its place and its weight, 8 bytes each. All numbers are
// big-endian.
func (p *Plan) designHash() string {
	h := sha256.New()
	hashLabels(h, p.InputLabels())
	hashLabels(h, p.OutputLabels())
	if p.Empty() {
		hashNumbers(h, 0)
		return hex.EncodeToString(h.Sum(nil))
	}
	hashNumbers(h, uint64(p.Mechanism.Inputs()))
	for x := range p.Mechanism.Inputs() {
		r := p.Mechanism.Row(x)
		hashNumbers(h, uint64(r.Total), uint64(len(r.Output)))
		for i, y := range r.Output {
			hashNumbers(h, uint64(y), uint64(r.At(i)))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashLabels(h hash.Hash, labels []report.Label) {
	hashNumbers(h, uint64(len(labels)))
	for _, l := range labels {
		if l.Null {
			h.Write([]byte{0})
			continue
		}
		h.Write([]byte{1})
		hashNumbers(h, uint64(len(l.Text)))
		h.Write([]byte(l.Text))
	}
}

func hashNumbers(h hash.Hash, n ...uint64) {
	var b [8]byte
	for _, v := range n {
		binary.BigEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
}
