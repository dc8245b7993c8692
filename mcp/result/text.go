package result

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// load reads eight bytes of a text; the compiler makes one instruction of it.
func load(text string, i int) uint64 {
	t := text[i : i+8]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

// runes returns how many characters begin in eight bytes of valid UTF-8: all but the continuation bytes 10xxxxxx.
func runes(x uint64) int { return 8 - bits.OnesCount64(x>>7&^(x>>6)&lows) }

// offsetOf returns where the n-th character begins, or the length of the text, and how many characters come before it.
func offsetOf(text string, n int) (offset, before int) {
	for offset+8 <= len(text) {
		r := runes(load(text, offset))
		if before+r > n {
			break
		}
		before += r
		offset += 8
	}
	for offset < len(text) {
		if utf8.RuneStart(text[offset]) {
			if before == n {
				break
			}
			before++
		}
		offset++
	}
	return offset, before
}

// cut returns the beginning of a text, at a line's end where one is near, and how many characters are left out.
func cut(whole string, maxRunes int) (shown string, left int) {
	if len(whole) <= maxRunes {
		return whole, 0
	}
	at, _ := offsetOf(whole, maxRunes)
	if at == len(whole) {
		return whole, 0
	}
	if end := strings.LastIndexByte(whole[:at], '\n'); end > at*3/4 {
		at = end
	}
	_, left = offsetOf(whole[at:], len(whole))
	return whole[:at], left
}

// cutBytes returns at most max bytes of a text, whole characters.
func cutBytes(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "…"
}

// number writes 1234567 as 1,234,567.
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

const (
	// maxLeafBytes is how long a text in structured data may be in its preview; the data itself stays whole.
	maxLeafBytes = 4000
	// minBase64Bytes is the length from which on base64 is not shown at all.
	minBase64Bytes = 256
)

// elideLongStrings returns a JSON text with the long strings in it shortened: C46 wants no base64 in text. Everything
// else is kept byte for byte.
func elideLongStrings(text string) string {
	if len(text) <= minBase64Bytes {
		return text
	}
	raw := []byte(text)
	var b strings.Builder
	done := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end, _, err := skipString(raw, i)
		if err != nil {
			return text // it is no JSON after all
		}
		if short, isLong := shorten(raw[i:end]); isLong {
			b.WriteString(text[done:i])
			b.Write(short)
			done = end
		}
		i = end - 1
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

func shorten(quoted []byte) (short []byte, isLong bool) {
	if len(quoted) <= minBase64Bytes {
		return nil, false
	}
	text, _ := unquote(quoted)
	switch {
	case isBase64(text):
		return quote("[" + number(len(text)) + " characters of base64 are left out]"), true
	case len(text) > maxLeafBytes:
		shown, left := cut(text, maxLeafBytes/4)
		return quote(shown + "… [" + number(left) + " more characters are left out]"), true
	}
	return nil, false
}

// isBase64 reports whether a long text is base64, alone or as a data: URL.
func isBase64(text string) bool {
	if i := strings.Index(text[:min(len(text), 200)], ";base64,"); i >= 0 && strings.HasPrefix(text, "data:") {
		text = text[i+len(";base64,"):]
	}
	return len(text) > minBase64Bytes && base64Run(text) == len(text)
}

// base64Run returns how many bytes at the beginning of a text may be base64.
func base64Run(text string) int {
	for i := range len(text) {
		if c := text[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || '/' <= c && c <= '9' || c == '+' || c == '-' || c == '_' || c == '=') {
			return i
		}
	}
	return len(text)
}

// elideBlobs takes the base64 out of a text that repeats a blob of the result, or holds a data: URL (C46).
func elideBlobs(text string, blobs []string) string {
	if len(text) <= minBase64Bytes {
		return text
	}
	for _, blob := range blobs {
		if base64Run(blob) > minBase64Bytes {
			text = elideRuns(text, blob[:minBase64Bytes], 0)
		}
	}
	return elideRuns(text, ";base64,", len(";base64,"))
}

// elideRuns replaces the long runs of base64 that begin skip bytes into where mark stands.
func elideRuns(text, mark string, skip int) string {
	var b strings.Builder
	for {
		i := strings.Index(text, mark)
		if i < 0 {
			break
		}
		i += skip
		run := base64Run(text[i:])
		b.WriteString(text[:i])
		if run > minBase64Bytes || skip == 0 {
			b.WriteString("[" + number(run) + " characters of base64 are left out]")
		} else {
			b.WriteString(text[i : i+run])
		}
		text = text[i+run:]
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + text
}
