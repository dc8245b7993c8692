// Package settings declares every setting once: its key, its type, its default,
// what it is for, who may set it, and whether it is about trust. Its page, its
// JSON Schemas, the settings of the editor plugins, the variables, the flags and
// the decoders all come from the declarations.
//
// It reads no file, no environment and no wire by itself, and applies nothing:
// texts and values go in, and what holds, where it came from and what is wrong
// come out.
//
// # Trust
//
// A setting about trust is widened by the user's own file alone; every other
// channel can only narrow it (S3). See [Resolve].
package settings
