package utility

import (
	"fmt"
	"math"
	"strconv"
)

// counted are the units of which a value is a number of, and what so many promise.
var counted = map[string]struct{ far, one, many string }{
	"days":   {"at most %v %s away", "day", "days"},
	"places": {"at most %v %s away", "place", "places"},
	"levels": {"in the same group at most %v %s up", "level", "levels"},
}

// Described are the ways in which orders of a unit say a value: as a distance, and as one of
// levels or of an order that gives its utilities says it.
func Described(unit string, value float64) []string {
	if math.IsInf(value, -1) || math.IsNaN(value) {
		return []string{"no limit"}
	}
	ways := []string{away(unit, -value)}
	switch unit {
	case "levels":
		ways = append(ways, "any value at all")
	case "":
		ways = append(ways, fmt.Sprintf("of utility %v or better", value))
	}
	return ways
}

// Describe says in words what a value promises: "at most 412.3 km away".
func (r *Result) Describe(value float64) string {
	ways := Described(r.Unit, value)
	said := ways[0]
	if len(ways) > 1 && (r.OwnOutputs() || r.top > 0 && value <= -r.top) {
		said = ways[1]
	}
	if r.NullRule && value <= r.nullBest && !math.IsInf(value, -1) {
		said += ", or null"
	}
	return said
}

// away describes a distance. One that is measured is rounded up to a tenth: what is promised
// must not be less than what holds.
func away(unit string, distance float64) string {
	u, whole := counted[unit]
	switch {
	case whole && distance <= 0:
		return "the same value"
	case distance <= 0:
		return "at the same place"
	case whole && distance == 1:
		return fmt.Sprintf(u.far, 1, u.one)
	case whole:
		return fmt.Sprintf(u.far, strconv.FormatFloat(distance, 'f', -1, 64), u.many)
	case unit == "":
		return "at most " + strconv.FormatFloat(distance, 'f', -1, 64) + " away"
	}
	if r := math.Ceil(distance*10) / 10; r >= distance {
		distance = r
	}
	return fmt.Sprintf("at most %s %s away", strconv.FormatFloat(distance, 'f', -1, 64), unit)
}
