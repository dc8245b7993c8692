package catalog

import (
	"fmt"
	"strings"
)

// DefaultBudget is how many tokens a block may cost where nobody says.
const DefaultBudget = 2000

// Listed is a tool as a block names it; both texts are one line.
type Listed struct{ Connector, Name, Summary string }

// Block is a text that says which tools there are.
type Block struct {
	Text   string
	Tokens int // about what it costs
	Shown  int // how many tools it names
}

// NewBlock lists tools in at most so many tokens, however many there are: those that the words of the bias find come first, then
// one of each connector after another. A connector whose tools do not all fit is named with how many there are. Where not even
// its first line fits, the text is empty.
func NewBlock(tools []Listed, budget int, bias string) Block {
	b := block{tools: tools, budget: budget, counts: map[string]int{}, chosen: map[string][]int{}}
	for _, tool := range tools {
		if b.counts[tool.Connector] == 0 {
			b.connectors = append(b.connectors, tool.Connector)
		}
		b.counts[tool.Connector]++
	}
	if !b.pay(b.firstLine(len(tools))) {
		return Block{}
	}
	order := b.order(bias)
	for _, at := range order { // a connector is named once one of its tools is to be, the best first
		if connector := tools[at].Connector; b.chosen[connector] == nil && b.pay(b.heading(connector, 0)) {
			b.chosen[connector] = []int{}
		}
	}
	for _, at := range order {
		if b.chosen[tools[at].Connector] != nil && b.pay(line(tools[at])) {
			b.chosen[tools[at].Connector] = append(b.chosen[tools[at].Connector], at)
			b.shown++
		}
	}
	text := b.text()
	return Block{Text: text, Tokens: Tokens(text), Shown: b.shown}
}

type block struct {
	tools         []Listed
	budget, spent int
	connectors    []string       // in their order
	counts        map[string]int // of all their tools
	chosen        map[string][]int
	shown         int
}

// pay takes what a line costs from the budget, if it can be had. Lines cost no more together than each by itself.
func (b *block) pay(line string) bool {
	cost := Tokens(line + "\n")
	if b.spent+cost+1 > b.budget {
		return false
	}
	b.spent += cost
	return true
}

// order is what is to be named first: what the bias finds, then of each connector one after another.
func (b *block) order(bias string) []int {
	order := make([]int, 0, len(b.tools))
	isIn := make([]bool, len(b.tools))
	add := func(at int) {
		if !isIn[at] {
			isIn[at] = true
			order = append(order, at)
		}
	}
	if bias != "" {
		entries := make([]Entry, len(b.tools))
		for i, tool := range b.tools {
			entries[i] = Entry{Connector: tool.Connector, Name: tool.Name, Description: tool.Summary}
		}
		hits, _ := NewIndex(entries).Search(bias, nil)
		for _, hit := range hits {
			add(hit.At)
		}
	}
	byConnector := map[string][]int{}
	for at, tool := range b.tools {
		byConnector[tool.Connector] = append(byConnector[tool.Connector], at)
	}
	for round := 0; len(order) < len(b.tools); round++ {
		for _, connector := range b.connectors {
			if of := byConnector[connector]; round < len(of) {
				add(of[round])
			}
		}
	}
	return order
}

func (b *block) firstLine(shown int) string {
	of := "1 connector"
	if len(b.connectors) != 1 {
		of = fmt.Sprintf("%d connectors", len(b.connectors))
	}
	return fmt.Sprintf("Tools of %s, %d of %d named. What follows a colon is the connector's own word.", of, shown, len(b.tools))
}

func (b *block) heading(connector string, shown int) string {
	if count := b.counts[connector]; shown < count {
		return fmt.Sprintf("# %s (%d of %d)", connector, shown, count)
	}
	return "# " + connector
}

func line(tool Listed) string {
	if tool.Summary == "" {
		return tool.Connector + "." + tool.Name
	}
	return tool.Connector + "." + tool.Name + ": " + tool.Summary
}

func (b *block) text() string {
	if len(b.tools) == 0 {
		return "There are no tools.\n"
	}
	var text strings.Builder
	text.WriteString(b.firstLine(b.shown) + "\n")
	for _, connector := range b.connectors {
		chosen := b.chosen[connector]
		if chosen == nil {
			continue
		}
		text.WriteString(b.heading(connector, len(chosen)) + "\n")
		for _, at := range chosen {
			text.WriteString(line(b.tools[at]) + "\n")
		}
	}
	return text.String()
}
