package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"pillion/mcp/catalog"
)

const (
	// searchLimit is what the slowest of a hundred searches may cost, against one pass that cuts the same text into words.
	searchLimit    = 1.0
	searchTools    = 10_000
	searchesARound = 300
)

// searchWords are what tools of many servers are called and described by.
var searchWords = strings.Fields(`create list update delete search read write issue repository branch commit pull request review comment label
	page database row column query table index file folder path upload download message channel thread user team project sprint board
	calendar event invoice customer payment refund webhook deploy build log trace metric alert dashboard snapshot image video audio
	translate summarize convert merge split export import schedule cancel approve`)

// measureSearch measures a search among the tools of a large sidecar, by the index that is made once for them, at its 99th percentile.
func measureSearch(_ context.Context, r *report, _ *programs, n plan) error {
	entries := manyEntries(searchTools)
	index := catalog.NewIndex(entries)
	var searches, passes series
	for round := range n.rounds {
		taken := make([]time.Duration, searchesARound)
		for i := range taken {
			at := round*searchesARound + i
			query := strings.Join([]string{wordAt(at), wordAt(at * 7), wordAt(at * 11)}[:1+at%3], " ")
			begun := time.Now()
			if hits, _ := index.Search(query, nil); len(hits) == 0 {
				return fmt.Errorf("search %q: nothing was found", query)
			}
			taken[i] = time.Since(begun)
		}
		slices.Sort(taken)
		searches = append(searches, float64(taken[len(taken)*99/100]))
		begun := time.Now()
		if words := wordsOf(entries); words < searchTools {
			return fmt.Errorf("%d words in %d tools", words, searchTools)
		}
		passes = append(passes, float64(time.Since(begun)))
	}
	r.line("a search in %d tools, p99 of %d", searchTools, searchesARound)
	r.figure("search", searches, times)
	r.figure("a pass over the same text", passes, times)
	r.limited("search/pass", searches.over(passes), ratio, searchLimit)
	return nil
}

func wordAt(i int) string { return searchWords[i%len(searchWords)] }

// manyEntries are tools of twenty to a connector, with descriptions of two dozen words.
func manyEntries(count int) []catalog.Entry {
	entries := make([]catalog.Entry, count)
	for i := range entries {
		connector, name := "server"+strconv.Itoa(i/20), wordAt(i)+"_"+wordAt(i/3+5)+"_"+strconv.Itoa(i)
		var description []string
		for k := range 24 {
			description = append(description, wordAt(i*(k+3)+k*k))
		}
		entries[i] = catalog.Entry{Connector: connector, Name: name, ServedName: connector + "__" + name, Description: strings.Join(description, " ") + "."}
	}
	return entries
}

// wordsOf cuts all texts into words in lower case, and counts them.
func wordsOf(entries []catalog.Entry) (count int) {
	for _, e := range entries {
		for _, text := range []string{e.Connector, e.Name, e.ServedName, e.Title, e.Description} {
			count += len(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		}
	}
	return count
}
