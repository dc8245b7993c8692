// Package main writes the TypeScript, Lua and Markdown forms of the protocol,
// and the list of its messages, from the declarations and comments of the
// package rpc/message; and the page, the schemas, the flags and the forms for
// editors of the settings, from the declarations of mcp/settings. It declares
// nothing itself and checks no behaviour.
//
// Comments that begin with //pillion: steer it:
//
//	//pillion:section WEIGHT TITLE   the subject of a file; the text below it introduces the subject
//	//pillion:people                 a message that shows or changes what is trusted (S6)
//	//pillion:ask BODY ANSWER        the shapes of one kind of question
//	//pillion:union body|answer      an interface that is any of those shapes
//	//pillion:go                     a type that never crosses the wire
//
// A field's tag wire:"object" says that a raw value is an object, wire:"T" that
// it is of the shape T; a question mark at the end adds null.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	outputs, err := generate(root)
	if err != nil {
		return err
	}
	for _, path := range sortedKeys(outputs) {
		whole := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(whole), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(whole, outputs[path], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// findRoot returns the folder of go.mod, at or above the current one.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the current folder")
		}
		dir = parent
	}
}

// generate returns the content of every generated file, by its path below root.
func generate(root string) (map[string][]byte, error) {
	sources, err := readSources(filepath.Join(root, "rpc", "message"))
	if err != nil {
		return nil, err
	}
	m, err := load(sources)
	if err != nil {
		return nil, err
	}
	list, err := golang(m)
	if err != nil {
		return nil, err
	}
	files, err := settingsFiles()
	if err != nil {
		return nil, err
	}
	files["rpc/message/all_generated.go"] = list
	files["vscode-extension/src/generated/protocol.ts"] = typescript(m)
	files["nvim-plugin/lua/pillion/protocol.lua"] = lua(m)
	files["docs/protocol.md"] = markdown(m)
	return files, nil
}
