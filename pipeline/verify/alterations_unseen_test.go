package verify_test

// An uncovered part of a report is no claim that any check looks at. A member that
// ends in "?" may be left out unseen.
type uncovered struct {
	name    string
	members []string
}

// beyond are the members of an internal report that no check compares with
// anything, by the names under which verify lists them. [] is any place in a list; what lies
// below a member belongs to it.
var beyond = []uncovered{
	{"about", []string{"stated.about?"}},
	{"inside", []string{"stated.inside?"}},
	{"made", []string{"stated.made?"}},
	{"declared", []string{"stated.declared", "domain.declared"}},
	{"options", []string{"stated.options[]", "certainty.unchanged_allowed?"}},
	{"paths", []string{"input.path", "output.path"}},
	{"version", []string{"version", "stated.version"}},
}
