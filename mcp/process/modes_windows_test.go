package process

// modes are the programs that the tests start; those that start some are for Unix.
func modes() map[string]func() int { return nil }
