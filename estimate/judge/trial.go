package judge

// A Rule turns the values of a column into keys. Its letters are learnt.
type Rule struct {
	Name string
	// Key writes the key of every value to to.
	Key func(to []uint64)
	// Order, where it is given instead, lists the values in an order; -1
	// parts neighbours. A value is then judged by the letters of those next to
	// it that rules are learnt from.
	Order func() []int32
}

// A Trial judges one column on a sample: its rules are tried one by one, then
// the best are held against the other half.
type Trial struct {
	sample *Sample
	law    *Law
	rules  []Rule
	values int
	count  [halves]counted

	id     []int32 // by value: of the rule at hand
	keys   int
	sparse bool // its keys were numbered
	learner
	sets
}

// counted are the rows of a half by value, those of equal value and letter as one.
type counted struct {
	cells
	value []int32 // by cell
}

// cells are rows by value or key.
type cells struct {
	from []int32 // the first cell of each; nil where there is no row
	cell []cell
}

// A cell is rows of one value and one letter.
type cell struct{ letter, count int32 }

// of are the cells of a value or key.
func (c *cells) of(at int32) []cell {
	if c.from == nil {
		return nil
	}
	return c.cell[c.from[at]:c.from[at+1]]
}

// NewTrial takes the value of every row, which is below values; those of rows of rare letters
// may be left out.
func NewTrial(s *Sample, law *Law, value []int32, values int, rules []Rule) *Trial {
	t := &Trial{sample: s, law: law, rules: rules, values: values, id: make([]int32, values)}
	t.tally, t.rare = make([]int32, len(s.named)), make([]int32, len(s.named))
	for h := Learn; h < halves; h++ {
		if h < RareLearn || len(value) == len(s.letter) && s.rows[h] > 0 {
			t.count[h] = count(h, s.half, s.letter, value, values, t.tally)
		}
	}
	t.sets.init(s, law, len(value) == len(s.letter))
	return t
}

// count adds up the rows of a half; tally is room by letter, and stays empty.
func count(half Half, halves []Half, letter, value []int32, values int, tally []int32) (c counted) {
	c.from = make([]int32, values+1)
	for i, v := range value {
		if halves[i] == half {
			c.from[v+1]++
		}
	}
	for v := range values {
		c.from[v+1] += c.from[v]
	}
	n := c.from[values]
	by, at := make([]int32, n), make([]int32, values)
	copy(at, c.from)
	for i, v := range value {
		if halves[i] == half {
			by[at[v]] = letter[i]
			at[v]++
		}
	}
	c.cell, c.value = make([]cell, 0, n), make([]int32, 0, n)
	var touched []int32
	for v := range values {
		own := by[c.from[v]:c.from[v+1]]
		touched = touched[:0]
		for _, x := range own {
			if tally[x] == 0 {
				touched = append(touched, x)
			}
			tally[x]++
		}
		c.from[v] = int32(len(c.cell))
		for _, x := range touched {
			c.cell, c.value = append(c.cell, cell{x, tally[x]}), append(c.value, int32(v))
			tally[x] = 0
		}
	}
	c.from[values] = int32(len(c.cell))
	return c
}

// number turns keys into numbers from 0 on: as they are where they are small,
// else by their first appearance.
func (t *Trial) number(key []uint64) {
	most := uint64(0)
	for _, k := range key {
		most = max(most, k)
	}
	if t.sparse = most >= uint64(4*len(key)+1024); !t.sparse {
		t.keys = int(most) + 1
		for v, k := range key {
			t.id[v] = int32(k)
		}
		return
	}
	t.index.Reset(len(key))
	for v, k := range key {
		t.id[v] = t.index.Add(k)
	}
	t.keys = len(t.index.Key)
}
