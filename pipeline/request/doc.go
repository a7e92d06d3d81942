// Package request is what a user asks for: one table of options, the value that they
// fill in, job files, and the contradictions that are found before a file is read.
//
// A job file is YAML whose keys are the long flags of a command, and about:, what
// people say of the release. The language is small: one mapping, values of the type
// that the key takes, lists for options that take several. Anchors, aliases, tags
// and further documents are refused, so that what a reader sees is what is done.
// JSON is YAML and may be used instead.
package request
