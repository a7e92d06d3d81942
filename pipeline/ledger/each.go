package ledger

// Each calls f for every record before tonight, in ascending order, with its
// entries in the order of first; f must not keep them. It must not run beside
// Publish.
func (h *History) Each(f func(*Record, []RecordEntry) error) error {
	var (
		name Record
		list []RecordEntry
	)
	for rest := h.body; len(rest) > 0; {
		size := recordSize(rest)
		copy(name[:], rest)
		list = list[:0]
		for b := rest[recordHead:size]; len(b) > 0; b = b[entrySize:] {
			list = append(list, readEntry(b))
		}
		if err := f(&name, list); err != nil {
			return err
		}
		rest = rest[size:]
	}
	return nil
}
