package utility

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// line is an order by the difference of integer places, exact before it is
// divided by scale and rounded once.
type line struct {
	in, out []uint64
	around  uint64  // length of a circle, 0 for a line
	scale   float64 // positive
	// worth are the values by the place of the output minus that of the input,
	// from -most on; nil where places are far apart. Most lists have their
	// outputs one after another, so that a row is a part of it: without, a design
	// for 3,000 numbers takes twice as long.
	worth []float64
	most  uint64
	dense bool
	along []uint16 // the outputs in the order of their places
}

func newLine(in, out []uint64, around uint64, scale float64) *line {
	o := &line{in: in, out: out, around: around, scale: scale, dense: true}
	all := slices.Concat(in, out)
	if len(all) == 0 {
		return o
	}
	for y := range out {
		o.along = append(o.along, uint16(y))
	}
	slices.SortStableFunc(o.along, func(y, z uint16) int { return cmp.Compare(out[y], out[z]) })
	for y, q := range out {
		o.dense = o.dense && q == out[0]+uint64(y)
	}
	if o.most = slices.Max(all) - slices.Min(all); o.most < uint64(4*len(out)+64) {
		for d := range 2*o.most + 1 {
			o.worth = append(o.worth, o.value(o.most, d))
		}
	}
	return o
}

func (o *line) value(p, q uint64) float64 {
	d := max(p, q) - min(p, q)
	if o.around > 0 {
		d = min(d, o.around-d)
	}
	return 0 - float64(d)/o.scale
}

func (o *line) Inputs() int { return len(o.in) }

func (o *line) Outputs() int { return len(o.out) }

func (o *line) Row(x int, rank []uint16, value []float64) {
	p := o.in[x]
	fill(len(o.out), rank, value, func(value []float64) {
		switch {
		case o.worth == nil:
			for y, q := range o.out {
				value[y] = o.value(p, q)
			}
		case o.dense:
			copy(value, o.worth[o.out[0]-p+o.most:])
		default:
			for y, q := range o.out {
				value[y] = o.worth[q-p+o.most]
			}
		}
	})
}

// InBins is the order of bins one after another.
const InBins = "ordered"

// buildOrdered reads ordered:A,B,C or ordered:@FILE, one label a line; without them the
// bins are in their own order.
func buildOrdered(b *builder, arg string) *draft { return b.list(arg, false) }

// buildCircular reads the same, and the last letter is beside the first.
func buildCircular(b *builder, arg string) *draft { return b.list(arg, true) }

// list makes the order of a list. A letter's place counts the letters that
// the data lack: January and March are two apart without February.
func (b *builder) list(arg string, circular bool) *draft {
	var known map[letter]int
	if arg == "" && b.in.Place != nil {
		known = b.bins()
	} else {
		known = b.places(b.items(arg))
	}
	c := b.assign(known, nil)
	c.outputs = slices.Clone(c.outputs)
	slices.SortStableFunc(c.outputs, func(p, q letter) int {
		return cmp.Or(btoi(p.null)-btoi(q.null), known[p]-known[q])
	})
	steps := func(ls []letter) []uint64 {
		var out []uint64
		for _, l := range ls {
			out = append(out, shift(int64(known[l])))
		}
		return out
	}
	around, basis := uint64(0), "minus the difference in place"
	if circular {
		around, basis = uint64(len(known)), fmt.Sprintf("minus the difference in place on a circle of %d", len(known))
	}
	return &draft{cast: c, order: newLine(steps(c.rows), steps(c.outputs), around, 1), unit: "places", basis: basis}
}

// bins are the places of labels that name a bin.
func (b *builder) bins() map[letter]int {
	known := map[letter]int{}
	for _, label := range slices.Concat(b.in.Letters.Label, b.in.Outputs) {
		if at, ok := b.in.Place(label); ok {
			known[letter{label: label}] = int(at)
		}
	}
	return known
}

// items reads the labels of a list and where they stand.
func (b *builder) items(arg string) (s *sheet, items list) {
	path, isFile := strings.CutPrefix(arg, "@")
	if !isFile {
		if end := filepath.Ext(arg); end == ".txt" || end == ".csv" || end == ".order" {
			fail(errorf("did you mean "+b.form+":@"+oneLine(arg)+"? @ says that the list is in a file",
				"%s: the list ends as the name of a file does", b.form))
		}
		s = newSheet(b.form, arg, ',')
		s.reader.TrimLeadingSpace = true
		if err := stopped(func() { items.label = s.first() }); err != nil {
			fail(errorf("write "+b.form+":A,B,C; a label that holds a comma or a quote is quoted",
				"%s: the list cannot be read: %s", b.form, err))
		}
		for i := range items.label {
			items.at = append(items.at, place{1, i + 1})
		}
		return s, items
	}
	s = b.read(path)
	for cell := range s.records {
		if len(cell) > 1 {
			s.fail(2, "write one label a line, quoted where it holds a comma; for places with numbers use positions:",
				"a second column")
		}
		items.add(cell[0], s.place(1))
	}
	return s, items
}
