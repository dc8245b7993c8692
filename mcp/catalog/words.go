package catalog

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
)

// wordsOf are the words of a name as programmers write them, in lower case: create_issue, createIssue, create-issue, HTTPServer2.
func wordsOf(name string) []string {
	var words []string
	runes := []rune(name)
	begin := 0
	end := func(at int) {
		if at > begin {
			words = append(words, strings.ToLower(string(runes[begin:at])))
		}
		begin = at
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			begin = i + 1
		case i == begin:
		case unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end(i)
		case unicode.IsDigit(r) != unicode.IsDigit(runes[i-1]):
			end(i)
		}
	}
	end(len(runes))
	return words
}

// leastStem is the shortest that a stem may be: of shorter words nothing is taken away.
const leastStem = 3

// endings are taken off a word, the first that fits, so that a stem is always how its words begin.
var endings = [...]string{"ations", "ation", "ings", "ing", "ies", "ied", "ers", "ors", "es", "ed", "er", "or", "s", "y", "e"}

// stem is what a word has in common with its other forms in English: search, searches, searching; query, queries; create, creating,
// creation. It is rough on purpose: what it joins too much ranks behind what is spelt alike.
func stem(word string) string {
	if strings.HasSuffix(word, "ss") {
		return word
	}
	for _, ending := range endings {
		if rest, has := strings.CutSuffix(word, ending); has && len(rest) >= leastStem {
			word = rest
			break
		}
	}
	if n := len(word); n > leastStem && word[n-1] == 'y' { // query-ing
		word = word[:n-1]
	}
	if strings.HasSuffix(word, "ion") && len(word) >= leastStem+3 { // deletion, selection
		word = word[:len(word)-3]
	}
	if rest, has := strings.CutSuffix(word, "at"); has && len(rest) >= leastStem { // create, creat-ing
		word = rest
	}
	if n := len(word); n > leastStem && word[n-1] == word[n-2] && !strings.ContainsRune("aeiouls", rune(word[n-1])) { // runn-ing
		word = word[:n-1]
	}
	return word
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80 }

// lowered is a text in lower case, in its own room but where that takes more of it. Nearly all there is to lower is ASCII, eight of
// which are lowered at once.
func lowered(text []byte) []byte {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	rest := text
	for ; len(rest) >= 8; rest = rest[8:] {
		eight := binary.LittleEndian.Uint64(rest)
		if eight&high != 0 {
			return bytes.ToLower(text)
		}
		isFromA, isAfterZ := eight+(0x80-'A')*ones, eight+(0x7f-'Z')*ones // in the highest bit of each
		binary.LittleEndian.PutUint64(rest, eight|(isFromA^isAfterZ)&high>>2)
	}
	for i, b := range rest {
		switch {
		case b >= 0x80:
			return bytes.ToLower(text)
		case 'A' <= b && b <= 'Z':
			rest[i] = b + 'a' - 'A'
		}
	}
	return text
}
