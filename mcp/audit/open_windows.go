package audit

const (
	openFlags = 0
	// keepOpen says that an open file can be renamed by another window, which Windows refuses.
	keepOpen = false
)
