package native

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/browser"

	"pillion/browser/devtools"
)

const maxDownloadBytes = 256 << 20

// downloads are the files that pages hand out. Their names are ours: nothing of a page names a file (S22, S27).
type downloads struct {
	count int
	names map[string]string // by the browser's own id, what the page called it
}

func (d *driver) onDownload(e devtools.Event) {
	switch e.Method {
	case browser.DownloadWillBegin.Method:
		var event browser.EventDownloadWillBegin
		if read(e, &event) && isPlainName(event.GUID) {
			if d.files.names == nil {
				d.files.names = map[string]string{}
			}
			d.files.names[event.GUID] = event.SuggestedFilename
		}
	case browser.DownloadProgress.Method:
		var event browser.EventDownloadProgress
		if read(e, &event) && isPlainName(event.GUID) {
			d.progress(&event)
		}
	}
}

func (d *driver) progress(event *browser.EventDownloadProgress) {
	called, isKnown := d.files.names[event.GUID]
	if !isKnown {
		return
	}
	switch {
	case event.State == browser.DownloadProgressStateInProgress && max(event.ReceivedBytes, event.TotalBytes) > maxDownloadBytes:
		d.browser.Conn.Browser().Send(browser.CancelDownload.Method, browser.CancelDownloadParams{GUID: event.GUID, BrowserContextID: d.context})
		d.tell("the download of %s was ended: it has more than %d MB", quote(bounded(called, 200)), maxDownloadBytes>>20)
		delete(d.files.names, event.GUID)
	case event.State == browser.DownloadProgressStateCompleted:
		delete(d.files.names, event.GUID)
		d.keep(event.GUID, called)
	case event.State == browser.DownloadProgressStateCanceled:
		delete(d.files.names, event.GUID)
		d.tell("the download of %s was cancelled", quote(bounded(called, 200)))
	}
}

// keep gives a finished download its name.
func (d *driver) keep(guid, called string) {
	path := filepath.Join(d.output, guid)
	beginning := make([]byte, 16)
	file, err := os.Open(path)
	if err != nil {
		d.tell("the download of %s could not be kept", quote(bounded(called, 200)))
		return
	}
	n, _ := file.Read(beginning)
	_ = file.Close()
	var kept string
	for {
		d.files.count++
		kept = filepath.Join(d.output, fmt.Sprintf("download-%d%s", d.files.count, extension(beginning[:n])))
		if _, err := os.Lstat(kept); err != nil {
			break
		}
	}
	if err := os.Rename(path, kept); err != nil {
		d.tell("the download of %s could not be kept", quote(bounded(called, 200)))
		return
	}
	_ = os.Chmod(kept, 0o600)
	d.tell("a download, which the page calls %s, was kept as %s", quote(bounded(called, 200)), kept)
}

// extension is that of a picture by its first bytes, and one that no program opens for everything else.
func extension(beginning []byte) string {
	for _, kind := range []struct{ magic, extension string }{
		{"\x89PNG\r\n\x1a\n", ".png"}, {"\xff\xd8\xff", ".jpg"}, {"GIF87a", ".gif"}, {"GIF89a", ".gif"},
	} {
		if bytes.HasPrefix(beginning, []byte(kind.magic)) {
			return kind.extension
		}
	}
	if len(beginning) >= 12 && string(beginning[:4]) == "RIFF" && string(beginning[8:12]) == "WEBP" {
		return ".webp"
	}
	return ".download"
}

// isPlainName reports whether the browser's id of a download is one file name; it comes from the browser, but names a file.
func isPlainName(id string) bool {
	return id != "" && id != "." && id != ".." && filepath.Base(id) == id && filepath.IsLocal(id)
}
