package imports

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pillion/mcp/config"
	"pillion/mcp/redact"
)

// translated is a string in Pillion's spelling.
func (c *conversion) translated(key, text string) string {
	t := c.dialect.translate(text, c.toProject())
	for _, remark := range t.remarks {
		c.say(key, remark)
	}
	c.isUnknown = c.isUnknown || t.isUnknown
	c.isOff = c.isOff || t.isBroken // a placeholder is not to be sent as text (C02)
	for _, id := range t.inputIDs {
		c.carry(id)
	}
	return t.out.String()
}

// plain reads a string that holds no references.
func (c *conversion) plain(key string, v value) string {
	if v.kind != aString {
		c.say(key, "it is "+string(v.kind)+" where a string belongs, and stays behind")
		return ""
	}
	return v.text
}

// str reads a string.
func (c *conversion) str(key string, v value) string {
	return c.translated(key, c.plain(key, v))
}

// scalar reads a string, or a number or boolean in its place.
func (c *conversion) scalar(key string, v value) (string, bool) {
	switch v.kind {
	case aString:
		return c.translated(key, v.text), true
	case aNumber, aBoolean:
		return v.text, true
	}
	c.say(key, "it is "+string(v.kind)+" where a string belongs, and stays behind")
	return "", false
}

func (c *conversion) object(key string, v value) []member {
	switch {
	case v.kind != anObject:
		c.say(key, "it is "+string(v.kind)+" where an object belongs, and stays behind")
		return nil
	case len(v.members) > maxItems:
		c.refuse(key + " has too many items")
		return nil
	}
	return v.members
}

func (c *conversion) array(key string, v value) []value {
	switch {
	case v.kind != anArray:
		c.say(key, "it is "+string(v.kind)+" where an array belongs, and stays behind")
		return nil
	case len(v.items) > maxItems:
		c.refuse(key + " has too many items")
		return nil
	}
	return v.items
}

// list reads the arguments. One that is missing would shift the others, so a
// list that cannot be read whole keeps the entry out.
func (c *conversion) list(key string, v value) []string {
	if v.kind != anArray {
		c.refuse(key + " is " + string(v.kind) + " where an array belongs")
		return nil
	}
	var list []string
	for i, item := range c.array(key, v) {
		text, ok := c.scalar(key+"["+strconv.Itoa(i)+"]", item)
		if !ok {
			c.refuse("one of its arguments is " + string(item.kind))
			return nil
		}
		list = append(list, text)
	}
	return list
}

// readCommand reads the program, or opencode's program with its arguments.
func (c *conversion) readCommand(key string, v value) {
	switch {
	case v.kind == anArray && c.format == OpenCode:
		if words := c.list(key, v); len(words) > 0 {
			c.command, c.args = words[0], append(words[1:], c.args...)
			c.hasCommand = true
		}
	case v.kind == aString:
		c.command, c.hasCommand = c.str(key, v), true
	default:
		c.refuse("its command is " + string(v.kind) + " where a string belongs")
	}
}

// add puts a variable or header to those that are there. Two of one name, for
// headers in any spelling, cannot both count.
func (c *conversion) add(list *[]pair, key string, p pair) {
	isSame := func(other pair) bool {
		return other.name == p.name || list == &c.headers && strings.EqualFold(other.name, p.name)
	}
	if slices.ContainsFunc(*list, isSame) {
		c.say(key, shown(p.name)+" is given already; it stays behind")
		return
	}
	*list = append(*list, p)
}

// pairs reads variables or headers.
func (c *conversion) pairs(key string, v value, list *[]pair) {
	for _, m := range c.object(key, v) {
		path := key + "." + m.key
		switch {
		case m.value.kind == aNull && c.format == VSCode:
			c.say(path, "VS Code takes the variable away from the program, which Pillion cannot; it stays behind")
		case c.format == MCPHub && (m.value.kind == aNull || m.value.kind == aString && m.value.text == ""):
			if reference := c.variable(path, m.key); reference != "" {
				c.add(list, path, pair{m.key, reference})
			}
		case c.dialect.program != "" && m.value.kind == aString && strings.HasPrefix(m.value.text, c.dialect.program):
			c.say(path, "it is a command whose output would count; Pillion runs none for a value, and it stays behind")
		default:
			if text, ok := c.scalar(path, m.value); ok {
				c.add(list, path, pair{m.key, text})
			}
		}
	}
}

// variable is a reference to a variable by its name.
func (c *conversion) variable(key, name string) string {
	if !isLooseName(name) {
		c.say(key, shown(name)+" names no variable that Pillion could read, and stays behind")
		return ""
	}
	return (&translation{dialect: c.dialect, toProject: c.toProject()}).variable(name, "", false)
}

// variableNamed reads the name of a variable whose value counts.
func (c *conversion) variableNamed(key string, v value) string {
	name := c.plain(key, v)
	if name == "" {
		return ""
	}
	return c.variable(key, name)
}

// forwarded reads the names of variables that the program gets.
func (c *conversion) forwarded(key string, v value) {
	for i, item := range c.array(key, v) {
		path := key + "[" + strconv.Itoa(i) + "]"
		if item.kind == anObject {
			c.say(path, "only names are carried over; it stays behind")
			continue
		}
		if reference := c.variableNamed(path, item); reference != "" {
			c.add(&c.env, path, pair{item.text, reference})
		}
	}
}

