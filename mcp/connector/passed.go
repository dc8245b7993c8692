package connector

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// What servers say of an entry for whoever shows it (MCP 2025-11-25 and 2026-07-28: icons, annotations and _meta of tools,
// resources, resource templates and prompts) is kept to be passed on. Nothing here is decided by it, and an icon is never fetched
// (S23). A part that is not as MCP has it, or is too large, is left out alone: one bad icon would cost a client the whole list.

const (
	// maxIcons bounds the icons of one entry, maxIconBytes one that is all in its address, maxIconsBytes all of one entry.
	maxIcons      = 8
	maxIconBytes  = 16 << 10
	maxIconsBytes = 32 << 10
	// maxSizes and maxSizeBytes bound the sizes that one icon is for.
	maxSizes     = 16
	maxSizeBytes = 32
	// maxAnnotationsBytes and maxMetaBytes bound what is passed on as it is.
	maxAnnotationsBytes = 4 << 10
	maxMetaBytes        = 8 << 10
)

// readPassed takes a member that is passed on, and reports whether it is one.
func readPassed(to *Passed, name string, value jsontext.Value) bool {
	switch name {
	case "icons":
		to.Icons = readIcons(value)
	case "_meta":
		to.Meta = readMeta(value)
	default:
		return false
	}
	return true
}

// readIcons returns those of the icons that may be passed on; nil where there is none.
func readIcons(raw jsontext.Value) jsontext.Value {
	if raw.Kind() != '[' {
		return nil
	}
	entries, _ := elements(raw, maxIcons)
	icons := jsontext.Value{'['}
	for _, entry := range entries {
		icon := readIcon(entry)
		if icon == nil || len(icons)+len(icon) >= maxIconsBytes {
			continue
		}
		icons = appendPart(icons, icon)
	}
	if len(icons) == 1 {
		return nil
	}
	return append(icons, ']')
}

// readIcon is one icon of the four members that MCP gives it.
func readIcon(raw jsontext.Value) jsontext.Value {
	icon, hasSource := jsontext.Value{'{'}, false
	err := object(raw, func(name string, value jsontext.Value) error {
		said, isText := text(value)
		isKept := false
		switch name {
		case "src":
			hasSource = isText && isIconSource(said)
			isKept = hasSource
		case "mimeType":
			isKept = isText && strings.HasPrefix(said, "image/") && len(said) <= maxSizeBytes
		case "theme":
			isKept = said == "light" || said == "dark"
		case "sizes":
			isKept = areSizes(value)
		}
		if isKept {
			icon = appendMember(icon, name, value)
		}
		return nil
	})
	if err != nil || !hasSource {
		return nil
	}
	return append(icon, '}')
}

// isIconSource reports whether an address is of a kind that clients may be led to: of the web, by https, or the picture itself
// (MCP basic/index: any other is to be rejected).
func isIconSource(address string) bool {
	kind, picture, isData := strings.Cut(address, ";base64,")
	if !isData {
		return checkPage(address) == nil
	}
	isPicture := slices.Contains([]string{"data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp", "data:image/svg+xml"}, kind)
	if !isPicture || len(address) > maxIconBytes {
		return false
	}
	_, err := base64.StdEncoding.DecodeString(picture)
	return err == nil
}

func areSizes(raw jsontext.Value) bool {
	if raw.Kind() != '[' {
		return false
	}
	sizes, err := elements(raw, maxSizes)
	return err == nil && !slices.ContainsFunc(sizes, func(size jsontext.Value) bool { return size.Kind() != '"' || len(size) > maxSizeBytes })
}

// readHints returns the annotations of a resource or a template without those of MCP's that are not as it has them; nil where none
// is left.
func readHints(raw jsontext.Value) jsontext.Value {
	if len(raw) > maxAnnotationsBytes || !isSound(raw) {
		return nil
	}
	hints := jsontext.Value{'{'}
	_ = object(raw, func(name string, value jsontext.Value) error {
		if isHint(name, value) {
			hints = appendMember(hints, name, value)
		}
		return nil
	})
	if len(hints) == 1 {
		return nil
	}
	return append(hints, '}')
}

func isHint(name string, value jsontext.Value) bool {
	switch name {
	case "audience":
		if value.Kind() != '[' {
			return false
		}
		roles, err := elements(value, maxSizes)
		return err == nil && !slices.ContainsFunc(roles, func(role jsontext.Value) bool {
			said, _ := text(role)
			return said != "user" && said != "assistant"
		})
	case "priority":
		priority, isNumber := number(value)
		return isNumber && priority >= 0 && priority <= 1
	case "lastModified":
		said, _ := text(value)
		_, err := time.Parse(time.RFC3339, said)
		return err == nil
	}
	return true
}

// readMeta returns the _meta of an entry as it is; nil where it cannot be passed on.
func readMeta(raw jsontext.Value) jsontext.Value {
	if len(raw) > maxMetaBytes || !isSound(raw) {
		return nil
	}
	return raw.Clone()
}

// isSound reports whether a value is an object that every reader reads alike.
func isSound(raw jsontext.Value) bool {
	return raw.Kind() == '{' && raw.IsValid() && !isTooDeep(raw, maxSchemaDepth)
}

// appendMember appends a member to an object that is being written.
func appendMember(to jsontext.Value, name string, value jsontext.Value) jsontext.Value {
	if len(to) > 1 {
		to = append(to, ',')
	}
	to, _ = jsontext.AppendQuote(to, name)
	return append(append(to, ':'), value...)
}

// appendPart appends a value to an array that is being written.
func appendPart(to, value jsontext.Value) jsontext.Value {
	if len(to) > 1 {
		to = append(to, ',')
	}
	return append(to, value...)
}
