package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// A planFile is plan.json as docs/files.md describes it.
type planFile struct {
	Schema  string        `json:"schema"`
	Column  string        `json:"column"`
	Null    string        `json:"null"`
	Inputs  []cells.Label `json:"inputs"`
	Outputs []cells.Label `json:"outputs"`
	Counts  []string      `json:"counts"`
	Epsilon epsilonClaim  `json:"epsilon"`
	Floor   struct {
		Rank       int     `json:"rank"`
		Value      float64 `json:"value"`
		By         string  `json:"by"`
		At         float64 `json:"at"`
		Words      string  `json:"in_words"`
		Asked      string  `json:"asked"`
		NextRank   int     `json:"next_rank"`
		NextFactor string  `json:"next_factor"`
	} `json:"floor"`
	Mechanism struct {
		Kind    string    `json:"kind"`
		Stopped bool      `json:"stopped"`
		Rows    []planRow `json:"rows"`
	} `json:"mechanism"`
	Certificate struct {
		Lower string   `json:"lower_factor"`
		Upper string   `json:"upper_factor"`
		Pi    []string `json:"pi"`
	} `json:"certificate"`
	Utility struct {
		Expected   float64 `json:"expected"`
		UpperBound float64 `json:"upper_bound"`
		Gap        float64 `json:"gap"`
		Prefer     string  `json:"prefer"`
		Share      float64 `json:"unchanged"`
		ShareBound float64 `json:"unchanged_upper_bound"`
	} `json:"utility"`
	Order struct {
		Spec   string `json:"spec"`
		Form   string `json:"form"`
		Kind   string `json:"kind"`
		Load   string `json:"load"`
		SHA256 string `json:"sha256"`
		Ties   int    `json:"ties"`
		Extra  int    `json:"extra"`
		Unit   string `json:"unit"`
	} `json:"order"`
	Prior      *planPrior      `json:"prior"`
	Other      *planOther      `json:"other"`
	Population *planPopulation `json:"population"`
	Headroom   *planHeadroom   `json:"headroom"`
	Strata     *planStrata     `json:"strata"`
	Design     string          `json:"design_sha256"`
	Plan       string          `json:"plan_sha256"`
}

func (*planFile) format() string { return "tacet.plan/v1" }

// A planRow is the law of one input letter.
type planRow struct {
	Input   cells.Label `json:"input"`
	Total   string      `json:"total"`
	Outputs []planCell  `json:"outputs"`
}

// A planCell is written [label, weight].
type planCell struct {
	Label  cells.Label
	Weight string
}

// UnmarshalJSON takes the pair apart by hand where the label needs no
// decoding: a plan may hold a million.
func (c *planCell) UnmarshalJSON(data []byte) error {
	at := bytes.LastIndexByte(data, ',')
	if at < 1 || data[0] != '[' {
		return errors.New("no pair")
	}
	label, weight := bytes.TrimSpace(data[1:at]), bytes.TrimSpace(data[at+1:len(data)-1])
	if n := len(weight); n < 2 || weight[0] != '"' || bytes.IndexByte(weight, '\\') >= 0 {
		return errors.New("no weight")
	}
	c.Weight = string(weight[1 : len(weight)-1])
	if n := len(label); n >= 2 && label[0] == '"' && bytes.IndexByte(label, '\\') < 0 && bytes.Count(label, []byte{'"'}) == 2 && utf8.Valid(label) {
		c.Label = cells.Label{Text: string(label[1 : n-1])}
		return nil
	}
	return json.Unmarshal(label, &c.Label)
}

// A row is the law of one input letter: outputs in ascending order, positive
// weights, and their sum.
type row struct {
	output []int32
	weight []int64
	total  int64
}

// maxTotal bounds a row's total and the number of records.
const maxTotal = int64(1) << 62

// whole reads a number as it is written: digits, no sign, no leading zero.
func whole(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil && v >= 0 && v <= maxTotal && strconv.FormatInt(v, 10) == s
}

// fraction reads "p/q", or "p" where q is 1, in lowest terms.
func fraction(s string) (*big.Rat, bool) {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && c != '/' {
			return nil, false
		}
	}
	if len(s) > 1<<18 {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(s)
	return r, ok && r.RatString() == s
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// planSum is the SHA-256 of all bytes of the file before the key plan_sha256;
// ok is false where the key is not the last thing in the file.
func planSum(data []byte, stated string) (sum string, ok bool) {
	at := max(0, bytes.LastIndex(data, []byte(`"plan_sha256"`)))
	return hexSum(data[:at]), string(data[at:]) == `"plan_sha256": "`+stated+"\"\n}\n"
}

// designSum is the SHA-256 of what draws depend on: input labels, output
// labels, rows. Lengths and numbers are 8 bytes, big-endian.
func designSum(in, out []cells.Label, rows []row) string {
	h := sha256.New()
	var b []byte
	number := func(v uint64) { b = binary.BigEndian.AppendUint64(b, v) }
	for _, labels := range [][]cells.Label{in, out} {
		number(uint64(len(labels)))
		for _, l := range labels {
			if l.Null {
				b = append(b, 0)
				continue
			}
			b = append(b, 1)
			number(uint64(len(l.Text)))
			b = append(b, l.Text...)
		}
	}
	number(uint64(len(rows)))
	for _, r := range rows {
		number(uint64(r.total))
		number(uint64(len(r.output)))
		for i, y := range r.output {
			number(uint64(y))
			number(uint64(r.weight[i]))
		}
		h.Write(b)
		b = b[:0]
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}
