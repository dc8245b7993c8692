package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"pillion/editors"
	"pillion/mcp/auth"
	"pillion/mcp/host"
	"pillion/mcp/redact"
	"pillion/rpc/message"
	"pillion/sidecar"
)

type secretGrammar struct {
	List   secretListVerb   `cmd:"" help:"List the values that are stored and those that connectors refer to, never the values."`
	Set    secretSetVerb    `cmd:"" help:"Store the value of an input."`
	Remove secretRemoveVerb `cmd:"" help:"Forget the value of an input."`
}

type secretListVerb struct{}

// Help explains the verb.
func (secretListVerb) Help() string {
	return `Lists the values of inputs: those that are stored, and those that connectors of this folder refer to as ${input:id}. No value is ever shown.

Each value is for one destination, the program or host that is given it, and for one folder where the connector belongs to one.

With --json: {"place": "keyring"|"file"|"", "secrets": [Secret]}, Secret in the shape of the editor protocol. place is where new values go; empty as long as there was none.`
}

// secretListShape is what secret list --json prints.
type secretListShape struct {
	Place   auth.Place       `json:"place"`
	Secrets []message.Secret `json:"secrets"`
}

// Run lists.
func (secretListVerb) Run(p *program) error {
	return p.withOwnHost(p.listSecrets)
}

func (p *program) listSecrets(h *ownHub) error {
	secrets, err := p.secretsOf(h)
	if err != nil {
		return err
	}
	if p.isJSON {
		shape := secretListShape{Place: h.SecretPlace(), Secrets: make([]message.Secret, len(secrets))}
		for i, s := range secrets {
			shape.Secrets[i] = sidecar.SecretMessage(s)
		}
		return p.printJSON(shape)
	}
	rows := make([][]string, len(secrets))
	for i, s := range secrets {
		rows[i] = []string{s.ID, placeWords(s), s.Root, s.Destination, strings.Join(s.Connectors, ", ")}
	}
	if len(rows) == 0 && p.isTerminal {
		p.print("Nothing is stored, and no connector here refers to an input.")
		return nil
	}
	p.table([]string{"INPUT", "VALUE", "FOLDER", "GIVEN TO", "CONNECTORS"}, rows)
	return nil
}

func placeWords(s host.Secret) string {
	switch {
	case !s.IsSet:
		return "not set"
	case s.Place == auth.PlaceFile:
		return "in the sealed file"
	}
	return "in the keyring"
}

// secretsOf lists what there is, and says what is wrong with what was stored.
func (p *program) secretsOf(h *ownHub) ([]host.Secret, error) {
	secrets, err := h.Secrets()
	if err != nil {
		return nil, fail(exitFailed, []string{"Set values anew: pillion secret set; a list that is broken is then kept beside the new one."}, "%w", err)
	}
	if health := h.SecretHealth(); health != nil {
		p.say("pillion: " + editors.Visible(health.Error()) + "; what it held must be set again.")
	}
	return secrets, nil
}

// secretName says which value is meant.
type secretName struct {
	ID          string `arg:"" name:"id" help:"The input, by its id."`
	Connector   string `placeholder:"NAME" help:"The connector that is given the value, where several refer to an input of this id."`
	Destination string `placeholder:"TEXT" help:"The program or host that is given it, as secret list shows it."`
}

func (n secretName) fits(s host.Secret) bool {
	return s.ID == n.ID && (n.Connector == "" || slices.Contains(s.Connectors, n.Connector)) &&
		(n.Destination == "" || s.Destination == n.Destination)
}

// key finds the one value that is meant.
func (n secretName) key(secrets []host.Secret) (host.Secret, error) {
	found := slices.DeleteFunc(slices.Clone(secrets), func(s host.Secret) bool { return !n.fits(s) })
	steps := []string{"See what there is: pillion secret list"}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return host.Secret{}, fail(exitUsage, steps, "no connector here refers to an input %q, and no value is stored for one", n.ID)
	}
	for _, s := range found {
		step := "One is given to: " + s.Destination
		if len(s.Connectors) > 0 {
			step += ", by the connector " + editors.Quoted(s.Connectors[0])
		}
		steps = append(steps, step)
	}
	steps = append(steps, "Say which by --connector with a name, or by --destination with what it is given to, in single quotes.")
	return host.Secret{}, fail(exitUsage, steps, "%d values go by the id %q", len(found), n.ID)
}

