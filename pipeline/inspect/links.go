package inspect

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/neighbours"
)

// A Link is a column that nearly determines another: how often the commonest value of
// the second, given that of the first, is right. It is learnt on one half of the rows
// that are sampled and counted on the other.
type Link struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Right float64 `json:"right"`         // share of rows
	Alone float64 `json:"right_without"` // with the commonest value of all
}

// Rows for links: enough to tell 90 % from 95 % among hundreds of values, and few
// enough that all pairs take a part of a second.
const (
	mostRows  = 1 << 16
	mostPairs = 1 << 26 // cells of all pairs
)

// A link is told of where it is right in so many rows, and wrong in at most half of
// those in which the commonest value is.
const nearly = 0.9

// mostLinked is how many rows are sampled, and up to twice as many, in a file of so
// many columns.
func mostLinked(columns int) int {
	return max(1000, min(mostRows, 4<<20/max(columns, 1), mostPairs/max(columns*columns, 1))) / 2
}

// wide is how many columns are looked at each beside each; of more it is each beside one.
const wide = 1000

// link finds the columns that give away one that could be private; in a wide file the column
// of that name.
func (f *File) link(column string) {
	f.aside = len(f.Columns) > wide
	for i := range f.Columns {
		from := &f.Columns[i]
		if !from.Readable || from.More || from.Values < 2 {
			continue
		}
		f.Linked = max(f.Linked, len(from.tally.sample))
		group := byNumber(from.tally.sample, from.Values)
		for j := range f.Columns {
			to := &f.Columns[j]
			if i == j || f.aside && to.Name != column || !to.Private ||
				to.More || len(to.tally.sample) != len(from.tally.sample) {
				continue
			}
			right, alone, ok := determines(group, to.tally.sample, to.Values)
			if ok && right >= nearly && 1-right <= (1-alone)/2 {
				f.Links = append(f.Links, Link{from.Name, to.Name, right, alone})
			}
		}
	}
}

// byNumber are the rows of each number, null first.
func byNumber(sample []int32, numbers int) [][]int32 {
	rows := make([][]int32, numbers+1)
	for row, id := range sample {
		rows[id+1] = append(rows[id+1], int32(row))
	}
	return rows
}

// learnt reports whether a row is of the half that is learnt on: by a hash, because
// rows may come in turns.
func learnt(row int32) bool { return neighbours.Mix(uint64(row))&1 == 0 }

// determines learns, on half of the rows, the commonest number of to in each group,
// and counts how often that is right on the others.
func determines(group [][]int32, to []int32, numbers int) (right, alone float64, ok bool) {
	count := make([]int32, numbers+1)
	learn := func(rows []int32) (best int32, seen bool) {
		best = null
		for _, r := range rows {
			if learnt(r) {
				seen = true
				if count[to[r]+1]++; count[to[r]+1] > count[best+1] {
					best = to[r]
				}
			}
		}
		for _, r := range rows {
			count[to[r]+1] = 0
		}
		return best, seen
	}
	overall, _ := learn(slices.Concat(group...))
	hits, base, tested := 0, 0, 0
	for _, rows := range group {
		best, seen := learn(rows)
		if !seen {
			best = overall
		}
		for _, r := range rows {
			if !learnt(r) {
				tested++
				hits += one(to[r] == best)
				base += one(to[r] == overall)
			}
		}
	}
	if tested < 50 {
		return 0, 0, false // nothing can be said of so few
	}
	return float64(hits) / float64(tested), float64(base) / float64(tested), true
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
