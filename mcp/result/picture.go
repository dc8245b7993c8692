package result

import (
	"bytes"
	"encoding/binary"
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
type kindOfFile struct{ mimeType, extension string }

var inert = kindOfFile{"application/octet-stream", ".bin"}

// sniff tells pictures from everything else; what is none is kept under an extension that no program opens (S27).
func sniff(content []byte) kindOfFile {
	if config, format, err := image.DecodeConfig(bytes.NewReader(content)); err == nil {
		switch {
		case int64(config.Width)*int64(config.Height) > maxPixels:
			return inert
		case format == "png":
			return kindOfFile{"image/png", ".png"}
		case format == "jpeg":
			return kindOfFile{"image/jpeg", ".jpg"}
		case format == "gif":
			return kindOfFile{"image/gif", ".gif"}
		}
	}
	if width, height, isWebP := webP(content); isWebP && width*height <= maxPixels {
		return kindOfFile{"image/webp", ".webp"}
	}
	if kind := http.DetectContentType(content); strings.HasPrefix(kind, "audio/") || kind == "application/pdf" {
		return kindOfFile{kind, ".bin"}
	}
	return inert
}

// webP reads the size out of the header of a WebP picture (RFC 9649).
func webP(content []byte) (width, height int64, isWebP bool) {
	if len(content) < 30 || string(content[:4]) != "RIFF" || string(content[8:12]) != "WEBP" {
		return 0, 0, false
	}
	switch string(content[12:16]) {
	case "VP8 ":
		return int64(binary.LittleEndian.Uint16(content[26:]) & 0x3fff), int64(binary.LittleEndian.Uint16(content[28:]) & 0x3fff), true
	case "VP8L":
		bits := binary.LittleEndian.Uint32(content[21:])
		return int64(bits&0x3fff) + 1, int64(bits>>14&0x3fff) + 1, content[20] == 0x2f
	case "VP8X":
		return int64(uint24(content[24:])) + 1, int64(uint24(content[27:])) + 1, true
	}
	return 0, 0, false
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
