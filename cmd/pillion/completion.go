package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"pillion/editors"
	"pillion/mcp/config/agents"
	"pillion/mcp/host"
	"pillion/rpc/message"
)

// completeWord is what a shell's script calls this program with: the words so far, and = in front of the one at the cursor,
// because not every shell passes on an empty word.
const completeWord = "__complete"

type completionVerb struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"The shell: bash, zsh, fish or powershell."`
}

// Help explains the verb.
func (completionVerb) Help() string {
	return `Prints a script that completes verbs, flags, connectors and tools in a shell.

  bash         pillion completion bash > ~/.local/share/bash-completion/completions/pillion
  zsh          pillion completion zsh > "${fpath[1]}/_pillion"
  fish         pillion completion fish > ~/.config/fish/completions/pillion.fish
  PowerShell   pillion completion powershell >> $PROFILE

Names of connectors and tools are completed where they are plain words: what a shell would take for more than a word is never offered.

With --json: {"shell": string, "script": string}.`
}

// completionShape is what completion --json prints.
type completionShape struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

// Run prints it.
func (v completionVerb) Run(p *program) error {
	script := completionScripts()[v.Shell]
	if p.isJSON {
		return p.printJSON(completionShape{v.Shell, script})
	}
	p.print(strings.TrimSuffix(script, "\n"))
	return nil
}

// candidate is one word that may stand at the cursor.
type candidate struct{ word, help string }

// complete answers a shell's script. It says nothing else, whatever goes wrong: a shell is in the middle of a line.
func complete(words []string) int {
	if len(words) == 0 {
		return exitUsage
	}
	current, isMarked := strings.CutPrefix(words[len(words)-1], "=")
	if !isMarked {
		return exitUsage
	}
	p := newProgram()
	out := p.stdout
	p.stdout, p.stderr = io.Discard, io.Discard
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	p.ctx = ctx
	for _, c := range p.candidates(words[:len(words)-1], current) {
		_, _ = io.WriteString(out, c.word+"\t"+editors.Visible(c.help)+"\n")
	}
	return exitOK
}

// completeTime bounds how long a shell waits for the names of tools.
const completeTime = 3 * time.Second

// isPlainWord reports a word that every shell takes for itself: the name of a connector is somebody else's text, and what is completed is
// run.
func isPlainWord(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_./@+-", r)
	})
}

// candidates are what may stand at the cursor, after these words.
func (p *program) candidates(before []string, current string) []candidate {
	var g grammar
	parser, err := p.parser(&g)
	if err != nil {
		return nil
	}
	at := walkTo(parser.Model.Node, before)
	var all []candidate
	switch {
	case at.flag != nil:
		enum := at.flag.Enum
		if enum == "" && strings.Contains(at.flag.PlaceHolder, "|") { // of a setting, which is read on its own
			enum = strings.ReplaceAll(at.flag.PlaceHolder, "|", ",")
		}
		all = p.values(at.flag.Name, enum, at.node)
	case strings.HasPrefix(current, "-") && !at.isPlain:
		all = flagCandidates(at.node)
	default:
		all = p.wordsAt(at)
	}
	return slices.DeleteFunc(all, func(c candidate) bool {
		return !strings.HasPrefix(c.word, current) || !isPlainWord(c.word) || strings.HasPrefix(c.word, "-") && !strings.HasPrefix(current, "-")
	})
}

// cursor is where a command line has got to.
type cursor struct {
	node *kong.Node
	// flag waits for its value.
	flag *kong.Flag
	// positional is how many words the verb was given.
	positional int
	// isPlain is set after --: nothing is a flag any more.
	isPlain bool
}

// walkTo goes along the words of a command line.
func walkTo(root *kong.Node, words []string) cursor {
	at := cursor{node: root}
	for _, word := range words {
		switch {
		case at.flag != nil:
			at.flag = nil
		case word == "--":
			at.isPlain = true
		case strings.HasPrefix(word, "-") && !at.isPlain:
			at.flag = flagOf(at.node, word)
		default:
			if below := childOf(at.node, word); below != nil && at.positional == 0 {
				at.node = below
				continue
			}
			at.positional++
		}
	}
	return at
}

func childOf(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name || slices.Contains(child.Aliases, name) {
			return child
		}
	}
	return nil
}

// flagOf is the flag that waits for a value after this word.
func flagOf(node *kong.Node, word string) *kong.Flag {
	for _, group := range node.AllFlags(false) {
		for _, flag := range group {
			isIt := word == "--"+flag.Name || flag.Short != 0 && word == "-"+string(flag.Short)
			if isIt && !flag.IsBool() {
				return flag
			}
		}
	}
	return nil
}

func flagCandidates(node *kong.Node) []candidate {
	var all []candidate
	for _, group := range node.AllFlags(true) {
		for _, flag := range group {
			all = append(all, candidate{"--" + flag.Name, flag.Help})
		}
	}
	return all
}

// wordsAt are the verbs that go on from here, or the values of the argument that is next.
func (p *program) wordsAt(at cursor) []candidate {
	var all []candidate
	for _, child := range at.node.Children {
		if !child.Hidden && at.positional == 0 {
			all = append(all, candidate{child.Name, child.Help})
		}
	}
	if len(all) > 0 || len(at.node.Positional) == 0 {
		return all
	}
	next := at.node.Positional[min(at.positional, len(at.node.Positional)-1)]
	if at.positional >= len(at.node.Positional) && !next.IsCumulative() {
		return nil
	}
	return p.values(next.Name, next.Enum, at.node)
}

// values are the values of a flag or argument of a name.
func (p *program) values(name, enum string, of *kong.Node) []candidate {
	var words []string
	switch {
	case enum != "":
		words = strings.Split(enum, ",")
	case name == "agent":
		words = agents.Names()
	case name == "kind":
		words = recordKinds()
	case name == "connector", name == "name" && of.Parent != nil && of.Parent.Name == "mcp" && of.Name != "add":
		_, words, _ = p.connectorNames()
	case name == "tool", name == "tools", name == "what":
		words = p.toolLabels()
	}
	all := make([]candidate, len(words))
	for i, word := range words {
		all[i] = candidate{word: word}
	}
	return all
}

// toolLabels are the tools that are known; nothing is started for it.
func (p *program) toolLabels() []string {
	h, err := p.host(ownOptions{depth: host.Words})
	if err != nil {
		return nil
	}
	defer h.close()
	found, err := h.tools(p.ctx, message.ToolsParams{})
	if err != nil {
		return nil
	}
	labels := make([]string, len(found.Tools))
	for i, tool := range found.Tools {
		labels[i] = tool.Label
	}
	return labels
}

// completionScripts are what the shells are told, by name.
func completionScripts() map[string]string {
	return map[string]string{
		"bash": `# Completion of pillion for bash.
