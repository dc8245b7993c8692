// Package catalog holds what connectors have listed: on disk, so that it is known before anything runs, and in the forms that
// people and models read it in, found by words, as types and schemas, and with what it costs.
// It starts no connector, decides nothing about permissions, and believes no schema: what it cannot express is unknown.
package catalog
