package rpc

// Marshal encodes v as it is sent: nil slices are [], nil maps are {}, the keys
// of maps are sorted, and the types of go.lsp.dev/protocol take their LSP form.
// Raw JSON is returned as it is.
func Marshal(v any) ([]byte, error) { panic("rpc: not written yet") }

// Unmarshal decodes data into v. Keys match exactly, a duplicate key anywhere is
// an error, and unknown fields are ignored.
func Unmarshal(data []byte, v any) error { panic("rpc: not written yet") }
