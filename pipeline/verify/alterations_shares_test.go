package verify_test

import (
	"testing"
)

// ofShift change what plan and report say of shares.
var ofShift = []alteration{
	// Shares of published values.
	{name: "a larger limit", want: "max shift", base: "shares", do: sharesOf("limit", to("1/10"))},
	{name: "a limit written otherwise", want: "max shift", base: "shares", do: func(t *testing.T, r *release) {
		sharesOf("asked", to("9%"))(t, r)
		at(r.report, "design")["max_shift"] = "9%"
	}},
	{name: "no limit in the plan", want: "max shift", base: "shares",
		do: func(_ *testing.T, r *release) { delete(r.plan, "shares") }},
	{name: "a smaller shift in the plan", want: "max shift", base: "shares", do: sharesOf("shift", smaller)},
	{name: "a larger shift in the plan", want: "max shift", base: "shares", do: sharesOf("shift", larger)},
	{name: "values that are not kept", want: "max shift", base: "shares",
		do: sharesOf("keep_values", func(any) any { return true })},
	{name: "values that are kept, unsaid", want: "figures", base: "kept", do: func(_ *testing.T, r *release) {
		delete(at(r.plan, "shares"), "keep_values")
	}},
	{name: "bounds for a smaller factor", want: "max shift", base: "shares", do: sharesOf("factor", smaller)},
	{name: "a bound of the utility lower than is proven", want: "max shift", base: "shares", do: sharesOf("worth.value",
		func(old any) any { return "-" + larger(old.(string)[1:]).(string) })},
	{name: "a bound for another shift", want: "max shift", base: "shares", do: sharesOf("within", larger)},
	{name: "a bound of the utility above what is proven", want: "max shift", base: "shares", do: both("utility",
		"upper_bound", plus(1e-3))},
	{name: "a price moved", want: "max shift", base: "shares", do: priced("worth", "price")},
	{name: "a level moved", want: "max shift", base: "shares", do: priced("worth", "level")},
	{name: "a price that is no number", want: "max shift", base: "shares", do: func(_ *testing.T, r *release) {
		at(at(r.plan, "shares"), "worth")["price"].([]any)[0] = "1e3"
	}},
	{name: "prices left out", want: "max shift", base: "shares", do: func(_ *testing.T, r *release) {
		delete(at(at(r.plan, "shares"), "worth"), "price")
	}},
	{name: "no proof of the utility", want: "max shift", base: "shares", do: func(_ *testing.T, r *release) {
		delete(at(at(r.plan, "shares"), "worth"), "base")
	}},
	{name: "a refused floor refused by more", want: "max shift", base: "shares", do: sharesOf("refused.value", larger)},
	{name: "a refused floor refused by less than the limit", want: "max shift", base: "shares",
		do: sharesOf("refused.value", to("1/100"))},
	{name: "the floor itself refused", want: "max shift", base: "shares", do: func(_ *testing.T, r *release) {
		at(r.plan, "shares")["refused_at"] = at(r.plan, "floor")["at"]
	}},
	{name: "a price of a refused floor moved", want: "max shift", base: "shares", do: priced("refused", "price")},
	{name: "a least shift above what is proven", want: "max shift", base: "near", do: sharesOf("least.value", larger)},
	{name: "a least shift without proof", want: "max shift", base: "near", do: func(_ *testing.T, r *release) {
		delete(at(at(r.plan, "shares"), "least"), "base")
	}},
	{name: "a limit where none was asked for", want: "max shift", base: "near", do: sharesOf("limit", to("1/2"))},
	{name: "another preference", want: "max shift", base: "near", do: both("utility", "prefer", to("utility"))},
	{name: "an unknown member", base: "weights", want: "members", do: said("epsilon", "delta", 0)},
	{name: "a member in capitals", base: "weights", want: `"not known"`, do: said("epsilon", "Nats", 0)},
}

// ofBeliefs change what the report says that an observer can come to believe.
var ofBeliefs = []alteration{
	{name: "a letter left out", base: "optimal", want: "beliefs",
		do: reportOf("caps", func(old any) any { return old.([]any)[1:] })},
	{name: "a letter twice", base: "optimal", want: "beliefs", do: reportOf("caps",
		func(old any) any { c := old.([]any); c[1] = c[0]; return c })},
}
