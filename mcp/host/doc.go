// Package host runs many connectors: it decides which of them may run, starts and stops them, names their tools,
// and passes every call through the one gate of permission.
// It does not know editors, JSON-RPC between editor and Pillion, or where a question is shown: it asks an [Asker].
package host
