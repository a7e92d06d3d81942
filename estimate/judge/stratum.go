package judge

// A stratum holds the letters that occur in it, in letter order.
type stratum struct {
	code   int
	letter []int32
	count  []int64
	total  int64
	// Where there are several laws: letter i has records part[from[i]] to
	// part[from[i+1]-1] of mechanisms law.
	from []int
	law  []int32
	part []int64
}

// cells are the letters of strata behind each other.
type cells struct {
	stratum []stratum
	letter  []int32
	count   []int64
	from    []int
	law     []int32
	part    []int64
	small   int   // strata that are not judged,
	records int64 // and how many these hold
}

// strata are those that are judged, in order, and valid until records are
// added; they do not depend on the order in which records came.
func (t *Table) strata() []stratum {
	c := &t.judged
	if t.fresh {
		return c.stratum
	}
	c.stratum, c.letter, c.count = c.stratum[:0], c.letter[:0], c.count[:0]
	c.from, c.law, c.part = c.from[:0], c.law[:0], c.part[:0]
	c.small, c.records, t.fresh = 0, 0, true
	letters, parts := 0, 0 // before the stratum at hand
	now := stratum{code: -1}
	end := func() {
		if now.code < 0 {
			return
		}
		now.letter, now.count = c.letter[letters:], c.count[letters:]
		if now.small() {
			c.letter, c.count, c.law, c.part = c.letter[:letters], c.count[:letters], c.law[:parts], c.part[:parts]
			c.from = c.from[:min(letters, len(c.from))]
			c.small, c.records = c.small+1, c.records+now.total
			return
		}
		c.stratum = append(c.stratum, stratum{code: now.code, total: now.total})
		letters, parts = len(c.letter), len(c.law)
	}
	t.walk(func(key uint64, n int64) {
		code, cell := int(key/uint64(t.wide)), key%uint64(t.wide)
		if code != now.code {
			end()
			now = stratum{code: code}
		}
		now.total += n
		x := int32(cell / uint64(t.laws))
		if k := len(c.letter); k > letters && c.letter[k-1] == x {
			c.count[k-1] += n
		} else {
			c.letter, c.count = append(c.letter, x), append(c.count, n)
			if t.laws > 1 {
				c.from = append(c.from, len(c.law)-parts)
			}
		}
		if t.laws > 1 {
			c.law, c.part = append(c.law, int32(cell%uint64(t.laws))), append(c.part, n)
		}
	})
	end()
	c.share(t.laws > 1)
	return c.stratum
}

// share gives every stratum its own cells, once these stand still.
func (c *cells) share(laws bool) {
	at, part := 0, 0
	for i := range c.stratum {
		s := &c.stratum[i]
		from := at
		for left := s.total; left > 0; at++ {
			left -= c.count[at]
		}
		s.letter, s.count = c.letter[from:at], c.count[from:at]
		if !laws {
			continue
		}
		begin := part
		for left := s.total; left > 0; part++ {
			left -= c.part[part]
		}
		s.from, s.law, s.part = c.from[from:at], c.law[begin:part], c.part[begin:part]
	}
}

// laws are the mechanisms of letter i, and how many records each redraws.
func (s *stratum) laws(i int) (law []int32, part []int64) {
	to := len(s.law)
	if i+1 < len(s.from) {
		to = s.from[i+1]
	}
	return s.law[s.from[i]:to], s.part[s.from[i]:to]
}

// small reports whether s has too few records for its letters.
func (s *stratum) small() bool {
	once := 0
	for _, n := range s.count {
		if n == 1 {
			once++
		}
	}
	return s.total < Small || float64(once) > Unseen*float64(s.total)
}
