package mechanism

// Weights fills row[y] with w(x,y), the worth of output y for letter x, for
// every y; what it says of outputs that the support forbids is not used. It
// must be safe for concurrent use.
type Weights func(x int, row []float64)

// ValueWeights are the values u'(x,y) of an order.
func ValueWeights(o Order) Weights {
	return func(x int, row []float64) { o.Row(x, nil, row) }
}

// MatchWeights count the records that keep their letter: 1 where output y is
// same[x], 0 elsewhere; same[x] is -1 where letter x is no output. Their
// expected value is the share of records that stay unchanged.
func MatchWeights(same []int) Weights {
	return func(x int, row []float64) {
		clear(row)
		if y := same[x]; y >= 0 {
			row[y] = 1
		}
	}
}