_pillion() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "=${COMP_WORDS[COMP_CWORD]}" 2>/dev/null)
}
complete -o bashdefault -o default -F _pillion pillion
`,
		"zsh": `#compdef pillion
# Completion of pillion for zsh.
_pillion() {
    local line
    local -a values shown
    while IFS= read -r line; do
        values+=("${line%%$'\t'*}")
        shown+=("${line%%$'\t'*}  ${line#*$'\t'}")
    done < <("${words[1]/#\~/$HOME}" __complete "${(@)words[2,CURRENT-1]}" "=${words[CURRENT]}" 2>/dev/null)
    if (( $#values )); then
        compadd -l -d shown -a values
    else
        _files
    fi
}
if [ "$funcstack[1]" = "_pillion" ]; then
    _pillion "$@"
else
    compdef _pillion pillion
fi
`,
		"fish": `# Completion of pillion for fish.
function __pillion_complete
    set -l words (commandline -opc)
    set -l found ($words[1] __complete $words[2..-1] "="(commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c pillion -f -a '(__pillion_complete)'
`,
		"powershell": `# Completion of pillion for PowerShell.
Register-ArgumentCompleter -Native -CommandName pillion -ScriptBlock {
    param($word, $line, $cursor)
    $before = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    & $line.GetCommandName() __complete @before "=$($word.Trim('"', "'"))" 2>$null | ForEach-Object {
        $value, $help = $_ -split "` + "`" + `t", 2
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
    }
}
`,
	}
}