type secretSetVerb struct {
	secretName
	FromStdin bool `help:"Read the value from standard input, to its end; one line break at the end is left out."`
}

// Help explains the verb.
func (secretSetVerb) Help() string {
	return `Stores the value of an input that a connector refers to as ${input:id}. It is read from the terminal itself, without being shown, or with --from-stdin from standard input; never from an argument. A connector that waits for it goes on; one that runs has the old value until it is restarted.

It goes to the keyring of the operating system, or where there is none to a sealed file.

With --json: {"secret": Secret}, in the shape of the editor protocol. Without a terminal and without --from-stdin nothing is stored and the exit code is 75.`
}

// secretShape is what secret set and remove print with --json.
type secretShape struct {
	Secret message.Secret `json:"secret"`
}

// Run stores.
func (v secretSetVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error { return v.set(p, h) })
}

func (v secretSetVerb) set(p *program, h *ownHub) error {
	secrets, err := h.Secrets()
	if err != nil {
		p.say("pillion: " + editors.Visible(err.Error()))
		secrets = h.SecretsHere() // what is stored cannot be listed, and is set aside where it is broken
	}
	secret, err := v.key(secrets)
	if err != nil {
		return err
	}
	value, err := v.value(p, secret)
	if err != nil {
		return err
	}
	if err := message.CheckInputValue(value); err != nil {
		return fail(exitUsage, nil, "the %w", err)
	}
	if err := h.SetSecret(p.ctx, secret.Key, value); err != nil {
		return err
	}
	if health := h.SecretHealth(); health != nil {
		p.say("pillion: " + editors.Visible(health.Error()) + "; what it held must be set again.")
		if err := h.ConfirmSecrets(p.ctx); err != nil {
			return err
		}
	}
	if secret.IsPassword && len(value) < redact.MinBytes {
		p.say("pillion: " + editors.Visible(host.ShortSecret(secret.ID)) + ".")
	}
	secret.IsSet = true
	if p.isJSON {
		return p.printJSON(secretShape{sidecar.SecretMessage(secret)})
	}
	p.print("Stored: " + editors.Quoted(secret.ID) + " for " + editors.Visible(secret.Destination))
	return nil
}

// value reads what is to be stored.
func (v secretSetVerb) value(p *program, secret host.Secret) (string, error) {
	if v.FromStdin {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, auth.MaxValueBytes+2))
		if err != nil {
			return "", fmt.Errorf("read the value: %w", err)
		}
		return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
	}
	d, err := openDevice()
	if err != nil {
		return "", fail(exitUnanswered, []string{"Run this in a terminal, or give the value on standard input with --from-stdin."}, "%w; nothing was stored", err)
	}
	value, err := d.secret(p.ctx, "The value of the input "+editors.Quoted(secret.ID)+" is given to:\n| "+editors.Visible(secret.Destination), "Value, which is not shown: ")
	if errors.Is(err, errUndecided) || p.ctx.Err() != nil {
		return "", fail(exitUnanswered, nil, "nothing was stored")
	}
	return value, err
}

type secretRemoveVerb struct{ secretName }

// Help explains the verb.
func (secretRemoveVerb) Help() string {
	return `Forgets the stored value of an input: the connector that is given it asks for it at its next start. One that runs keeps it until it ends.

With --json: {"secret": Secret}, in the shape of the editor protocol.`
}

// Run forgets.
func (v secretRemoveVerb) Run(p *program) error {
	return p.withOwnHost(func(h *ownHub) error { return v.remove(p, h) })
}

func (v secretRemoveVerb) remove(p *program, h *ownHub) error {
	secrets, err := p.secretsOf(h)
	if err != nil {
		return err
	}
	secret, err := v.key(secrets)
	if err != nil {
		return err
	}
	if err := h.RemoveSecret(p.ctx, secret.Key); err != nil {
		return err
	}
	secret.IsSet = false
	if p.isJSON {
		return p.printJSON(secretShape{sidecar.SecretMessage(secret)})
	}
	p.print("Forgotten: " + editors.Quoted(secret.ID) + " for " + editors.Visible(secret.Destination))
	return nil
}
