package request

import (
	_ "embed"
	"strings"
)

//go:embed gone.txt
var goneText string

// Gone says what to do instead of a flag, of a command with the program before it, or of a flag and its
// value with a blank between, that earlier versions had; "" where they had none.
func Gone(name string) string {
	_, instead, _ := strings.Cut(strings.ReplaceAll(goneText, "\n  ", " "), "\n"+name+": ")
	instead, _, _ = strings.Cut(instead, "\n")
	return instead
}
