// Package night decides what is published of every record in a series of
// releases, from what was published before, and says what all of it tells.
//
// A Book is what a ledger knows of a series: the design, the key and the rule of
// every channel of its record history, and the plan of every night. It turns a
// record's entries into a State of package mechanism/series. A Night adds
// tonight's channel and decides about one record after the other. Seen finds ids
// that stand twice.
//
// The mathematics is in mechanism/series, the storage in pipeline/ledger;
// docs/series.md says what the figures mean.
package night
