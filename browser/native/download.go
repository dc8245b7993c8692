package native

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/browser"

	"pillion/browser/devtools"
)

const (
	maxDownloadBytes    = 256 << 20 // of one
	maxAllDownloadBytes = 1 << 30   // of one browser: a page hands out as many as it likes, and nobody is asked
	maxDownloads        = 200       // of one browser
	maxSuggestedBytes   = 200
)

// downloads are the files that pages hand out. Their names are ours: nothing of a page names a file (S22, S27).
type downloads struct {
	count    int
	begun    int // of those that were kept or are under way
	bytes    float64
	underWay map[string]*download // by the browser's own id
}

// download is one that is under way.
type download struct {
	called string // by the page
	bytes  float64
}

// begin has one be under way, and reports whether there is room for it.
func (d *downloads) begin(guid, called string) bool {
	switch {
	case d.underWay[guid] != nil:
		return true
	case d.begun >= maxDownloads:
		return false
	case d.underWay == nil:
		d.underWay = map[string]*download{}
	}
	d.begun++
	d.underWay[guid] = &download{called: called}
	return true
}

// take counts what came of one, and says why it is to end; "" lets it go on.
func (d *downloads) take(one *download, received, total float64) string {
	d.bytes += received - one.bytes
	one.bytes = received
	switch {
	case max(received, total) > maxDownloadBytes:
		return fmt.Sprintf("it has more than %d MB", maxDownloadBytes>>20)
	case d.bytes > maxAllDownloadBytes:
		return fmt.Sprintf("all of this browser have more than %d MB", maxAllDownloadBytes>>20)
	}
	return ""
}

// drop forgets one of which nothing is left.
func (d *downloads) drop(guid string) {
	d.bytes -= d.underWay[guid].bytes
	d.begun--
	delete(d.underWay, guid)
}

func (d *driver) onDownload(e devtools.Event) {
	switch e.Method {
	case browser.DownloadWillBegin.Method:
		var event browser.EventDownloadWillBegin
		if read(e, &event) && isPlainName(event.GUID) {
			d.willDownload(&event)
		}
	case browser.DownloadProgress.Method:
		var event browser.EventDownloadProgress
		if read(e, &event) && isPlainName(event.GUID) {
			d.progress(&event)
		}
	}
}

func (d *driver) willDownload(event *browser.EventDownloadWillBegin) {
	if !d.files.begin(event.GUID, quote(bounded(event.SuggestedFilename, maxSuggestedBytes))) {
		d.cancelDownload(event.GUID)
		d.tell("a download was ended: this browser has had %d", maxDownloads)
	}
}

func (d *driver) cancelDownload(guid string) {
	d.browser.Conn.Browser().Send(browser.CancelDownload.Method, browser.CancelDownloadParams{GUID: guid, BrowserContextID: d.context})
}

func (d *driver) progress(event *browser.EventDownloadProgress) {
	one := d.files.underWay[event.GUID]
	if one == nil {
		return
	}
	why := d.files.take(one, event.ReceivedBytes, event.TotalBytes)
	switch {
	case event.State == browser.DownloadProgressStateCompleted:
		delete(d.files.underWay, event.GUID)
		d.keep(event.GUID, one.called)
	case event.State == browser.DownloadProgressStateCanceled:
		d.files.drop(event.GUID)
		d.tell("the download of %s was cancelled", one.called)
	case why != "":
		d.cancelDownload(event.GUID)
		d.files.drop(event.GUID)
		d.tell("the download of %s was ended: %s", one.called, why)
	}
}

// keep gives a finished download its name; called is a quoted word of the page.
func (d *driver) keep(guid, called string) {
	path := filepath.Join(d.output, guid)
	beginning := make([]byte, 16)
	file, err := os.Open(path)
	if err != nil {
		d.tell("the download of %s could not be kept", called)
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
		d.tell("the download of %s could not be kept", called)
		return
	}
	_ = os.Chmod(kept, 0o600)
	d.tell("a download, which the page calls %s, was kept as %s", called, kept)
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
