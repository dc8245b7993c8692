package result

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif"  // recognises GIF
	_ "image/jpeg" // recognises JPEG
	_ "image/png"  // recognises PNG
	"net/http"
	"strings"
)

// maxPixels is the size above which a picture is only a file (S27).
const maxPixels = 50_000_000

// kindOfFile is what bytes are, by the bytes alone.
type kindOfFile struct {
	mimeType, extension string
	reason              string // why a picture is not taken for one
}

var pictures = map[string]kindOfFile{
	"png":  {mimeType: "image/png", extension: ".png"},
	"jpeg": {mimeType: "image/jpeg", extension: ".jpg"},
	"gif":  {mimeType: "image/gif", extension: ".gif"},
	"webp": {mimeType: "image/webp", extension: ".webp"},
}

// sniff tells pictures from everything else; what is none is kept under an extension that no program opens (S27).
func sniff(content []byte) kindOfFile {
	inert := kindOfFile{mimeType: "application/octet-stream", extension: ".bin"}
	if format, width, height := pictureSize(content); format != "" {
		if width > 0 && height > 0 && width <= maxPixels/height {
			return pictures[format]
		}
		inert.reason = fmt.Sprintf("a %s picture of %d × %d pixels, which is not shown", strings.ToUpper(format), width, height)
		return inert
	}
	if kind := http.DetectContentType(content); strings.HasPrefix(kind, "audio/") || kind == "application/pdf" {
		inert.mimeType = kind
	}
	return inert
}

// pictureSize reads the header of a picture in one of the four formats; format is "" for anything else.
func pictureSize(content []byte) (format string, width, height int64) {
	if config, format, err := image.DecodeConfig(bytes.NewReader(content)); err == nil {
		if _, isKnown := pictures[format]; isKnown {
			return format, int64(config.Width), int64(config.Height)
		}
	}
	if width, height, isWebP := webP(content); isWebP {
		return "webp", width, height
	}
	return "", 0, 0
}

// webP reads the size out of the header of a WebP picture (RFC 9649).
func webP(content []byte) (width, height int64, isWebP bool) {
	if len(content) < 30 || string(content[:4]) != "RIFF" || string(content[8:12]) != "WEBP" {
		return 0, 0, false
	}
	switch string(content[12:16]) {
	case "VP8 ":
		isKeyFrame := content[23] == 0x9d && content[24] == 0x01 && content[25] == 0x2a
		return int64(binary.LittleEndian.Uint16(content[26:]) & 0x3fff), int64(binary.LittleEndian.Uint16(content[28:]) & 0x3fff), isKeyFrame
	case "VP8L":
		bits := binary.LittleEndian.Uint32(content[21:])
		return int64(bits&0x3fff) + 1, int64(bits>>14&0x3fff) + 1, content[20] == 0x2f
	case "VP8X":
		return int64(uint24(content[24:])) + 1, int64(uint24(content[27:])) + 1, true
	}
	return 0, 0, false
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
