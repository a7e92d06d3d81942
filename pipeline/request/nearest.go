package request

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xrash/smetrics"

	"github.com/tacet-privacy/tacet/pipeline/key"
)

// Nearest is the name with the fewest letters to change, "" where there is no name;
// case, and - for _, cost nothing.
func Nearest(name string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	fold := func(s string) string { return strings.Trim(strings.ReplaceAll(strings.ToLower(s), "_", "-"), "-") }
	return slices.MinFunc(names, func(a, b string) int {
		return distance(fold(name), fold(a)) - distance(fold(name), fold(b))
	})
}

// Meant is the name that somebody may have meant who wrote another, "" where none is
// like it: one that holds what was written, or that few letters tell from it.
func Meant(name string, names []string) string {
	const few = 2
	part := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return len(name) <= few || !strings.Contains(strings.ToLower(n), strings.ToLower(name))
	})
	if len(part) > 0 {
		return Nearest(name, part)
	}
	near := Nearest(name, names)
	if d := distance(strings.ToLower(name), strings.ToLower(near)); d > max(few, len(name)/3) || d >= len(name) {
		return ""
	}
	return near
}

// distance counts the letters to insert, delete or replace (Levenshtein 1966).
func distance(a, b string) int { return smetrics.WagnerFischer(a, b, 1, 1, 1) }

// shown quotes an unknown key, shortened, and never what may be a secret.
func shown(name string) string {
	const most = 40
	if key.LooksSecret(name) {
		return "by the name that stands here"
	}
	if len(name) > most {
		return strconv.QuoteToASCII(name[:most]) + "..."
	}
	return strconv.Quote(name)
}
