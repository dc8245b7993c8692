package native

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
)

// key is one key of a keyboard as the browser wants it described (UI Events: key and code values).
type key struct {
	key, code string
	number    int64  // the Windows virtual key code
	text      string // what it types; "" for none
}

// modifiers are what can be held while a key is pressed, by their bits.
func modifiers() map[string]int64 {
	return map[string]int64{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8, "ControlOrMeta": 2}
}

func namedKeys() map[string]key {
	return map[string]key{
		"Enter": {"Enter", "Enter", 13, "\r"}, "Tab": {"Tab", "Tab", 9, ""}, "Escape": {"Escape", "Escape", 27, ""},
		"Backspace": {"Backspace", "Backspace", 8, ""}, "Delete": {"Delete", "Delete", 46, ""}, "Insert": {"Insert", "Insert", 45, ""},
		"Space": {" ", "Space", 32, " "}, "Home": {"Home", "Home", 36, ""}, "End": {"End", "End", 35, ""},
		"PageUp": {"PageUp", "PageUp", 33, ""}, "PageDown": {"PageDown", "PageDown", 34, ""},
		"ArrowLeft": {"ArrowLeft", "ArrowLeft", 37, ""}, "ArrowUp": {"ArrowUp", "ArrowUp", 38, ""},
		"ArrowRight": {"ArrowRight", "ArrowRight", 39, ""}, "ArrowDown": {"ArrowDown", "ArrowDown", 40, ""},
		"Shift": {"Shift", "ShiftLeft", 16, ""}, "Control": {"Control", "ControlLeft", 17, ""},
		"Alt": {"Alt", "AltLeft", 18, ""}, "Meta": {"Meta", "MetaLeft", 91, ""}, "ContextMenu": {"ContextMenu", "ContextMenu", 93, ""},
	}
}

// parseKey understands "Enter", "a", "Control+Shift+K" and the like.
func parseKey(text string) (key, int64, error) {
	held := int64(0)
	rest := text
	for {
		first, after, isMore := strings.Cut(rest, "+")
		bit, isModifier := modifiers()[first]
		if !isMore || !isModifier || after == "" {
			break
		}
		held |= bit
		rest = after
	}
	if found, ok := keyOf(rest); ok {
		if held&^8 != 0 {
			found.text = "" // a chord types nothing
		}
		return found, held, nil
	}
	return key{}, 0, fmt.Errorf("%s is no key. Name one as in Enter, Tab, Escape, ArrowDown, F5, a, or Control+A", quote(bounded(text, 80)))
}

func keyOf(name string) (key, bool) {
	if found, ok := namedKeys()[name]; ok {
		return found, true
	}
	var number int64
	if n, err := fmt.Sscanf(name, "F%d", &number); n == 1 && err == nil && number >= 1 && number <= 12 && name == fmt.Sprintf("F%d", number) {
		return key{name, name, 111 + number, ""}, true
	}
	if utf8.RuneCountInString(name) != 1 {
		return key{}, false
	}
	return typed([]rune(name)[0]), true
}

// typed is the key that types a character.
func typed(r rune) key {
	one := key{key: string(r), text: string(r)}
	switch upper := strings.ToUpper(string(r))[0]; {
	case r == '\n' || r == '\r':
		return namedKeys()["Enter"]
	case r == '\t':
		return namedKeys()["Tab"]
	case r < utf8.RuneSelf && 'A' <= upper && upper <= 'Z':
		one.code, one.number = "Key"+string(upper), int64(upper)
	case '0' <= r && r <= '9':
		one.code, one.number = "Digit"+string(r), int64(r)
	case r == ' ':
		one.code, one.number = "Space", 32
	}
	return one
}

// strokes are the events of pressing a key and letting it go.
func (k key) strokes(held int64) []input.DispatchKeyEventParams {
	down := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Modifiers: held, Key: k.key, Code: k.code,
		WindowsVirtualKeyCode: k.number, NativeVirtualKeyCode: k.number,
	}
	up := down
	if k.text != "" {
		down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, k.text, k.text
	}
	if held == 2 && (k.key == "a" || k.key == "A") {
		down.Commands = []string{"selectAll"} // what a keyboard of the system would do
	}
	up.Type = input.DispatchKeyEventTypeKeyUp
	return []input.DispatchKeyEventParams{down, up}
}
