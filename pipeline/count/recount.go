package count

import "github.com/tacet-privacy/tacet/io/table"

// CountsOf are the records that pass one found of the letters of a.
func (s *Source) CountsOf(a *table.Alphabet) []int64 {
	count := make([]int64, a.Len())
	at := s.Alphabet.Index()
	for x, v := range a.Values() {
		if i, ok := at[v]; ok {
			count[x] = s.counts.Count(int(i))
		}
	}
	if x, i := a.Null(), s.Alphabet.Null(); x >= 0 && i >= 0 {
		count[x] = s.counts.Count(int(i))
	}
	return count
}
