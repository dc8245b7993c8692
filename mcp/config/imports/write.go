package imports

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/config"
)

// definition writes the entry as Pillion's files have it, keys in the order of
// their documentation.
func (c *conversion) definition() []byte {
	w := newObject()
	if c.transport == config.TransportStdio {
		w.text("command", c.command)
		if len(c.args) > 0 {
			w.list("args", c.args)
		}
		w.pairs("env", c.env)
		w.optional("cwd", c.cwd)
		w.optional("envFile", c.envFile)
	} else {
		w.text("type", c.transport)
		w.text("url", c.url)
		w.pairs("headers", c.headers)
	}
	if c.isOff {
		w.token(jsontext.String("disabled"))
		w.token(jsontext.Bool(true))
	}
	if c.callMS > 0 {
		w.token(jsontext.String("timeout"))
		w.token(jsontext.Int(c.callMS))
	}
	w.optional("description", c.description)
	c.options(w)
	return w.close()
}

func (c *conversion) options(w *object) {
	if c.startTimeout == "" && !c.hasTools && len(c.excludedTools) == 0 && c.target.Origin == "" {
		return
	}
	w.token(jsontext.String("pillion"))
	w.token(jsontext.BeginObject)
	w.optional("startTimeout", c.startTimeout)
	if c.hasTools {
		w.list("tools", c.tools)
	}
	if len(c.excludedTools) > 0 {
		w.list("excludeTools", c.excludedTools)
	}
	w.optional("importedFrom", c.target.Origin)
	w.token(jsontext.EndObject)
}

// object writes one JSON object. Its keys differ and all text is UTF-8, so that
// only a fault of this package could make it fail.
type object struct {
	encoder *jsontext.Encoder
	buffer  *bytes.Buffer
}

func newObject() *object {
	buffer := new(bytes.Buffer)
	w := &object{jsontext.NewEncoder(buffer), buffer}
	w.token(jsontext.BeginObject)
	return w
}

func (w *object) close() []byte {
	w.token(jsontext.EndObject)
	return bytes.TrimSpace(w.buffer.Bytes())
}

func (w *object) token(t jsontext.Token) {
	if err := w.encoder.WriteToken(t); err != nil {
		panic("imports: a definition cannot be encoded: " + err.Error())
	}
}

func (w *object) text(key, text string) {
	w.token(jsontext.String(key))
	w.token(jsontext.String(text))
}

func (w *object) optional(key, text string) {
	if text != "" {
		w.text(key, text)
	}
}

func (w *object) list(key string, list []string) {
	w.token(jsontext.String(key))
	w.token(jsontext.BeginArray)
	for _, text := range list {
		w.token(jsontext.String(text))
	}
	w.token(jsontext.EndArray)
}

func (w *object) pairs(key string, list []pair) {
	if len(list) == 0 {
		return
	}
	w.token(jsontext.String(key))
	w.token(jsontext.BeginObject)
	for _, p := range list {
		w.text(p.name, p.value)
	}
	w.token(jsontext.EndObject)
}
