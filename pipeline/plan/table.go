package plan

import "github.com/tacet-privacy/tacet/pipeline/report"

// A Table holds the records of every stratum by letter.
type Table struct {
	Name    []report.Label
	Count   [][]int64 // by name, then letter
	letters int
	at      map[report.Label]int32
}

// NewTable is an empty table over letters 0..letters-1.
func NewTable(letters int) *Table {
	return &Table{letters: letters, at: map[report.Label]int32{}}
}

// Place is that of a stratum, which is entered if it is new.
func (t *Table) Place(l report.Label) int32 {
	i, ok := t.at[l]
	if !ok {
		i = int32(len(t.Name))
		t.at[l] = i
		t.Name, t.Count = append(t.Name, l), append(t.Count, make([]int64, t.letters))
	}
	return i
}

// Add counts records by the place of their stratum; a letter below 0 is no
// record under the promise.
func (t *Table) Add(place, letter []int32) {
	for i, x := range letter {
		if x >= 0 {
			t.Count[place[i]][x]++
		}
	}
}

// Merge adds the records of u.
func (t *Table) Merge(u *Table) {
	for i, l := range u.Name {
		to := t.Count[t.Place(l)]
		for x, c := range u.Count[i] {
			to[x] += c
		}
	}
}

// Over is the table with letter x at at[x] among so many letters, or left out where
// that is below 0.
func (t *Table) Over(letters int, at []int32) *Table {
	w := NewTable(letters)
	for i, l := range t.Name {
		to := w.Count[w.Place(l)]
		for x, c := range t.Count[i] {
			if at[x] >= 0 {
				to[at[x]] += c
			}
		}
	}
	return w
}
