package draw

// A Run is what the rows of a file are drawn by, where no ids are given. The
// draws are a function of these, of plan and column and of the place of the row
// group or record batch; see docs/draws.md. Whoever repeats a run draws the
// same; a key that is used for another run, plan, column, path or content gives
// words that are independent of these.
type Run struct {
	Key     Key
	ID      string   // "" where the key is for one run
	Path    string   // of the file, relative to the data set
	Content [32]byte // SHA-256 of the file
}

// Streams are those of one private column under the plan with this hash.
func (r Run) Streams(plan [32]byte, column string) Streams {
	return NewStreams(r.Key, r.ID, string(plan[:]), column, r.Path, string(r.Content[:]))
}
