package kernel

import (
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A Redraw makes every draw of a release again, by key and ids.
type Redraw struct {
	*Nights               // without Each where no history tells what is held
	Secret, Naming []byte // of the key: draws and names of records
	Unit           string // whose ids draw: "record" or "person"
	Record         []string
	Person         string // column; "" where ids are of records
	Population     string
	// Find appends the entries of a record to dst, none where it is not known.
	Find func(name [16]byte, dst []Entry) []Entry

	Held  Held
	Rows  int64
	Again *Tally // the draws: of a person and letter one counts
	Shown *Tally // rows that are held and have a value, by what they show

	draws  []cmac // by mechanism
	strata *Side  // nil where all records are of one group
	names  cmac
	from   []*File         // columns of ids: those that name records, and that of persons
	person map[string]bool // persons and letters whose draw was counted
	list   []Entry
	id     []byte

	other, unknown int64
}

// Check holds every row to what plan, key, id and history give, and gives the faults; why says
// why that cannot be.
func (r *Redraw) Check(ctx context.Context) (w Faults, why string, err error) {
	from, err := r.Plan.letters(r.In.Type())
	to, other := files.NewLetters(r.Out.Type(), placesOf(r.Plan.Outputs), files.Stranger)
	if why := r.start(); why != "" || err != nil || other != nil {
		return nil, cmp.Or(why, "the files hold none of the plan's values"), nil
	}
	for u := range r.Out.Units() {
		texts := make([][]string, len(r.from))
		sides := []Side{{Of: r.In, By: from}, {Of: r.Out, By: to}}
		for i, f := range r.from {
			sides = append(sides, Side{Of: f, By: files.NewTexts(f.Type(), &texts[i])})
		}
		if r.strata != nil {
			sides = append(sides, *r.strata)
		}
		err := abreast(ctx, u, sides, func(values [][]int32) error {
			for i := range values[0] {
				r.row(values, texts, i)
			}
			return nil
		})
		if err != nil {
			return nil, "", err
		}
	}
	if r.unknown > 0 {
		w.Addf("%d of %d rows are of records that the history does not have, or have no id or stratum", r.unknown, r.Rows)
	}
	if r.other > 0 {
		w.Addf("%d of %d rows do not hold what key, plan, id and history give", r.other, r.Rows)
	}
	return w, "", nil
}

// start opens the columns of ids.
func (r *Redraw) start() (why string) {
	const unnamed = "the options do not name the columns of ids"
	ids := slices.Clone(r.Record)
	if r.Person != "" {
		ids, r.person = append(ids, r.Person), map[string]bool{}
	}
	if len(ids) == 0 || (r.Unit == "person") != (r.Person != "") {
		return unnamed
	}
	for _, c := range ids {
		f, err := r.In.Beside(c)
		if err != nil {
			return "ids in a column of this type are not read again"
		}
		r.from = append(r.from, &File{File: f, Fault: r.In.Fault})
	}
	design, err := hex.DecodeString(r.Plan.Design)
	if err != nil {
		return "the design hash is none"
	}
	if len(r.Groups) > 1 {
		if r.strata, why = r.Plan.groupsIn(r.In); why != "" {
			return why
		}
	}
	for law := range r.Plan.Laws {
		of := string(design)
		if len(r.Plan.Laws) > 1 {
			own := sha256.Sum256(binary.BigEndian.AppendUint64(slices.Clone(design), uint64(law)))
			of = string(own[:])
		}
		r.draws = append(r.draws, newCMAC(r.Secret, "tacet/v1 memoised draw", r.Unit, of, r.Plan.Column))
	}
	r.names = newCMAC(r.Naming, "tacet/v1 record name", "record", r.Population, r.Plan.Column)
	r.Again = NewTally(len(r.Groups), len(r.Plan.Inputs), len(r.Plan.Outputs))
	r.Shown = NewTally(1, len(r.Plan.Inputs), len(r.Plan.Outputs))
	return ""
}

// row makes one draw again.
func (r *Redraw) row(values [][]int32, texts [][]string, i int) {
	x, y := values[0][i], values[1][i]
	series := r.Nights.Each != nil
	if x >= 0 && int(x) >= len(r.Groups[0].Rows) || x < 0 && (x != files.Null || !series) {
		return // strangers are told elsewhere; without a history a null that stays is no draw
	}
	r.Rows++
	g := int32(0)
	if r.strata != nil {
		g = values[2+len(r.from)][i]
	}
	encode := func(from, to int) bool {
		r.id = r.id[:0]
		for c := from; c < to; c++ {
			at := values[2+c][i]
			if at < 0 {
				return false
			}
			r.id = idPart(r.id, texts[c][at])
		}
		return true
	}
	drawn, first := int32(-1), 0
	if r.person != nil {
		first = len(r.Record)
	}
	if x >= 0 {
		if g < 0 || !encode(first, len(r.from)) {
			r.unknown++
			return
		}
		drawn = r.draws[r.Plan.Groups[g].Law].draw(r.id, x, r.Groups[g].Rows[x])
		once := true
		if r.person != nil {
			key := fmt.Sprintf("%d %s", x, r.id)
			once, r.person[key] = !r.person[key], true
		}
		if once {
			r.Again.Add(int(g), x, drawn, func(int32) bool { return false })
		}
	}
	switch {
	case !series:
		if drawn != y {
			r.other++
		}
	case !encode(0, len(r.Record)):
		r.unknown++
	default:
		r.list = r.Find(r.names.sum(r.id), r.list[:0])
		r.held(x, y, drawn)
	}
}

// held holds a row to what the history has of its record: the draw, or without a value a null,
// where it lets that be published. A row without a value that is held shows what it showed.
func (r *Redraw) held(x, y, drawn int32) {
	v := r.ruling(r.list)
	if v == nil || v.tonight == nil {
		r.unknown++
		return
	}
	own, written, absent := r.Plan.output(drawn), r.Plan.output(y), x < 0
	want := own
	if v.keeps && (r.Hold || !absent) {
		want = v.shows
	}
	if written != want || written != r.of(*v.tonight) || y == files.Stranger {
		r.other++
	}
	if absent {
		own = nothing
	}
	if r.take(&r.Held, v, own, absent) && !absent && y >= 0 {
		r.Shown.Pair(0, x, y, 1)
	}
}

// output is the label of an output, null for none.
func (p *Plan) output(y int32) files.Label {
	if y < 0 {
		return files.Label{Null: true}
	}
	return p.Outputs[y]
}

// draw is the output of letter x with row r, for an encoded id, as docs/draws.md has it.
func (c *cmac) draw(id []byte, x int32, r Row) int32 {
	total := uint64(r.Total)
	least := -total % total // 2^64 mod D
	for n := 0; ; n++ {
		m := binary.BigEndian.AppendUint16(c.buffer[:0], uint16(n))
		m = append(binary.BigEndian.AppendUint16(m, uint16(x)), id...)
		c.buffer = m
		sum := c.sum(m)
		high, low := bits.Mul64(binary.BigEndian.Uint64(sum[:]), total)
		if low < least {
			continue
		}
		for i, w := range r.Weight {
			if high < uint64(w) {
				return r.Output[i]
			}
			high -= uint64(w)
		}
	}
}

// idPart appends one part of an id.
func idPart(id []byte, text string) []byte {
	if len(text) < 255 {
		id = append(id, byte(len(text)))
	} else {
		id = binary.BigEndian.AppendUint32(append(id, 255), uint32(len(text)))
	}
	return append(id, text...)
}

// A cmac is AES-128-CMAC [RFC 4493].
type cmac struct {
	block  cipher.Block
	k1, k2 [16]byte
	buffer []byte
}

// newCMAC takes its key from another by HMAC-SHA-256 of parts, each behind its length in 8 bytes.
func newCMAC(key []byte, parts ...string) (c cmac) {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(p))), p...))
	}
	c.block, _ = aes.NewCipher(h.Sum(nil)[:16]) // fails for other lengths only
	var zero [16]byte
	c.block.Encrypt(zero[:], zero[:])
	c.k1 = doubled(zero)
	c.k2 = doubled(c.k1)
	return c
}

// doubled multiplies by x in GF(2^128).
func doubled(b [16]byte) (d [16]byte) {
	high, low := binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])
	binary.BigEndian.PutUint64(d[:], high<<1|low>>63)
	binary.BigEndian.PutUint64(d[8:], low<<1^high>>63*0x87)
	return d
}

// sum spends m.
func (c *cmac) sum(m []byte) (t [16]byte) {
	last := &c.k1
	if len(m) == 0 || len(m)%16 > 0 {
		last = &c.k2
		m = append(m, 0x80)
		m = append(m, make([]byte, -len(m)&15)...)
	}
	subtle.XORBytes(m[len(m)-16:], m[len(m)-16:], last[:])
	for ; len(m) > 0; m = m[16:] {
		subtle.XORBytes(t[:], t[:], m[:16])
		c.block.Encrypt(t[:], t[:])
	}
	return t
}
