package interior

import "slices"

// An Item may be taken into a knapsack in part: Gain is what a unit of it is
// worth, Mass how many units there are.
type Item[N int64 | float64] struct{ Gain, Mass N }

// Greedy sorts items by falling gain: taken in this order, they fill a knapsack
// of any size at the largest worth.
func Greedy[N int64 | float64](items []Item[N]) {
	slices.SortFunc(items, func(a, b Item[N]) int {
		switch {
		case a.Gain > b.Gain:
			return -1
		case a.Gain < b.Gain:
			return 1
		}
		return 0
	})
}
