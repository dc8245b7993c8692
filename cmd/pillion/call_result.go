package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"pillion/editors"
	"pillion/rpc/message"
)

// print writes what came of a call: the result to standard output, what is said about it to standard error.
func (v callVerb) print(p *program, h hub, r message.CallResult) error {
	if p.isJSON {
		if err := p.printJSON(r); err != nil {
			return err
		}
		p.remark(r)
		return nil
	}
	text := r.Text
	if r.Truncated && !p.isTerminal {
		whole, err := h.fullText(p.ctx, r)
		if err != nil {
			return fmt.Errorf("read the whole text: %w", err)
		}
		text = whole
	}
	if !v.Raw {
		text = visible(text)
	}
	if text != "" && !v.Raw {
		text += "\n"
	}
	if _, err := io.WriteString(p.stdout, text); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	for _, attachment := range r.Attachments {
		path := editors.Visible(attachment.URI.FsPath())
		if v.Raw {
			p.say(path)
		} else {
			p.print(path)
		}
	}
	if r.Truncated && p.isTerminal && r.FullTextURI != "" {
		p.say("The whole text is in " + editors.Visible(r.FullTextURI.FsPath()))
	}
	p.remark(r)
	return nil
}

// remark says what a person should know besides the result.
func (p *program) remark(r message.CallResult) {
	switch {
	case r.Error != nil:
		p.sayf("pillion: the connector answered with the error %d: %s", r.Error.Code, editors.Visible(r.Error.Message))
	case r.Message != "":
		p.say("pillion: " + editors.Visible(r.Message))
	case r.Status == message.CallToolError:
		p.say("pillion: the tool answered that it did not succeed")
	case r.Status != message.CallOK:
		p.say("pillion: the call ended with the status " + editors.Visible(string(r.Status)))
	}
	for i, step := range r.Steps {
		p.sayf("  %d. %s", i+1, editors.Visible(step))
	}
	if r.MayHaveRun && r.Status != message.CallOK && r.Status != message.CallToolError {
		p.say("The tool may have run: look before you call it again.")
	}
	if r.Redacted {
		p.say("Secret values were replaced by [REDACTED].")
	}
}

// keepFiles puts the files of a result where they outlive this program, and corrects the paths in the result. A window keeps
// its own for as long as it is open.
func (v callVerb) keepFiles(h hub, r *message.CallResult) error {
	if len(r.Attachments) == 0 && r.FullTextURI == "" || v.Output == "" && h.window() != "" {
		return nil
	}
	folder := v.Output
	var err error
	if folder == "" {
		folder, err = os.MkdirTemp("", "pillion-call-")
	} else {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return fmt.Errorf("make a folder for the files of the result: %w", err)
	}
	kept := fileKeeper{folder: folder, result: r}
	for i := range r.Attachments {
		kept.keep(&r.Attachments[i].URI)
	}
	if r.FullTextURI != "" {
		kept.keep(&r.FullTextURI)
	}
	return kept.err
}

type fileKeeper struct {
	folder string
	result *message.CallResult
	err    error
}

// keep copies one file and writes its new place wherever the result names the old one.
func (k *fileKeeper) keep(place *message.URI) {
	path := place.FsPath()
	copied, err := copyInto(k.folder, path)
	if err != nil {
		k.err = errors.Join(k.err, fmt.Errorf("keep a file of the result: %w", err))
		return
	}
	now := uri.File(copied)
	for _, text := range []*string{&k.result.Text, &k.result.ContentText, &k.result.StructuredText} {
		*text = strings.ReplaceAll(strings.ReplaceAll(*text, string(*place), string(now)), path, copied)
	}
	*place = now
}

// maxSameNames bounds the search for a name that is free.
const maxSameNames = 10_000

// copyInto copies a file into a folder under its name, or one like it; nothing that is there is written over.
func copyInto(folder, path string) (string, error) {
	source, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer source.Close()
	extension := filepath.Ext(path)
	stem := strings.TrimSuffix(filepath.Base(path), extension)
	for number := 1; number <= maxSameNames; number++ {
		name := stem + extension
		if number > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, number, extension)
		}
		target, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(target, source)
		return target.Name(), errors.Join(err, target.Close())
	}
	return "", fmt.Errorf("%s holds too many files called %s", folder, stem)
}
