package main

import (
	"encoding/json"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// The runtime ends a process by itself where it gets no memory, no thread or no
// descriptor, at a signal of an error, and at a panic that nobody recovers. It
// then prints what it was doing, whatever is asked of it, and ends with the code
// of a wrong flag. Here its words are dropped but for the first line, which says
// why; one of the lines below is printed, and the process ends with its code.

// reasons for which the runtime ends the process.
const (
	refused  = iota // by the system, which gives no memory, thread or descriptor
	aborted         // by SIGABRT
	quit            // by a second SIGQUIT
	mistaken        // a bug, or a signal that stands for one
	reasons
)

// How far the release is.
const (
	nothingPlaced = iota
	placing
	allPlaced
	stages
)

// A last line is printed as the process ends.
type lastLine struct {
	text []byte
	code int
}

// lastLines are made before they are needed: then there may be no memory.
type lastLines [reasons][stages]lastLine

// Reasons in words, for people; the rest of the line is the same before main.
const (
	wasRefused = "the system refused memory, a thread or an open file that the run needs"
	raiseThem  = "raise the limits (ulimit -v, -d, -u, -n), free memory, or give fewer --threads"
	nothingOut = "; nothing was published"
)

// firstWords are printed where a process ends before it has made its last lines.
var firstWords = [reasons]struct {
	text string
	code int
}{
	refused:  {"tacet: " + wasRefused + nothingOut + "; hint: " + raiseThem + "\n", int(fault.Environment)},
	aborted:  {"tacet: aborted by a signal" + nothingOut + "\n", 134},
	quit:     {"tacet: ended by a signal" + nothingOut + "\n", 131},
	mistaken: {"tacet: internal error" + nothingOut + "\n", int(fault.Internal)},
}

var (
	lastWords atomic.Pointer[lastLines]
	stage     atomic.Int32
)

// newLastLines makes them for text or for a log of JSON.
func newLastLines(format string) *lastLines {
	var all lastLines
	for reason, why := range [reasons]fault.Fault{
		refused: {Class: fault.Environment,
			What: wasRefused, Hint: raiseThem},
		aborted:  {Class: 134, What: "aborted by a signal"},
		quit:     {Class: 131, What: "ended by a second signal"},
		mistaken: {Class: fault.Internal, What: "internal error", Hint: "please report what you did, without the data"},
	} {
		for at := range all[reason] {
			f := why
			switch at {
			case nothingPlaced:
				f.What += nothingOut
			case placing:
				f.Class, f.What, f.Hint = fault.Published, f.What+
					" while files were put in place; the output may be published and its report incomplete",
					"check the release with tacet verify; docs/files.md says how to go on"
			case allPlaced:
				f.Class, f.What, f.Hint = fault.Published, f.What+"; the release is published and complete",
					"do not run again: a second draw would leak more; the release is in the output and the report folder"
			}
			all[reason][at] = lastLine{lastText(&f, format), int(f.Class)}
		}
	}
	return &all
}

func lastText(f *fault.Fault, format string) []byte {
	if format == "json" {
		line, err := json.Marshal(struct {
			Level string `json:"level"`
			Msg   string `json:"msg"`
			Code  int    `json:"exit_code"`
			Hint  string `json:"hint"`
		}{"ERROR", f.What, int(f.Class), f.Hint})
		if err == nil {
			return append(line, '\n')
		}
	}
	line := "tacet: " + f.What
	if f.Hint != "" {
		line += "; hint: " + f.Hint
	}
	return []byte(line + "\n")
}

// whyEnding reads from the runtime's first words why it ends the process; ok is
// false while they do not say.
//
//go:nosplit
func whyEnding(said []byte) (reason int, ok bool) {
	first := find(said, "\n")
	if first < 0 {
		return mistaken, len(said) >= mostSaid
	}
	switch {
	case find(said, "panic: ") == 0:
		return mistaken, true
	case find(said, "SIGQUIT") == 0:
		return quit, true
	case find(said, "SIGABRT") == 0:
		// The next line says who sent it: a process, or the C library where it
		// got no thread.
		if find(said[first+1:], "\n") < 0 && len(said) < mostSaid {
			return aborted, false
		}
		if find(said, "sigcode=0\n") >= 0 {
			return aborted, true
		}
		return refused, true
	}
	for i := range refusals {
		if at := find(said, refusals[i]); at >= 0 && at < first {
			return refused, true
		}
	}
	return mistaken, true
}

// mostSaid is how much of the runtime's words is looked at.
const mostSaid = 256

// refusals are words by which the runtime says that it did not get something.
var refusals = [...]string{"memory", "thread", "newosproc", "epoll", "netpoll", "eventfd", "SIGBUS", "fault address",
	"allocate", "reserve"}

// find is where a word stands, -1 for nowhere. It calls nothing, so that it
// needs no more stack than there is.
//
//go:nosplit
func find(in []byte, word string) int {
	for at := 0; at+len(word) <= len(in); at++ {
		n := 0
		for n < len(word) && in[at+n] == word[n] {
			n++
		}
		if n == len(word) {
			return at
		}
	}
	return -1
}