func (c *conversion) address(key string, v value, transport string) {
	text := c.str(key, v)
	switch {
	case text == "":
		return
	case c.url != "":
		c.refuse("it has two addresses, " + c.urlKey + " and " + key + ", and which of them counts is not clear")
		return
	}
	c.url, c.urlKey = text, key
	if transport != "" && c.transport == "" {
		c.transport = transport
	}
}

// readTransport reads the type in the spellings that programs use.
func (c *conversion) readTransport(key string, v value) {
	written := c.plain(key, v)
	transport := ""
	switch strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(written)) {
	case "":
		return
	case "stdio", "local":
		transport = config.TransportStdio
	case "http", "streamablehttp", "httpstream", "httpstreaming", "httpstreamable", "remote":
		transport = config.TransportHTTP
	case "sse":
		transport = config.TransportSSE
	case "ws", "websocket":
		c.refuse("Pillion does not speak WebSocket")
		return
	default:
		c.refuse("its type " + shown(written) + " is not known")
		return
	}
	if c.transport != "" && c.transport != transport {
		c.refuse("it names two types")
	}
	c.transport = transport
}

// readSwitch reads the off switch. One that is not clear switches off.
func (c *conversion) readSwitch(key string, v value) {
	off := "true"
	if meaningOf(c.format, key) == switchedOn {
		off = "false"
	}
	switch {
	case v.kind != aBoolean:
		c.isOff = true
		c.say(key, "it is "+string(v.kind)+" where true or false belongs; the entry comes switched off")
	case v.text == off:
		c.isOff = true
	}
}

// maxDuration is that of Pillion's own files.
const maxDuration = 365 * 24 * time.Hour

// milliseconds reads a number of a unit.
func (c *conversion) milliseconds(key string, v value, unit float64) (int64, bool) {
	number, err := strconv.ParseFloat(v.text, 64)
	number *= unit
	if v.kind != aNumber || err != nil || number < 1 || number > float64(maxDuration.Milliseconds()) {
		c.say(key, "it is no time that Pillion could wait, and stays behind")
		return 0, false
	}
	return int64(number), true
}

func (c *conversion) callTimeout(key string, v value, unit float64) {
	n, ok := c.milliseconds(key, v, unit)
	switch {
	case !ok:
	case c.format == ClaudeCode && n < 1000:
		c.say(key, "Claude Code ignores less than a second; it stays behind")
	case c.callMS != 0 && c.callMS != n:
		c.say(key, "another time is given already; it stays behind")
	default:
		c.callMS = n
	}
}

func (c *conversion) readStartTimeout(key string, v value, unit float64) {
	n, ok := c.milliseconds(key, v, unit)
	switch {
	case !ok:
	case c.startTimeout != "":
		c.say(key, "another time is given already; it stays behind")
	default:
		c.startTimeout = (time.Duration(n) * time.Millisecond).String()
	}
}

// toolNames reads a list of tools. Without one that cannot be read more would
// be offered than was meant, so it keeps the entry out.
func (c *conversion) toolNames(key string, v value) []string {
	names := []string{}
	if v.kind != anArray {
		c.refuse(key + " is " + string(v.kind) + " where an array belongs")
		return names
	}
	for i, item := range c.array(key, v) {
		if item.kind != aString || item.text == "" {
			c.refuse(key + " does not name tools alone")
			return names
		}
		if strings.ContainsAny(item.text, `*?[]{}\`) || strings.HasPrefix(item.text, "/") {
			c.say(key+"["+strconv.Itoa(i)+"]", "Pillion reads "+shown(item.text)+" as a pattern")
		}
		names = append(names, item.text)
	}
	return names
}

// secrets names the values that look like secrets and stand there as they are
// (S11).
func (c *conversion) secrets() {
	advise := func(key, name string) {
		message := "it looks like a secret and stands in the file as it is: write ${" + variableName(name) + "} and keep the value in your environment"
		if c.toProject() {
			message = "it looks like a secret and stands in the project's file, for everybody who has it: write ${" + variableName(name) + "} and keep the value in your environment"
		}
		c.say(key, message)
	}
	isSecret := func(name, text string) bool {
		return !strings.Contains(text, "${") && redact.LooksSecret(name, text)
	}
	if c.transport == config.TransportStdio {
		for i, arg := range c.args {
			name, text := argumentName(c.args, i)
			if isSecret(name, text) {
				advise("args["+strconv.Itoa(i)+"]", cmp.Or(strings.Trim(name, "-"), "SECRET"))
			} else if isSecret("", arg) {
				advise("args["+strconv.Itoa(i)+"]", "SECRET")
			}
		}
		for _, v := range c.env {
			if isSecret(v.name, v.value) {
				advise("env."+v.name, v.name)
			}
		}
		return
	}
	for _, v := range c.headers {
		if isSecret(v.name, v.value) {
			advise("headers."+v.name, v.name)
		}
	}
	if !strings.Contains(c.url, "${") && redact.AddressLooksSecret(c.url) {
		advise("url", "TOKEN")
	}
}

// argumentName is what an argument is the value of: the option before it or
// that it begins with.
func argumentName(args []string, i int) (name, text string) {
	if name, text, ok := strings.Cut(args[i], "="); ok {
		return name, text
	}
	if i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.HasPrefix(args[i], "-") {
		return args[i-1], args[i]
	}
	return "", args[i]
}
