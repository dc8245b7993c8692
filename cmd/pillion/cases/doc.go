// Package cases drives the shipped program through what really goes wrong: each test is one fault that users of comparable
// hosts met, named by its number, or one rule of security.
// It holds no code of the program; it builds it once and plays an editor, a repository and rude connectors against it.
package cases
