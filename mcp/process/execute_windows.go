package process

// mayExecute is no question of the file's mode here; extensions say what is a program.
func mayExecute(string) bool { return true }
