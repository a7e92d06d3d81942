package colfile

func openParquet(in Input, r Request) (File, error) { return nil, inputErrorf("", "parquet: not yet") }
