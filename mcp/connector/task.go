package connector

import "github.com/go-json-experiment/json/jsontext"

// taskFeatures say which calls a server goes on with in the background.
type taskFeatures struct {
	// hasCalls is set for a server of MCP 2025-11-25 that takes calls of tools as tasks; canCancel for one that ends them.
	hasCalls, canCancel bool
	// isExtension is set for one of the modern era that has the extension.
	isExtension bool
}

func (f *taskFeatures) read(name string, value jsontext.Value) {
	_ = object(value, func(member string, value jsontext.Value) error {
		isThere := value.Kind() == '{' || value.Kind() == 't'
		switch {
		case name == "extensions":
			f.isExtension = f.isExtension || member == tasksExtension && isThere
		case member == "cancel":
			f.canCancel = isThere
		case member == "requests":
			return object(value, func(member string, value jsontext.Value) error {
				if member == "tools" {
					_ = object(value, func(member string, value jsontext.Value) error {
						f.hasCalls = f.hasCalls || member == "call" && (value.Kind() == '{' || value.Kind() == 't')
						return nil
					})
				}
				return nil
			})
		}
		return nil
	})
}
