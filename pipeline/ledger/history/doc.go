// Package history knows what was published of every record, by its keyed
// name: which outputs, drawn through which channel, first and last in which
// night. It never holds a true letter, nor anything computed from one.
//
// A history is one immutable file, read whole into memory by a night and
// written anew with that night in it, beside the old one. The ledger says
// which file is in effect; any other is garbage that Sweep removes. Ten
// million records of one output each take 260 MB on disk and as much in
// memory, and each further output 8 bytes.
//
//	h := history.New(about)                 // or Open(path, sha256, about)
//	c, err := h.Channel(history.Channel{...})
//	err = h.Begin(night)
//	... from many goroutines, for some records at a time: h.Find; for each: h.Past, decide, draw, h.Publish
//	tally, err := h.Write(path, nil)        // durable; then seal the release
package history
