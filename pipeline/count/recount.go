package count

import "github.com/tacet-privacy/tacet/io/table"

// CountsOf are the records that pass one found of the letters of a.
func (s *Source) CountsOf(a *table.Alphabet) []int64 {
	return overLetters(s.counts, s.Alphabet.Over(a), a.Len())
}
