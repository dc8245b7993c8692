// Pillion is a language server for MCP: an editor starts it with --stdio, a person reaches the same connectors with its
// verbs.
//
// This package wires the rest together: one file for each verb, flags, exit codes, and what a terminal shows. It decides
// nothing about consent or permission.
package main

//go:generate go run . reference markdown --to ../../docs/cli.md
//go:generate go run . reference schema --to ../../docs/cli.schema.json
