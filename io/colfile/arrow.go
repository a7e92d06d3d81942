package colfile

func openArrow(in Input, r Request) (File, error) { return nil, inputErrorf("", "arrow: not yet") }
